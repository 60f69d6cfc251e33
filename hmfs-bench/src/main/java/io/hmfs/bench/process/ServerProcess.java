package io.hmfs.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, started through {@code bin/hmfs server}. */
public final class ServerProcess {
    private static final Pattern ADDRESS = Pattern.compile("^ *address +hmfs://(\\S+):(\\d+)", Pattern.MULTILINE);
    /** The server is killed and the machine is not, and a temporary directory may be in memory. */
    public static final String PERSISTENCE = "process";

    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    private final Process process;
    private final String host;
    private final int port;

    private ServerProcess(Process process, String host, int port) {
        this.process = process;
        this.host = host;
        this.port = port;
    }

    /** Starts one with the builtin data store and waits until it has printed its address. Port 0 takes a free one. */
    public static ServerProcess start(Commands commands, Path pool, Path data, int port)
            throws IOException, InterruptedException, StepException {
        return start(commands, pool, port, "--data-directory", data.toString());
    }

    /** The same, with these flags of {@code hmfs server} that say where data goes. */
    public static ServerProcess start(Commands commands, Path pool, int port, String... store)
            throws IOException, InterruptedException, StepException {
        return start(commands, pool, PERSISTENCE, port, store);
    }

    /** The same in another mode, with the flags that it needs. */
    public static ServerProcess start(Commands commands, Path pool, String persistence, int port, String... store)
            throws IOException, InterruptedException, StepException {
        Path log = commands.log("server");
        long before = Files.exists(log) ? Files.size(log) : 0;
        List<String> arguments = new ArrayList<>(List.of("server", "--pool", pool.toString()));
        arguments.addAll(List.of(store));
        arguments.addAll(List.of("--persistence", persistence, "--host", "127.0.0.1", "--port", "" + port));
        Process process = commands.hmfs(arguments.toArray(new String[0]))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadline) {
            boolean alive = process.isAlive();
            Matcher matcher = ADDRESS.matcher(since(log, before));
            if (matcher.find()) {
                return new ServerProcess(process, matcher.group(1), Integer.parseInt(matcher.group(2)));
            }
            if (!alive) {
                throw new StepException("the server ended with exit code " + process.exitValue() + Commands.tail(log));
            }
            process.waitFor(20, TimeUnit.MILLISECONDS);
        }
        process.destroyForcibly();
        throw new StepException("the server printed no address within " + START_SECONDS + " s" + Commands.tail(log));
    }

    private static String since(Path log, long offset) throws IOException {
        byte[] all = Files.readAllBytes(log);
        int from = (int) Math.min(offset, all.length);
        return new String(all, from, all.length - from, StandardCharsets.UTF_8);
    }

    public String uri() {
        return "hmfs://" + address();
    }

    public String address() {
        return host + ":" + port;
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    /** SIGKILL: nothing of the server runs after it. */
    public void kill() throws InterruptedException, StepException {
        process.destroyForcibly();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw new StepException("the server is alive after SIGKILL");
        }
    }

    /** SIGTERM, and waits for the clean end. */
    public void stop() throws InterruptedException, StepException {
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new StepException("the server did not stop within " + STOP_SECONDS + " s of SIGTERM");
        }
        if (process.exitValue() != 0) {
            throw new StepException("the server ended with exit code " + process.exitValue() + " after SIGTERM");
        }
    }

    /** For the way out, whatever happened. */
    public void destroy() {
        process.destroyForcibly();
    }
}
