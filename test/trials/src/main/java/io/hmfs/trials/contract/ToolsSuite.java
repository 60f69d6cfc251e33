package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;

/** The command lines of Avro, ORC and Parquet as their makers ship them: each writes a file of its format, and reads it back in another process. */
final class ToolsSuite {
    private static final String SUITE = "tools";
    private static final int ROWS = 1000;

    private final Cases cases;
    private final Commands commands;
    private final Path javaHome;
    private final FileSystem files;
    private final String uri;
    private final Path scratch;

    /** What one program does. */
    private interface Use {
        String of(Hadoop program) throws Exception;
    }

    ToolsSuite(Cases cases, Commands commands, Path javaHome, FileSystem files, String uri, Path scratch) {
        this.cases = cases;
        this.commands = commands;
        this.javaHome = javaHome;
        this.files = files;
        this.uri = uri;
        this.scratch = scratch;
    }

    void all() throws Exception {
        tool("avro-tools", "random, concat, count and tojson", this::avro);
        tool("orc-tools", "convert, count, meta and data", this::orc);
        tool("parquet-cli", "convert-csv, meta and cat", this::parquet);
    }

    private void tool(String part, String what, Use use) throws Exception {
        Hadoop program = Hadoop.prepare(commands, scratch.resolve(part), javaHome, part, null);
        String hadoop = program.version();
        if (Hadoop.leftOut(SUITE, part, hadoop, javaHome)) {
            return;
        }
        program.configure(uri);
        cases.run(SUITE, part + " with Hadoop " + hadoop + ": " + what, () -> use.of(program));
    }

    private String avro(Hadoop program) throws Exception {
        String main = "org.apache.avro.tool.Main";
        String random = uri + "/tools/random.avro";
        String both = uri + "/tools/both.avro";
        files.mkdirs(path("/tools"));
        program.run("avro-random", main, "random", "--count", "" + ROWS, "--schema", "\"long\"", random);
        program.run("avro-concat", main, "concat", random, random, both);
        requireMagic("/tools/both.avro", "Obj");
        requireLine("" + 2 * ROWS, program.run("avro-count", main, "count", both));
        long numbers = program.run("avro-tojson", main, "tojson", both)
                .lines()
                .filter(line -> line.matches("-?\\d+"))
                .count();
        Cases.requireEqual(2L * ROWS, numbers, "numbers of tojson");
        return numbers + " numbers";
    }

    private String orc(Hadoop program) throws Exception {
        String main = "org.apache.orc.tools.Driver";
        String rows = rows("/tools/rows.json", "{\"n\": %1$d, \"name\": \"row %1$d\"}");
        String table = uri + "/tools/rows.orc";
        program.run("orc-convert", main, "convert", rows, "-o", table);
        requireMagic("/tools/rows.orc", "ORC");
        requireContains(table + " " + ROWS, program.run("orc-count", main, "count", table));
        requireContains("Rows: " + ROWS, program.run("orc-meta", main, "meta", table));
        requireLine("{\"n\":999,\"name\":\"row 999\"}", program.run("orc-data", main, "data", table));
        return ROWS + " rows";
    }

    private String parquet(Hadoop program) throws Exception {
        String main = "org.apache.parquet.cli.Main";
        String rows = rows("/tools/rows.csv", "%1$d,row %1$d");
        String table = uri + "/tools/rows.parquet";
        program.run("parquet-convert", main, "convert-csv", rows, "-o", table, "--header", "n,name");
        requireMagic("/tools/rows.parquet", "PAR1");
        requireContains("count: " + ROWS, program.run("parquet-meta", main, "meta", table));
        requireContains("row 999", program.run("parquet-cat", main, "cat", "-n", "" + ROWS, table));
        return ROWS + " rows";
    }

    /** A text of so many lines, by HMFS's client; returns its address. */
    private String rows(String name, String line) throws IOException {
        try (FSDataOutputStream out = files.create(path(name))) {
            for (String each : IntStream.range(0, ROWS)
                    .mapToObj(i -> line.formatted(i) + "\n")
                    .toList()) {
                out.write(each.getBytes(StandardCharsets.UTF_8));
            }
        }
        return uri + name;
    }

    private void requireMagic(String name, String magic) throws IOException, StepException {
        byte[] first = new byte[magic.length()];
        try (FSDataInputStream in = files.open(path(name))) {
            in.readFully(0, first);
        }
        Cases.requireEqual(magic, new String(first, StandardCharsets.US_ASCII), "the first bytes of " + name);
    }

    private static void requireLine(String line, String printed) throws StepException {
        Cases.require(printed.lines().anyMatch(line::equals), "no line " + line + " in: " + last(printed));
    }

    private static void requireContains(String what, String printed) throws StepException {
        Cases.require(printed.contains(what), "no '" + what + "' in: " + last(printed));
    }

    private static String last(String printed) {
        return printed.substring(Math.max(0, printed.length() - 500));
    }

    private static org.apache.hadoop.fs.Path path(String name) {
        return new org.apache.hadoop.fs.Path(name);
    }
}
