package io.hmfs.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.shell.CommandFactory;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what goes over many files at once leaves and prints the same as Hadoop's shell, which goes over one after the other.
 * Method: both shells on trees that are the same; filesystems that fail, or that wait for others to be at work.
 */
class HmfsShellTest {
    private static final int FILES = 30;

    @SuppressWarnings("NullAway.Init")
    private static TestServerProcess server;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path local;

    private final Configuration conf = new Configuration();
    private final String directory = "/shell-" + System.nanoTime();

    HmfsShellTest() {
        conf.set("fs.defaultFS", server.uri().toString());
        conf.setClass("fs.together.impl", Together.class, FileSystem.class);
        conf.setClass("fs.broken.impl", Broken.class, FileSystem.class);
    }

    @BeforeAll
    static void start() throws IOException {
        server = TestServerProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private FileSystem files() throws IOException {
        return FileSystem.get(conf);
    }

    private ShellRun ours(String... arguments) throws Exception {
        return ShellRun.of(new HmfsShell(), conf, arguments);
    }

    private String succeeds(String... arguments) throws Exception {
        ShellRun run = ours(arguments);
        assertEquals(0, run.code(), run.output());
        return run.output();
    }

    /** Files in directories in directories, each with content of its own. */
    private Path tree() throws IOException {
        Path top = local.resolve("tree");
        for (int i = 0; i < FILES; i++) {
            Path at = Files.createDirectories(top.resolve("d" + i % 7).resolve("e" + i % 3));
            Files.write(at.resolve("f" + i), OwnDirectory.bytes(i, i * 100));
        }
        return top;
    }

    private static void sameFiles(Path expected, Path found) throws IOException {
        try (var all = Files.walk(expected)) {
            List<Path> each = all.toList();
            for (Path one : each) {
                Path other = found.resolve(expected.relativize(one).toString());
                assertEquals(Files.isDirectory(one), Files.isDirectory(other), other.toString());
                if (!Files.isDirectory(one)) {
                    assertArrayEquals(Files.readAllBytes(one), Files.readAllBytes(other), other.toString());
                }
            }
            try (var there = Files.walk(found)) {
                assertEquals(
                        each.size(),
                        there.filter(path -> !path.getFileName().toString().endsWith(".crc"))
                                .count());
            }
        }
    }

    @Test
    void a_tree_goes_up_and_along_and_comes_down_unchanged() throws Exception {
        Path tree = tree();
        succeeds("-put", tree.toString(), directory);
        succeeds("-cp", directory, directory + "-copy");
        succeeds("-get", directory + "-copy", local.resolve("back").toString());
        sameFiles(tree, local.resolve("back"));
        assertEquals("", succeeds("-find", directory, "-name", "*_COPYING_"));
    }

    /** A file that comes into a directory gives it a time of its own, so that the time to be kept has to be set after all files. */
    @Test
    void attributes_of_directories_are_preserved() throws Exception {
        Path tree = tree();
        FileTime then = FileTime.fromMillis(1_000_000_000_000L);
        try (var all = Files.walk(tree)) {
            for (Path each : all.toList()) {
                Files.setLastModifiedTime(each, then);
            }
        }
        succeeds("-put", "-p", tree.toString(), directory);
        succeeds("-cp", "-pt", directory, directory + "-copy");
        succeeds(
                "-cp", "-pt", directory + "-copy", local.resolve("back").toUri().toString());
        for (String top : List.of(directory, directory + "-copy")) {
            String times = succeeds("-find", top);
            for (String each : times.split("\n", -1)) {
                if (!each.isEmpty()) {
                    FileStatus status = files().getFileStatus(new org.apache.hadoop.fs.Path(each));
                    assertEquals(then.toMillis(), status.getModificationTime(), each);
                }
            }
        }
        try (var all = Files.walk(local.resolve("back"))) {
            for (Path each :
                    all.filter(path -> !path.toString().endsWith(".crc")).toList()) {
                assertEquals(then, Files.getLastModifiedTime(each), each.toString());
            }
        }
    }

    @Test
    void of_two_files_for_one_place_the_second_is_refused_or_wins() throws Exception {
        Path one = Files.createDirectories(local.resolve("one"));
        Path two = Files.createDirectories(local.resolve("two"));
        List<String> sources = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            sources.add(Files.write(one.resolve("f" + i), OwnDirectory.bytes(i, 3000))
                    .toString());
            sources.add(Files.writeString(two.resolve("f" + i), "second").toString());
        }
        sources.add(directory);
        files().mkdirs(new org.apache.hadoop.fs.Path(directory));
        sources.add(0, "-put");
        ShellRun refused = ours(sources.toArray(new String[0]));
        assertEquals(1, refused.code());
        assertEquals(FILES, refused.output().split("File exists", -1).length - 1, refused.output());
        assertEquals(
                3000,
                files().getFileStatus(new org.apache.hadoop.fs.Path(directory, "f7"))
                        .getLen());
        sources.add(1, "-f");
        succeeds(sources.toArray(new String[0]));
        for (int i = 0; i < FILES; i++) {
            assertEquals("second", succeeds("-cat", directory + "/f" + i));
        }
    }

