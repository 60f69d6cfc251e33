package io.hmfs.trials.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The jobs and benchmarks of {@code hadoop-mapreduce-client-jobclient}'s tests, with the local runner. */
final class MapReduceSuite {
    private static final String SUITE = "mapreduce";
    private static final String BENCHMARK = "org.apache.hadoop.hdfs.NNBenchWithoutMR";
    private static final String INPUT_OUTPUT = "org.apache.hadoop.fs.TestDFSIO";
    private static final String COUNT = "org.apache.hadoop.mapred.WordCount";
    private static final String TEXT = "org.apache.hadoop.mapreduce.RandomTextWriter";
    private static final String MANIFEST =
            "org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitter";
    private static final int LINES = 500;
    private static final int REDUCES = 3;
    private static final Pattern EXCEPTIONS = Pattern.compile("The job recorded (\\d+) exceptions");

    private final Cases cases;
    private final Hadoop hadoop;
    private final FileSystem files;

    MapReduceSuite(Cases cases, Hadoop hadoop, FileSystem files) {
        this.cases = cases;
        this.hadoop = hadoop;
        this.files = files;
    }

    void quick() throws InterruptedException {
        cases.run(SUITE, "word count, 3 inputs", () -> count(3, 1));
        cases.run(SUITE, "NNBenchWithoutMR, 100 files", () -> benchmark(100));
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "word count, 100 inputs, committer 1", () -> count(100, 1));
        cases.run(SUITE, "word count, 100 inputs, committer 2", () -> count(100, 2));
        cases.run(SUITE, "random text, manifest committer", this::manifest);
        cases.run(SUITE, "NNBenchWithoutMR, 2000 files", () -> benchmark(2000));
        for (String what : new String[] {"write", "read", "append", "truncate", "clean"}) {
            cases.run(SUITE, "TestDFSIO -" + what + ", 8 files", () -> inputOutput(what, 8, 16));
        }
    }

    /** Each word's number is known: line n of input i has the words of n and of i. */
    private String count(int inputs, int committer) throws Exception {
        Path top = new Path("/words" + inputs + "-" + committer);
        Map<String, Long> expected = new TreeMap<>();
        for (int i = 0; i < inputs; i++) {
            try (OutputStream out = files.create(new Path(top, "in/part-" + i))) {
                for (int line = 0; line < LINES; line++) {
                    String[] words = {"w" + line % 37, "input" + i, "x" + (line * 31 + i) % 211};
                    out.write((String.join(" ", words) + "\n").getBytes(StandardCharsets.UTF_8));
                    for (String word : words) {
                        expected.merge(word, 1L, Long::sum);
                    }
                }
            }
        }
        hadoop.run(
                "word-count-" + inputs + "-" + committer,
                COUNT,
                "-Dmapreduce.fileoutputcommitter.algorithm.version=" + committer,
                "-r",
                "" + REDUCES,
                top + "/in",
                top + "/out");
        Map<String, Long> counted = new TreeMap<>();
        int parts = 0;
        for (FileStatus each : files.listStatus(new Path(top, "out"))) {
            if (each.getPath().getName().startsWith("part-")) {
                parts++;
                read(each.getPath(), counted);
            } else {
                Cases.requireEqual("_SUCCESS", each.getPath().getName(), "left in the output");
            }
        }
        Cases.requireEqual(REDUCES, parts, "parts of the output");
        Cases.require(counted.equals(expected), "the words are counted wrongly");
        return "%,d words, %d distinct".formatted(3L * inputs * LINES, counted.size());
    }

    /** The committer that keeps lists of what tasks made, and compares lengths and etags at the end; {@code _SUCCESS} is its report. */
    private String manifest() throws Exception {
        Path out = new Path("/manifest");
        hadoop.run(
                "random-text",
                TEXT,
                "-Dmapreduce.outputcommitter.factory.scheme.hmfs=" + MANIFEST + "Factory",
                "-Dmapreduce.manifest.committer.validate.output=true",
                "-Dmapreduce.randomtextwriter.totalbytes=100000", // one task: the local runner has one for it in any
                // case
                "-Dmapreduce.randomtextwriter.bytespermap=100000",
                out.toString());
        int parts = 0;
        for (FileStatus each : files.listStatus(out)) {
            boolean isPart = each.getPath().getName().startsWith("part-");
            parts += isPart ? 1 : 0;
            Cases.require(isPart ? each.getLen() >= 100_000 : isReport(each.getPath()), "left: " + each);
        }
        Cases.requireEqual(1, parts, "parts of the output");
        return parts + " part, its length and etag compared";
    }

    private boolean isReport(Path file) throws IOException {
        try (InputStream in = files.open(file)) {
            String report = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return file.getName().equals("_SUCCESS")
                    && report.contains(MANIFEST)
                    && report.contains("\"success\" : true");
        }
    }

    private void read(Path part, Map<String, Long> counted) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(files.open(part), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int tab = line.indexOf('\t');
                counted.merge(line.substring(0, tab), Long.valueOf(line.substring(tab + 1)), Long::sum);
            }
        }
    }

    private String benchmark(int number) throws Exception {
        Path top = new Path("/benchmark" + number);
        for (String operation : new String[] {"createWrite", "openRead", "rename", "delete"}) {
            String printed = hadoop.run(
                    "nn-bench-" + number + "-" + operation,
                    BENCHMARK,
                    "-operation",
                    operation,
                    "-baseDir",
                    top.toString(),
                    "-startTime",
                    "" + System.currentTimeMillis() / 1000,
                    "-numFiles",
                    "" + number,
                    "-blocksPerFile",
                    "1",
                    "-bytesPerBlock",
                    "512",
                    "-bytesPerChecksum",
                    "512");
            Matcher exceptions = EXCEPTIONS.matcher(printed);
            Cases.require(exceptions.find(), operation + " did not come to its end");
            Cases.requireEqual("0", exceptions.group(1), "exceptions of " + operation);
            int left = operation.equals("delete") ? 0 : number;
            Cases.requireEqual(left, CopiedTree.digests(files, top).size(), "files after " + operation);
        }
        return number + " files created, read, renamed, deleted";
    }

    private String inputOutput(String what, int number, int megabytes) throws Exception {
        String data = "/benchmarks/TestDFSIO";
        hadoop.run(
                "dfsio-" + what,
                INPUT_OUTPUT,
                "-Dtest.build.data=" + data,
                "-" + what,
                "-nrFiles",
                "" + number,
                "-size",
                megabytes + "MB");
        long bytes = 0;
        Path top = new Path(data);
        if (files.exists(top)) {
            bytes = files.getContentSummary(new Path(top, "io_data")).getLength();
        }
        long expected = ((long) number * megabytes) << 20;
        switch (what) {
            case "append" -> expected *= 2;
            case "clean" -> expected = 0;
            default -> {}
        }
        Cases.requireEqual(expected, bytes, "bytes there");
        return "%,d bytes there".formatted(bytes);
    }
}
