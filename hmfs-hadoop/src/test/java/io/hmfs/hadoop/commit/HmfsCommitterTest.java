package io.hmfs.hadoop.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.HmfsFileSystem;
import io.hmfs.hadoop.OwnDirectory;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.hdfs.protocol.NSQuotaExceededException;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.NamedCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.Test;

/**
 * Goal: a job on HMFS leaves what it leaves with Hadoop's own committer. Method: jobs drawn at random, with few names, so that tasks
 * have files and directories of the same ones and the output has some of them before, are committed by both; and what the configuration
 * says of the committer.
 */
class HmfsCommitterTest extends OwnDirectory {
    private static final JobID JOB = new JobID("test", 1);
    private static final int JOBS = 40;
    private static final int FILES = 20;
    private static final long AS_IT_IS = Long.MAX_VALUE;

    private static TaskAttemptContext attempt(Configuration conf, int task) {
        return new TaskAttemptContextImpl(conf, new TaskAttemptID(new TaskID(JOB, TaskType.MAP, task), 0));
    }

    private Configuration conf(int algorithm) {
        Configuration conf = new Configuration(fs.getConf());
        conf.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, algorithm);
        return conf;
    }

    /** Files below a directory, at most three names deep; none is below another one. */
    private static void draw(Random random, String path, int depth, String text, Map<String, String> files) {
        for (String name : List.of("a", "b", "c")) {
            int kind = random.nextInt(3);
            if (kind == 1 || (kind == 2 && depth == 3)) {
                files.put(path + name, text + " " + name);
            } else if (kind == 2) {
                draw(random, path + name + "/", depth + 1, text, files);
            }
        }
    }

    private void writeAll(Path into, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> each : files.entrySet()) {
            try (FSDataOutputStream out = fs.create(new Path(into, each.getKey()))) {
                out.write(each.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /** A job's output, by relative path: the text of a file, or that it is a directory. */
    private Map<String, String> job(Random random, Path output, int algorithm, Maker maker) throws IOException {
        Configuration conf = conf(algorithm);
        Map<String, String> before = new TreeMap<>();
        if (random.nextBoolean()) {
            draw(random, "", 1, "before", before);
            writeAll(output, before);
        }
        OutputCommitter committer = maker.make(output, attempt(conf, 1000));
        JobContextImpl context = new JobContextImpl(conf, JOB);
        committer.setupJob(context);
        int tasks = random.nextInt(5);
        for (int task = 0; task < tasks; task++) {
            TaskAttemptContext attempt = attempt(conf, task);
            FileOutputCommitter ofTask = (FileOutputCommitter) maker.make(output, attempt);
            ofTask.setupTask(attempt);
            Map<String, String> files = new TreeMap<>();
            draw(random, "", 1, "task " + task, files);
            if (random.nextBoolean()) {
                files.put("part-" + task, "alone");
            }
            writeAll(ofTask.getWorkPath(), files);
            if (ofTask.needsTaskCommit(attempt)) {
                ofTask.commitTask(attempt);
            }
        }
        committer.commitJob(context);
        Map<String, String> tree = new TreeMap<>();
        collect(output, "", tree);
        assertTrue(tree.containsKey(FileOutputCommitter.SUCCEEDED_FILE_NAME), tree::toString);
        return tree;
    }

    private void collect(Path directory, String path, Map<String, String> tree) throws IOException {
        for (FileStatus each : fs.listStatus(directory)) {
            String name = path + each.getPath().getName();
            if (each.isDirectory()) {
                tree.put(name, "a directory");
                collect(each.getPath(), name + "/", tree);
            } else {
                tree.put(name, new String(read(each.getPath()), StandardCharsets.UTF_8));
            }
        }
    }

    private Path output(String name) {
        return fs.makeQualified(new Path(directory, name));
    }

    @FunctionalInterface
    private interface Maker {
        OutputCommitter make(Path output, TaskAttemptContext context) throws IOException;
    }

    @Test
    void a_job_leaves_what_it_leaves_with_hadoops_committer() throws IOException {
        int entries = 0;
        for (int seed = 0; seed < JOBS; seed++) {
            int algorithm = seed % 5 == 0 ? 2 : 1;
            Map<String, String> wanted =
                    job(new Random(seed), output("hadoop-" + seed), algorithm, FileOutputCommitter::new);
            Map<String, String> made = job(
                    new Random(seed), output("hmfs-" + seed), algorithm, PathOutputCommitterFactory::createCommitter);
            assertEquals(wanted, made, "seed " + seed);
            entries += wanted.size();
        }
        assertTrue(entries > 10 * JOBS, "entries: " + entries);
    }

    @Test
    void what_stands_alone_is_moved_before_hadoops_commit_and_nothing_else() throws IOException {
        Path output = new Path(directory, "output");
        writeAll(output, Map.of("there", "before", "d/there", "before"));
        Path one = new Path(directory, "one");
        writeAll(one, Map.of("there", "1", "both", "1", "mine", "1", "d/there", "1", "d/mine", "1", "e/both", "1"));
        Path two = new Path(directory, "two");
        writeAll(two, Map.of("both", "2", "d/yours", "2", "e/both", "2", "e/yours", "2", "f/g/yours", "2"));
        try (EarlyRenames renames = new EarlyRenames((HmfsFileSystem) fs)) {
            renames.merge(List.of(one, two), output);
        }
        assertEquals(
                "{d=a directory, d/mine=1, d/there=before, d/yours=2, e=a directory, e/both=1, e/yours=2, f=a directory, "
                        + "f/g=a directory, f/g/yours=2, mine=1, there=before}",
                tree(output));
        assertEquals("{both=1, d=a directory, d/there=1, there=1}", tree(one));
        assertEquals("{both=2, d=a directory, e=a directory, e/both=2}", tree(two));
    }

    private String tree(Path of) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        collect(of, "", tree);
        return tree.toString();
    }

    /** Hadoop's loop looks for each file whether one is in its place. */
    @Test
    void hadoops_commit_finds_nothing_to_move_where_all_files_stand_alone() throws IOException {
        assertTrue(looks(FileOutputCommitter::new, "hadoop") > FILES);
        assertTrue(looks(PathOutputCommitterFactory::createCommitter, "hmfs") < FILES);
    }

    /** The committer of a job by algorithm 1, one task of which has committed these files. */
    private FileOutputCommitter afterATask(Maker maker, Path output, Map<String, String> files) throws IOException {
        TaskAttemptContext attempt = attempt(conf(1), 0);
        FileOutputCommitter committer = (FileOutputCommitter) maker.make(output, attempt);
        committer.setupJob(attempt);
        committer.setupTask(attempt);
        writeAll(committer.getWorkPath(), files);
        committer.commitTask(attempt);
        return committer;
    }

    private long looks(Maker maker, String name) throws IOException {
        Path output = output(name);
        Map<String, String> files = new TreeMap<>();
        for (int i = 0; i < FILES; i++) {
            files.put("part-" + i, "" + i);
        }
        FileOutputCommitter committer = afterATask(maker, output, files);
        HmfsFileSystem counting = (HmfsFileSystem) output.getFileSystem(conf(1));
        long before = looks(counting);
        committer.commitJob(attempt(conf(1), 0));
        assertEquals(FILES + 1, fs.listStatus(output).length);
        return looks(counting) - before;
    }

    private static long looks(HmfsFileSystem files) {
        return Objects.requireNonNull(files.getIOStatistics().counters().get(StoreStatisticNames.OP_GET_FILE_STATUS));
    }

    /** A quota has room for a new file only when a directory has given way to another file. */
    @Test
    void hadoops_commit_goes_on_where_an_early_rename_fails() throws IOException {
        Path output = output("output");
        Path full = new Path(output, "d");
        writeAll(full, Map.of("a/x", "before", "a/y", "before"));
        fs.setQuota(full, 4, AS_IT_IS);
        FileOutputCommitter committer =
                afterATask(PathOutputCommitterFactory::createCommitter, output, Map.of("d/a", "1", "d/b", "1"));
        TaskAttemptContext attempt = attempt(conf(1), 0);
        try (EarlyRenames renames = new EarlyRenames((HmfsFileSystem) fs)) {
            List<Path> task = List.of(committer.getCommittedTaskPath(attempt));
            assertThrows(NSQuotaExceededException.class, () -> renames.merge(task, output));
        }
        committer.commitJob(attempt);
        assertEquals("{_SUCCESS=, d=a directory, d/a=1, d/b=1}", tree(output));
    }

    /** In the output it would stand for a task that was committed. */
    @Test
    void a_directory_of_a_task_that_is_called_as_that_of_the_tasks_is_left_behind() throws IOException {
        for (Maker maker : List.<Maker>of(FileOutputCommitter::new, PathOutputCommitterFactory::createCommitter)) {
            Path output = output("output");
            afterATask(maker, output, Map.of("_temporary/0/task/file", "1", "mine", "1"))
                    .commitJob(attempt(conf(1), 0));
            assertEquals("{_SUCCESS=, mine=1}", tree(output));
            fs.delete(output, true);
        }
    }

    @Test
    void a_request_that_fails_ends_the_early_renames() throws IOException {
        Path present = new Path(directory, "present");
        writeAll(present, Map.of("file", "1"));
        try (EarlyRenames renames = new EarlyRenames((HmfsFileSystem) fs)) {
            assertThrows(
                    FileNotFoundException.class,
                    () -> renames.merge(List.of(new Path(directory, "missing"), present), directory));
        }
        assertEquals("{file=1}", tree(present));
    }

    @Test
    void the_committer_is_that_of_the_output_s_filesystem_unless_a_job_asks_for_another() throws IOException {
        Path here = output("output");
        assertEquals(
                HmfsCommitter.class,
                PathOutputCommitterFactory.createCommitter(here, attempt(conf(1), 0))
                        .getClass());
        Path local = new Path("file:///tmp/output");
        assertEquals(
                FileOutputCommitter.class,
                PathOutputCommitterFactory.createCommitter(local, attempt(conf(1), 0))
                        .getClass());
        Configuration asking = conf(1);
        asking.set(PathOutputCommitterFactory.COMMITTER_FACTORY_CLASS, FileOutputCommitterFactory.class.getName());
        assertEquals(
                FileOutputCommitter.class,
                PathOutputCommitterFactory.createCommitter(here, attempt(asking, 0))
                        .getClass());
        Configuration ofScheme = conf(1);
        ofScheme.set("mapreduce.outputcommitter.factory.scheme.hmfs", NamedCommitterFactory.class.getName());
        ofScheme.set(PathOutputCommitterFactory.NAMED_COMMITTER_CLASS, FileOutputCommitter.class.getName());
        assertEquals(
                FileOutputCommitter.class,
                PathOutputCommitterFactory.createCommitter(here, attempt(ofScheme, 0))
                        .getClass());
    }
}
