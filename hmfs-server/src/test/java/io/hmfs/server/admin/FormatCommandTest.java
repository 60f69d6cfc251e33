package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Goal: a log fits on a small disk, and help and refusals say by which settings.
 * Method: the command as a user runs it, with its output.
 */
class FormatCommandTest {
    private Path directory = Path.of("");
    private String out = "";
    private String err = "";

    @BeforeEach
    void make() throws IOException {
        // Not the directory for temporary files, which may be in memory.
        directory = Files.createTempDirectory(
                Files.createDirectories(Path.of("target")).toAbsolutePath(), "format-");
    }

    @AfterEach
    void remove() throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path each : walk.toList().reversed()) {
                Files.delete(each);
            }
        }
    }

    private int format(String... arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StringWriter errors = new StringWriter();
        CommandLine line = Main.commandLine();
        line.getSubcommands().values().forEach(each -> each.setErr(new PrintWriter(errors, true)));
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            return line.execute(Stream.concat(Stream.of("format", pool()), Stream.of(arguments))
                    .toArray(String[]::new));
        } finally {
            System.setOut(before);
            out = bytes.toString(StandardCharsets.UTF_8);
            err = errors.toString();
        }
    }

    private String pool() {
        return directory.resolve("p").toString();
    }

    @Test
    void aSmallLogIsMadeAndTheServerIsToldOfIt() {
        assertEquals(0, format("--size", "64M", "--persistence", "logged", "--log-max", "32M"), () -> err);
        assertTrue(out.endsWith("serve it: hmfs server --pool " + pool() + " --log-max 32M\n"), out);
    }

    @Test
    void whatDoesNotFitIsRefusedWithTheSettingsThatMakeItFit() {
        assertEquals(Cli.FAILURE, format("--size", "64M", "--persistence", "logged", "--log-max", "1T"));
        assertTrue(err.contains("--size") && err.contains("--log-max"), err);
        assertTrue(err.contains("log files of up to " + (1L << 40)), err); // what was asked for, not the default
        assertEquals(Cli.USAGE, format("--size", "64M", "--persistence", "logged", "--log-max", "31M"));
        assertTrue(err.contains("32M to 1T"), err);
    }

    @Test
    void theHelpTellsOfASmallDisk() {
        CommandLine format = Main.commandLine().getSubcommands().get("format");
        assertNotNull(format);
        String help = format.getUsageMessage();
        assertTrue(help.contains("--log-max") && help.contains("400M"), help);
    }
}
