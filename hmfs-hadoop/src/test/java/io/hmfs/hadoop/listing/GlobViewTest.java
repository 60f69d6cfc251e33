package io.hmfs.hadoop.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.NameFilter;
import io.hmfs.hadoop.CountingLine;
import io.hmfs.hadoop.ManyFiles;
import io.hmfs.hadoop.OwnDirectory;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: a glob has the results, the order and the errors of Hadoop's own Globber that asks for one thing after the
 * other, and far fewer waits. Method: random patterns over random trees, as the superuser and as a user that may not
 * read all of it, both ways: the plain one through a FilterFileSystem; and a line that holds replies back until
 * nothing more is asked.
 */
class GlobViewTest extends OwnDirectory {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int TREES = 4;
    private static final int PATTERNS = 400;
    private static final String[] PARTS = {
        "*", "?", "a", "b", "ab", "[ab]", "[^a]", "[a-c]", "{a,b}", "{a,ab*}", "a*", "*b", "\\a", "\\*", "\\{a", "?b",
        "*", "c"
    };
    private static final String[] NAMES = {"a", "b", "c", "ab", "bb", "abc", "*", "{a", "a b", "ä"};

    private static String shown(FileStatus @Nullable [] found) {
        return found == null
                ? "null"
                : String.join(
                        "\n", Arrays.stream(found).map(FileStatus::toString).toList());
    }

    /** What a glob gives, or what it fails with. */
    private static String outcome(FileSystem files, String pattern, @Nullable PathFilter filter) {
        try {
            Path path = new Path(pattern);
            return shown(filter == null ? files.globStatus(path) : files.globStatus(path, filter));
        } catch (IOException | RuntimeException e) {
            return e.toString();
        }
    }

    private List<Path> makeTree(Random random) throws IOException {
        List<Path> directories = new ArrayList<>(List.of(directory));
        for (int i = 0; i < 60; i++) {
            Path at = directories.get(random.nextInt(directories.size()));
            Path path = new Path(at, NAMES[random.nextInt(NAMES.length)]);
            if (fs.exists(path)) {
                continue;
            }
            if (random.nextBoolean()) {
                fs.mkdirs(path);
                directories.add(path);
            } else {
                fs.create(path).close();
            }
        }
        return directories;
    }

    private String pattern(Random random) {
        StringBuilder pattern = new StringBuilder();
        switch (random.nextInt(8)) {
            case 0 -> pattern.append("{").append(directory).append(",/nowhere}");
            case 1 ->
                pattern.append("{")
                        .append(directory)
                        .append("/a,")
                        .append(directory)
                        .append("/*}");
            case 2 ->
                pattern.append("hmfs://").append(fs.getUri().getAuthority()).append(directory);
            case 3 -> pattern.append("."); // the working directory
            default -> pattern.append(directory);
        }
        for (int depth = random.nextInt(5); depth > 0; depth--) {
            pattern.append('/').append(PARTS[random.nextInt(PARTS.length)]);
            if (random.nextInt(20) == 0) {
                pattern.append(random.nextBoolean() ? "/{a/b,*/c}" : "[{");
            }
        }
        return pattern.toString();
    }

