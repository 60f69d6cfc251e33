package io.hmfs.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A JVM with known flags and this class path, so that a figure does not depend on how the launcher was started. Reads commands on
 * standard input and answers on standard output, one line each; ends when its input does.
 */
public final class ChildJvm implements AutoCloseable {
    private static final long END_SECONDS = 30;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;
    private final Class<?> main;

    private ChildJvm(Process process, Class<?> main) {
        this.process = process;
        this.main = main;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts a main class; what it says on standard error shows on ours. */
    public static ChildJvm start(Class<?> main, List<String> flags, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse(System.getProperty("java.home") + "/bin/java"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new ChildJvm(process, main);
    }

    /** The next line, or null when the child has ended well; a child that failed is an IOException. */
    @Nullable
    public String readLine() throws IOException {
        String line = out.readLine();
        if (line == null) {
            int code = exitCode();
            if (code != 0) {
                throw new IOException(
                        main.getSimpleName() + " failed with exit code " + code + "; its message is above");
            }
        }
        return line;
    }

    /** Sends one line and waits for the answer. */
    String ask(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
        return answer();
    }

    /** The next line of a child that must have one. */
    public String answer() throws IOException {
        String line = readLine();
        if (line == null) {
            throw new IOException(main.getSimpleName() + " ended too early");
        }
        return line;
    }

    /** Nanoseconds for which its threads have run, in steps of the system's clock, mostly of 10 ms; 0 where the system does not tell. */
    public long processorNanos() {
        return process.toHandle()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }

    long pid() {
        return process.pid();
    }

    /** Ends it with SIGKILL, whatever it does, and waits until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private int exitCode() throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + main.getSimpleName(), e);
        }
    }

    /** Ends its input and waits until it has ended. */
    @Override
    public void close() {
        try (out) {
            in.close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
