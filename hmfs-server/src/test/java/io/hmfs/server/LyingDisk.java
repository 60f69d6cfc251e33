package io.hmfs.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A disk that lies: a directory through a filesystem that fails on command ({@code native/lyingdisk/lying-disk.c}, which has all commands). It is a
 * process, and goes with this one, however that ends. Where it cannot be had the test is skipped and says why.
 *
 * <p>A server on it runs in a JVM of its own: a thread of this JVM that waits for a page of such a filesystem could not be stopped for a
 * collection.
 */
final class LyingDisk implements AutoCloseable {
    /** What an operation is to do in place of what it should. */
    static final String FLIP = "flip";

    static final String SHORT = "short";
    static final String LIE = "lie";
    static final String EIO = "5";
    static final String ENOSPC = "28";

    private static final Path FUSE = Path.of("/dev/fuse");

    private final Path path;
    private final Path backing;
    private final Process process;
    private final BufferedReader answers;

    private LyingDisk(Path path, Path backing, Process process) {
        this.path = path;
        this.backing = backing;
        this.process = process;
        this.answers = process.inputReader();
    }

    /** Mounts one in a directory; {@code seed}: of what it draws. */
    static LyingDisk mount(Path directory, long seed) throws IOException, InterruptedException {
        assumeTrue(Files.isWritable(FUSE), "a disk that lies needs " + FUSE);
        assumeTrue(
                System.getProperty("user.name").equals("root"),
                "a disk that lies needs root, also for a boot id of the server's own");
        Path program = Path.of("target", "lying-disk").toAbsolutePath();
        String obstacle = build(program);
        assumeTrue(obstacle.isEmpty(), obstacle);
        Path path = Files.createDirectories(directory.resolve("disk"));
        Path backing = Files.createDirectories(directory.resolve("disk.real"));
        Process process = new ProcessBuilder(program.toString(), backing.toString(), path.toString())
                .redirectError(directory.resolve("disk.err").toFile())
                .start();
        LyingDisk disk = new LyingDisk(path, backing, process);
        String mounted = disk.answers.readLine();
        assumeTrue(mounted != null, () -> "a disk that lies cannot be mounted here: " + disk.errors());
        disk.command("dice " + seed);
        return disk;
    }

    /** Once for all tests: they run in several JVMs. Returns why it cannot be done, or nothing. */
    private static String build(Path program) throws IOException, InterruptedException {
        Files.createDirectories(program.resolveSibling(""));
        try (FileChannel file = FileChannel.open(
                        program.resolveSibling("lying-disk.lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock _ = file.lock()) {
            Process build = new ProcessBuilder(
                            "sh", Path.of("..", "native", "build").toString(), "lying-disk", program.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            boolean hasNoHeaders = said.contains("libfuse3-dev");
            if (build.waitFor() != 0 && !hasNoHeaders) {
                throw new IOException("the disk that lies does not compile: " + said);
            }
            return said.strip();
        }
    }

    private String errors() {
        try {
            return Files.readString(path.resolveSibling("disk.err")).strip();
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** As programs see it. */
    Path path() {
        return path;
    }

    /** What it keeps, without its lies; what is changed there is lasting. */
    Path backing() {
        return backing;
    }

    /** What a command answers, without its "ok". */
    synchronized String command(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
        String answer = answers.readLine();
        if (answer == null || !answer.startsWith("ok")) {
            throw new IOException("the disk answers " + answer + " to '" + line + "': " + errors());
        }
        return answer.substring(2).strip();
    }

    /** So many of an operation on files of a pattern fail or lie, after so many that do not; {@code count} 0: all from there on. */
    void rule(String what, String operation, String pattern, int skip, int count) throws IOException {
        command(String.join(" ", List.of("rule", what, operation, pattern, "" + skip, "" + count)));
    }

    /** From now on it tells the truth. */
    void clear() throws IOException {
        command("clear");
    }

    /** After so many changes there are no more: each waits until the power is cut. */
    void freeze(int changes) throws IOException {
        command("freeze " + changes);
    }

    boolean isFrozen() throws IOException {
        return command("state").equals("frozen");
    }

    /** Of what was not synced some goes. What was on the machine was killed, and ends now. Returns what went, for people. */
    String cut(long seed) throws IOException {
        return command("cut " + seed);
    }

    /** The power is back. */
    void powerOn() throws IOException {
        command("on");
    }

    /** How often it has lied. */
    long lies() throws IOException {
        String[] words = command("stats").split(" ", -1);
        return Long.parseLong(words[words.length - 2]);
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close(); // it unmounts itself
        process.onExit().join();
    }
}