    /** A local filesystem on which something is done before each create. */
    public abstract static class Watched extends RawLocalFileSystem {
        abstract void before(org.apache.hadoop.fs.Path path) throws IOException;

        @Override
        public FSDataOutputStream create(
                org.apache.hadoop.fs.Path path,
                FsPermission permission,
                boolean overwrite,
                int bufferSize,
                short replication,
                long blockSize,
                Progressable progress)
                throws IOException {
            before(path);
            return super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
        }
    }

    /** Each create waits for so many others. */
    public static final class Together extends Watched {
        static final CyclicBarrier ALL = new CyclicBarrier(Copies.THREADS);

        @Override
        public URI getUri() {
            return URI.create("together:///");
        }

        @Override
        void before(org.apache.hadoop.fs.Path path) throws IOException {
            try {
                ALL.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IOException("alone", e);
            }
        }
    }

    /** Fails as a program does that has a defect. */
    public static final class Broken extends Watched {
        @Override
        public URI getUri() {
            return URI.create("broken:///");
        }

        @Override
        void before(org.apache.hadoop.fs.Path path) {
            if (path.getName().startsWith("f7")) {
                throw new IllegalStateException("planted");
            }
        }
    }

    @Test
    void so_many_files_are_under_way() throws Exception {
        Path many = Files.createDirectories(local.resolve("many"));
        for (int i = 0; i < 2 * Copies.THREADS; i++) {
            Files.writeString(many.resolve("f" + i), "x" + i);
        }
        succeeds("-put", many.toString(), "together://" + local.resolve("copy"));
        sameFiles(many, local.resolve("copy"));
    }

    @Test
    void an_unchecked_exception_of_a_copy_ends_the_command() throws Exception {
        ShellRun run = ours("-put", tree().toString(), "broken://" + local.resolve("copy"));
        assertTrue(run.code() != 0, run.output());
        assertTrue(run.output().contains("planted"), run.output());
    }

    @Test
    void options_are_hadoops() throws Exception {
        Path tree = tree();
        succeeds("-put", "-t", "1", tree.toString(), directory);
        succeeds("-put", "-t", "3", "-q", "2", "-d", tree.toString(), directory + "-direct");
        succeeds("-get", "-t", "0", directory + "-direct", local.resolve("back").toString());
        sameFiles(tree, local.resolve("back"));
        ShellRun noNumber = ours("-put", "-t", "many", tree.toString(), directory + "-2");
        assertTrue(noNumber.output().contains("-t needs a number, not \"many\""), noNumber.output());
        assertTrue(succeeds("-help", "put").contains("default is " + Copies.THREADS + "."));
        assertTrue(succeeds("-help", "put").matches("(?s).*default is\\s+1024\\..*"));
    }

    /** A tree with links and rights of all kinds; equal for equal seeds. */
    private void make(String top, long seed) throws IOException {
        FileSystem.enableSymlinks();
        Random random = new Random(seed);
        FileSystem files = files();
        for (int i = 0; i < FILES; i++) {
            org.apache.hadoop.fs.Path at = new org.apache.hadoop.fs.Path(top, "d" + i % 5 + "/e" + i % 2 + "/f" + i);
            files.create(at).close();
            files.setPermission(at, new FsPermission((short) random.nextInt(01000)));
            files.setOwner(at, random.nextBoolean() ? "alice" : "bob", random.nextBoolean() ? "staff" : "wheel");
        }
        for (FileStatus each : files.listStatus(new org.apache.hadoop.fs.Path(top))) {
            files.setOwner(each.getPath(), "alice", null);
            files.setOwner(new org.apache.hadoop.fs.Path(each.getPath(), "e0"), "alice", null);
            files.setOwner(new org.apache.hadoop.fs.Path(each.getPath(), "e1"), "bob", null);
        }
        files.setOwner(new org.apache.hadoop.fs.Path(top), "alice", null);
        files.createSymlink(
                new org.apache.hadoop.fs.Path("e0/f0"), new org.apache.hadoop.fs.Path(top, "d0/link"), false);
        files.createSymlink(
                new org.apache.hadoop.fs.Path("e1/f1"), new org.apache.hadoop.fs.Path(top, "d1/a-link"), false);
    }

