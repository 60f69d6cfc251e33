package io.hmfs.core.pmem;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The other process of the tests: does one thing with a pool file, says so line by line, and waits to be killed. */
final class PoolFileChild {
    private PoolFileChild() {}

    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[1]);
        try {
            switch (args[0]) {
                case "create" ->
                    PoolFiles.create(path, Long.parseLong(args[2]), Backing.valueOf(args[3]), false)
                            .close();
                case "hold" -> hold(PoolFiles.open(path, Persistence.PROCESS, false));
                case "allocate" -> allocate(PoolFiles.open(path, Persistence.PROCESS, false));
                default -> throw new IllegalArgumentException(args[0]);
            }
            say("done");
        } catch (PoolException e) {
            say(e.reason() + " " + e.getMessage());
        }
    }

    private static void hold(PoolFile file) throws IOException {
        say("holds " + file.backing());
        while (System.in.read() >= 0) {
            // until the parent kills this process or closes the pipe
        }
    }

    private static void allocate(PoolFile file) throws PoolException {
        for (int index = 0; ; index++) {
            long at = file.regionAt(index);
            if (at == Pmem.NULL) {
                return;
            }
            stamp(file.pmem(), at, file.regionSize(), index);
            say(index + " " + at);
        }
    }

    static void stamp(Pmem pmem, long at, long size, int index) {
        pmem.set(at, index + 1000);
        pmem.set(at + size - 8, index + 2000);
    }

    static boolean isStamped(Pmem pmem, long at, long size, int index) {
        return pmem.get(at) == index + 1000 && pmem.get(at + size - 8) == index + 2000;
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Starts this class in another JVM of the same kind; {@code wrapper} goes before the command. */
    static Child start(List<String> wrapper, Map<String, String> environment, List<String> jvmArguments, String... args)
            throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx64m"));
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PoolFileChild.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        return new Child(process, process.inputReader());
    }

    static Child start(String... args) throws IOException {
        return start(List.of(), Map.of(), List.of(), args);
    }

    /** A running child; closing kills it as SIGKILL does. */
    record Child(Process process, BufferedReader output) implements AutoCloseable {
        String line() throws IOException {
            String line = output.readLine();
            if (line == null) {
                throw new IOException("the other process ended without a word");
            }
            return line;
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }
}
