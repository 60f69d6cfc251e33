package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * What HBase and Flink do with files whose writer is gone, by their own classes: HBase's recovery of a lease, Flink's recoverable writer. Flink's own
 * adapter takes addresses of HDFS only, which the programs' configuration maps onto HMFS; HMFS's plugin for Flink needs none of that.
 */
final class RecoverySuite {
    private static final String SUITE = "recovery";
    private static final String HBASE = "HBaseLease";
    private static final String FLINK = "FlinkWriter";
    private static final String VIEW = "viewfs://view";
    private static final int BUILD_SECONDS = 1200;
    /** What the directory of the plugin has beside HMFS's jars. */
    private static final Pattern IN_PLUGIN = Pattern.compile("(hadoop-client-|commons-logging-).*\\.jar");

    private final Cases cases;
    private final Commands commands;
    private final Path javaHome;
    private final FileSystem files;
    private final String uri;
    private final Path scratch;

    RecoverySuite(Cases cases, Commands commands, Path javaHome, FileSystem files, String uri, Path scratch) {
        this.cases = cases;
        this.commands = commands;
        this.javaHome = javaHome;
        this.files = files;
        this.uri = uri;
        this.scratch = scratch;
    }

    /** With one version of Hadoop's client; null: HMFS's. */
    void all(@Nullable String hadoop) throws Exception {
        Hadoop hbase = prepare("hbase", HBASE, hadoop);
        cases.run(SUITE, "HBase recovers a lease", () -> hbase(hbase));
        String mapped = "hdfs" + uri.substring(uri.indexOf(':'));
        Hadoop flink = prepare(
                "flink",
                FLINK,
                hadoop,
                "fs.hdfs.impl",
                "io.hmfs.hadoop.HdfsSchemeFileSystem",
                "fs.viewfs.mounttable.view.link./data",
                uri + "/recovery");
        files.mkdirs(path("/recovery"));
        cases.run(SUITE, "Flink commits over a restart, hdfs://", () -> commits(flink, mapped + "/recovery", "hdfs"));
        cases.run(SUITE, "Flink commits over a restart, viewfs://", () -> commits(flink, VIEW + "/data", "viewfs"));
        cases.run(SUITE, "Flink goes on with open files on HDFS only", () -> resumes(flink, mapped + "/recovery"));
        cases.run(SUITE, "Flink refuses hmfs://", () -> refuses(flink));
        cases.run(SUITE, "Flink with HMFS's plugin commits and goes on", () -> plugin(flink));
    }

    private Hadoop prepare(String part, String program, @Nullable String version, String... settings) throws Exception {
        Path directory = Files.createDirectory(scratch.resolve(part));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Hadoop client = Hadoop.prepare(commands, directory.resolve("hadoop"), javaHome, part, version);
        client.compile(classes, commands.home().resolve("test/trials/contract/recovery/" + program + ".java"));
        Hadoop with = client.with(classes.toString(), directory.resolve("program"));
        with.configure(uri, settings);
        return with;
    }

    private String hbase(Hadoop program) throws Exception {
        requireResult("closed=true fenced=true length=1000", program.run("hbase", HBASE, uri + "/hbase-log"));
        return "closed, its writer fenced, all flushed bytes there";
    }

    private String commits(Hadoop program, String directory, String name) throws Exception {
        String file = directory + "/" + name;
        String state = scratch.resolve(name + ".state").toString();
        requireResult("done", program.run("flink-write", FLINK, "write", file, state));
        Cases.require(!files.exists(path("/recovery/" + name)), "the file is there before its commit");
        requireResult("done", program.run("flink-commit", FLINK, "commit", file, state));
        requireContent("/recovery/" + name, "committed\n");
        return "there after the commit by another process, not before";
    }

    /** Flink's own check of the class of the filesystem. */
    private String resumes(Hadoop program, String directory) throws Exception {
        String file = directory + "/resumed";
        String state = scratch.resolve("resumed.state").toString();
        program.run("flink-begin", FLINK, "begin", file, state);
        requireResult("IllegalStateException", program.run("flink-resume", FLINK, "resume", file, state));
        return "refused by Flink: no DistributedFileSystem";
    }

    private String refuses(Hadoop program) throws Exception {
        String state = scratch.resolve("refused.state").toString();
        requireResult(
                "UnsupportedOperationException",
                program.run("flink-refused", FLINK, "write", uri + "/recovery/refused", state));
        return "only hdfs and viewfs";
    }

    /** As the page says: Flink without a Hadoop of its own, and a directory of plugins where it runs. */
    private String plugin(Hadoop program) throws Exception {
        Path plugins = Files.createDirectories(scratch.resolve("flink/program/plugins/hmfs"));
        List<String> own = new ArrayList<>();
        for (String each : program.classPath().split(":", -1)) {
            String file = Path.of(each).getFileName().toString();
            if (IN_PLUGIN.matcher(file).matches()) {
                Files.copy(Path.of(each), plugins.resolve(file));
            } else {
                own.add(each);
            }
        }
        String script = commands.home().resolve("bin/lib/flink-jar").toString();
        Path jar = Path.of(commands.run("flink-jar", commands.program(List.of(script)), BUILD_SECONDS)
                .strip());
        Files.copy(jar, plugins.resolve("hmfs-flink.jar"));
        Files.copy(program.plugin(), plugins.resolve("hmfs-hadoop.jar"));
        String path = String.join(":", own);

        String directory = uri + "/recovery/";
        String state = scratch.resolve("plugin.state").toString();
        for (String step : List.of("write", "commit")) {
            Cases.require(!files.exists(path("/recovery/plugin")), "the file is there before its commit");
            requireResult("done", program.runApart("plugin-" + step, path, FLINK, step, directory + "plugin", state));
        }
        requireContent("/recovery/plugin", "committed\n");
        program.runApart("plugin-begin", path, FLINK, "begin", directory + "resumed", state);
        requireResult("done", program.runApart("plugin-resume", path, FLINK, "resume", directory + "resumed", state));
        requireContent("/recovery/resumed", "kept\nmore\n");
        return "an open file cut to its checkpoint, and gone on with by another process";
    }

    private void requireContent(String name, String content) throws IOException, StepException {
        try (FSDataInputStream in = files.open(path(name))) {
            Cases.requireEqual(content, new String(in.readAllBytes(), StandardCharsets.US_ASCII), name);
        }
    }

    private static void requireResult(String result, String printed) throws StepException {
        String last = printed.lines()
                .filter(line -> line.startsWith("RESULT "))
                .findFirst()
                .orElse("RESULT of the program is missing");
        Cases.requireEqual("RESULT " + result, last, "it printed");
    }

    private static org.apache.hadoop.fs.Path path(String name) {
        return new org.apache.hadoop.fs.Path(name);
    }
}