    /** Both shells do the same to two trees; what they print and leave has to be the same. */
    private int compare(UserGroupInformation user, String... command) throws Exception {
        List<String> results = new ArrayList<>();
        int code = 0;
        for (Tool shell : List.of(new HmfsShell(), new FsShell())) {
            String top = directory + "-" + shell.getClass().getSimpleName();
            files().delete(new org.apache.hadoop.fs.Path(top), true);
            make(top, 7);
            String[] arguments = Arrays.copyOf(command, command.length + 1);
            arguments[command.length] = top;
            ShellRun run = user.doAs((PrivilegedExceptionAction<ShellRun>) () -> ShellRun.of(shell, conf, arguments));
            List<String> lines = new ArrayList<>(List.of((run.output() + listing(top)).split("\n", -1)));
            lines.replaceAll(line -> line.replace(top, "TOP").replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d", "TIME"));
            code = run.code();
            results.add(code + "\n" + String.join("\n", lines));
        }
        assertEquals(results.get(1), results.get(0), String.join(" ", command));
        return code;
    }

    private String listing(String top) throws Exception {
        return ShellRun.of(new FsShell(), conf, "-ls", "-R", top).output();
    }

    @Test
    void rights_and_owners_of_a_tree_change_as_with_hadoops_shell() throws Exception {
        UserGroupInformation superuser = UserGroupInformation.getCurrentUser();
        for (String mode : List.of("750", "1777", "a-x,+X", "u+rwX,g=rX,o-rwx", "go-w", "a=r", "u=X,g+X")) {
            assertEquals(0, compare(superuser, "-chmod", "-R", mode));
        }
        assertEquals(0, compare(superuser, "-chown", "-R", "alice:staff"));
        assertEquals(0, compare(superuser, "-chown", "-R", "carol"));
        assertEquals(0, compare(superuser, "-chgrp", "-R", "wheel"));
        assertEquals(0, compare(superuser, "-chmod", "640"));
    }

    /** Changed through the link first, and then by its own name, it has other rights than the other way round. */
    @Test
    void a_link_before_its_file_is_followed_before() throws Exception {
        for (Tool shell : List.of(new HmfsShell(), new FsShell())) {
            FileSystem.enableSymlinks();
            org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(directory, "z");
            files().create(file).close();
            files().setPermission(file, new FsPermission((short) 0666));
            org.apache.hadoop.fs.Path link = new org.apache.hadoop.fs.Path(directory, "a-link");
            files().createSymlink(new org.apache.hadoop.fs.Path("z"), link, false);
            assertEquals(
                    0,
                    ShellRun.of(shell, conf, "-chmod", "-R", "go-rwx", directory)
                            .code());
            assertEquals(0600, files().getFileStatus(file).getPermission().toShort());
            files().delete(new org.apache.hadoop.fs.Path(directory), true);
        }
    }

    @Test
    void more_changes_than_may_be_under_way() throws Exception {
        int many = 2 * PermissionCommands.CHANGES_MAX;
        Path source = Files.createDirectories(local.resolve("many"));
        for (int i = 0; i < many; i++) {
            Files.createFile(source.resolve("f" + i));
        }
        succeeds("-put", "-d", source.toString(), directory);
        succeeds("-chmod", "-R", "640", directory);
        succeeds("-chown", "-R", "alice:staff", directory);
        FileStatus[] found = files().listStatus(new org.apache.hadoop.fs.Path(directory));
        assertEquals(many, found.length);
        for (FileStatus each : found) {
            assertEquals(
                    "640 alice staff",
                    Integer.toOctalString(each.getPermission().toShort()) + " " + each.getOwner() + " "
                            + each.getGroup());
        }
    }

    @Test
    void the_commands_are_these() {
        CommandFactory commands = new CommandFactory(conf);
        new HmfsShell().registerCommands(commands);
        Map<String, Class<?>> ours = Map.of(
                "-put", Copies.Put.class,
                "-copyFromLocal", Copies.Put.class,
                "-get", Copies.Get.class,
                "-copyToLocal", Copies.Get.class,
                "-cp", Copies.Cp.class,
                "-chmod", PermissionCommands.Chmod.class,
                "-chown", PermissionCommands.Chown.class,
                "-chgrp", PermissionCommands.Chgrp.class);
        ours.forEach(
                (name, type) -> assertEquals(type, commands.getInstance(name).getClass()));
    }

    /** A file of an earlier copy that was killed has the name of the temporary file of another. */
    @Test
    void files_with_the_names_of_temporary_files_are_copied_too() throws Exception {
        Path source = Files.createDirectories(local.resolve("left"));
        for (int i = 0; i < FILES; i++) {
            Files.write(source.resolve("f" + i), OwnDirectory.bytes(i, 20_000));
            Files.writeString(source.resolve("f" + i + "._COPYING_"), "left");
        }
        files().mkdirs(new org.apache.hadoop.fs.Path(directory));
        try (var names = Files.list(source)) {
            List<String> arguments =
                    new ArrayList<>(names.map(Path::toString).sorted().toList());
            arguments.add(0, "-put");
            arguments.add(directory);
            succeeds(arguments.toArray(new String[0]));
        }
        succeeds("-get", directory, local.resolve("back").toString());
        sameFiles(source, local.resolve("back"));
    }

    /** Then the temporary file of the other takes its place, as with Hadoop's shell. */
    @Test
    void what_is_named_like_a_temporary_file_may_come_first() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-put"));
        for (int i = 0; i < FILES; i++) {
            arguments.add(Files.write(local.resolve("f" + i + "._COPYING_"), OwnDirectory.bytes(i, 300_000))
                    .toString());
            arguments.add(
                    Files.writeString(local.resolve("f" + i), "right " + i).toString());
        }
        arguments.add(directory);
        files().mkdirs(new org.apache.hadoop.fs.Path(directory));
        succeeds(arguments.toArray(new String[0]));
        for (int i = 0; i < FILES; i++) {
            assertEquals("right " + i, succeeds("-cat", directory + "/f" + i));
        }
    }