    @Test
    void it_finds_what_Globber_alone_would_find() throws Exception {
        UserGroupInformation eve = UserGroupInformation.createUserForTesting("hmfs-eve", new String[0]);
        int found = 0;
        int failed = 0;
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", 3);
        try (FileSystem ofEve =
                eve.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.newInstance(fs.getUri(), conf))) {
            for (int tree = 0; tree < TREES; tree++) {
                Random random = new Random(SEED * 1_000 + tree);
                fs.delete(directory, true);
                fs.mkdirs(directory);
                List<Path> directories = makeTree(random);
                fs.setPermission(directory, new FsPermission((short) 0755));
                for (int i = 1; i < directories.size(); i += 6) {
                    fs.setPermission(directories.get(i), new FsPermission((short) (i % 4 == 3 ? 0711 : 0700)));
                }
                for (FileSystem files : List.of(fs, ofEve)) {
                    files.setWorkingDirectory(directory);
                    for (int i = 0; i < PATTERNS; i++) {
                        String pattern = pattern(random);
                        PathFilter filter =
                                random.nextInt(4) == 0 ? path -> !path.getName().startsWith("a") : null;
                        String plain = outcome(new FilterFileSystem(files), pattern, filter);
                        assertEquals(plain, outcome(files, pattern, filter), "seed " + SEED + ", " + pattern);
                        found += plain.contains("{path=") ? 1 : 0;
                        failed += plain.contains("Permission denied") ? 1 : 0;
                    }
                }
            }
        }
        assertTrue(found > PATTERNS && failed > 20, found + " found something, " + failed + " were refused");
        assertEquals("null", outcome(fs, directory + "/nothing", null));
        assertEquals("", outcome(fs, directory + "/nothing*", null));
        assertEquals(1, fs.globStatus(new Path("/")).length);
    }

    private int waits(String pattern, int results) throws IOException {
        try (CountingLine line = new CountingLine(fs.getUri(), true);
                FileSystem far = FileSystem.newInstance(line.uri(), new Configuration())) {
            int before = line.waits();
            FileStatus[] found = far.globStatus(new Path(pattern));
            assertEquals(results, found.length);
            assertTrue(line.mostAtOnce() <= 33, line.mostAtOnce() + " at once");
            return line.waits() - before;
        }
    }

    @Test
    void a_hundred_directories_are_a_few_waits() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            names.add("day=" + i + "/hour=1/f");
            names.add("day=" + i + "/hour=2/f");
            names.add("day=" + i + "/hour=2/g");
        }
        ManyFiles.make(fs, directory, names);
        for (String rest : List.of("*/*/*", "day*/hour=1/f", "*/hour={1,2}/f", "*/hour=1/*")) {
            int results = rest.equals("*/*/*") ? 300 : rest.startsWith("*/hour={") ? 200 : 100;
            int waits = waits(directory + "/" + rest, results);
            assertTrue(waits <= 25, waits + " waits for " + rest);
        }
        int waits = waits(directory + "/{day=1/*,day=2/*,day=3/hour=1,day=4/hour*,day=5/*,day=6/*/*}", 2 * 4 + 1 + 3);
        assertTrue(waits <= 6, waits + " waits for braces");
    }

    @Test
    void nothing_is_asked_twice_or_in_vain() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            names.add("d" + i + "/e/f");
        }
        ManyFiles.make(fs, directory, names);
        Path pattern = new Path(directory, "*/*/f");
        try (CountingLine line = new CountingLine(fs.getUri(), false);
                FileSystem files = FileSystem.newInstance(line.uri(), new Configuration())) {
            int before = line.looks();
            assertEquals(100, files.globStatus(pattern).length);
            assertEquals(1 + 100 + 100, line.looks() - before);
            before = line.looks();
            assertEquals(0, files.globStatus(new Path(directory, "*/none")).length);
            assertEquals(1 + 100, line.looks() - before, "what is not there is not there");
            before = line.looks();
            assertEquals(100, new FilterFileSystem(files).globStatus(pattern).length);
            assertEquals(1 + 3 * 100, line.looks() - before, "alone it looks again at a directory of one entry");
        }
    }

    @Test
    void the_server_leaves_out_names_that_begin_or_end_otherwise() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            names.add("part-" + i + ".parquet");
        }
        names.add("_SUCCESS");
        names.add("part-7.crc");
        ManyFiles.make(fs, directory, names);
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", 10);
        try (CountingLine line = new CountingLine(fs.getUri(), false);
                FileSystem files = FileSystem.newInstance(line.uri(), conf)) {
            for (String pattern : List.of("_*", "*.crc", "part-[0-9].crc", "{part,whole}-?.crc", "*ESS")) {
                int before = line.looks();
                assertEquals(1, files.globStatus(new Path(directory, pattern)).length, pattern);
                assertEquals(1, line.looks() - before, pattern);
            }
        }
    }

    @Test
    void what_is_fixed_of_a_pattern_is_what_stands_before_and_behind_all_that_is_not_plain() {
        assertEquals(new NameFilter("a", "b"), GlobView.fixedPart("a*b"));
        assertEquals(new NameFilter("a", "b"), GlobView.fixedPart("a?x[cd]{e,f}b"));
        assertEquals(new NameFilter("", "d"), GlobView.fixedPart("{ab,cb}d"));
        assertEquals(new NameFilter("a", "c"), GlobView.fixedPart("a\\*c"));
        assertEquals(new NameFilter("a", "bc"), GlobView.fixedPart("a*\\bc"));
        assertEquals(new NameFilter("a-", "-^,"), GlobView.fixedPart("a-*-^,"));
        assertEquals(NameFilter.NONE, GlobView.fixedPart("*"));
        assertEquals(NameFilter.NONE, GlobView.fixedPart("ä".repeat(128) + "*"), "longer than any name");
        assertEquals(new NameFilter("a", ""), GlobView.fixedPart("a\uFFFDb*"));
    }
}
