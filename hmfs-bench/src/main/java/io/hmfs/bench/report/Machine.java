package io.hmfs.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The machine that a figure belongs to; says nothing about whose it is.
 *
 * @param cpu the processor's model
 * @param cores processors that the JVM may use
 * @param memoryBytes memory of the machine, 0 if unknown
 * @param jdk version of the Java runtime
 * @param kernel operating system and its version
 */
public record Machine(String cpu, int cores, long memoryBytes, String jdk, String kernel) {
    private static final String UNKNOWN = "unknown";

    /** The machine that this runs on. */
    public static Machine here() {
        return new Machine(
                field(Path.of("/proc/cpuinfo"), "model name"),
                Runtime.getRuntime().availableProcessors(),
                memoryBytes(field(Path.of("/proc/meminfo"), "MemTotal")),
                System.getProperty("java.vm.name", UNKNOWN) + " " + Runtime.version(),
                System.getProperty("os.name", UNKNOWN) + " " + System.getProperty("os.version", UNKNOWN));
    }

    /** The commit of the tree around the working directory or {@code hmfs.home}, marked if files differ from it. */
    public static String commit() {
        String tree = System.getProperty("hmfs.home", ".");
        try {
            Process git = new ProcessBuilder(
                            "git", "-C", tree, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 && !said.isEmpty() ? said : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }

    private static String field(Path file, String name) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    private static long memoryBytes(String meminfo) {
        String digits = meminfo.replaceAll("[^0-9]", "");
        return digits.isEmpty() ? 0 : Long.parseLong(digits) << 10; // the kernel says kB and means KiB
    }
}