    @Test
    void errors_are_in_the_order_of_the_arguments() throws Exception {
        files().mkdirs(new org.apache.hadoop.fs.Path(directory));
        List<String> arguments = new ArrayList<>(List.of("-put"));
        for (int i = 0; i < FILES; i++) {
            arguments.add(Files.writeString(local.resolve("f" + i), "x").toString());
            arguments.add(local.resolve("nothing" + i).toString());
        }
        arguments.add(directory);
        String[] command = arguments.toArray(new String[0]);
        assertEquals(1, ours(command).code()); // all are there now
        ShellRun hadoops = ShellRun.of(new FsShell(), conf, command);
        assertEquals(hadoops, ours(command));
        assertEquals(2 * FILES, hadoops.output().lines().count());
    }

    /** The second argument is a directory into which the first one copies. */
    @Test
    void a_directory_is_listed_when_the_copies_into_it_are_there() throws Exception {
        Path sub = Files.createDirectories(local.resolve("sub"));
        Path copy = Files.createDirectories(sub.resolve("copy"));
        for (int i = 0; i < 200; i++) {
            Files.writeString(copy.resolve("f" + i), "x" + i);
        }
        files().mkdirs(new org.apache.hadoop.fs.Path(directory + "/sub/copy"));
        succeeds("-cp", sub.toUri().toString(), directory + "/sub/copy", directory);
        succeeds("-get", directory + "/copy", local.resolve("back").toString());
        sameFiles(copy, local.resolve("back"));
    }

    @Test
    void what_is_refused_is_told_as_by_hadoops_shell() throws Exception {
        UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");
        assertEquals(1, compare(alice, "-chmod", "-R", "u+x"));
        assertEquals(1, compare(alice, "-chmod", "-R", "g+w"));
        assertEquals(1, compare(alice, "-chown", "-R", "bob"));
        assertEquals(1, compare(alice, "-chgrp", "-R", "nobody"));
    }
}
