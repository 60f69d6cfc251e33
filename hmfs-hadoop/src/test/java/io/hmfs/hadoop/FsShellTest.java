package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.shell.ShellRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: Hadoop's shell works, command by command, with its usual output and exit codes.
 * Method: FsShell in this process with fs.defaultFS on the shared server; its output is captured.
 */
class FsShellTest {
    private final String directory = "/shell-" + System.nanoTime();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path local;

    private String output = "";

    @BeforeEach
    void makeDirectory() throws Exception {
        assertEquals(0, shell("-mkdir", "-p", directory));
    }

    @AfterEach
    void removeDirectory() throws Exception {
        shell("-rm", "-r", "-skipTrash", directory);
    }

    private int shell(String... arguments) throws Exception {
        Configuration conf = new Configuration();
        conf.set("fs.defaultFS", TestServerProcess.shared().uri().toString());
        conf.setInt("fs.trash.interval", 60);
        ShellRun run = ShellRun.of(new FsShell(), conf, arguments);
        output = run.output();
        return run.code();
    }

    private void succeeds(String... arguments) throws Exception {
        int code = shell(arguments);
        assertEquals(0, code, () -> String.join(" ", arguments) + ": " + output);
    }

    @Test
    void a_file_goes_up_and_comes_down_unchanged() throws Exception {
        byte[] data = OwnDirectory.bytes(1, 2_500_000);
        Path source = Files.write(local.resolve("source"), data);
        succeeds("-put", source.toString(), directory + "/file");
        succeeds("-get", directory + "/file", local.resolve("copy").toString());
        assertArrayEquals(data, Files.readAllBytes(local.resolve("copy")));
        succeeds("-ls", directory);
        assertTrue(output.contains("2500000") && output.contains(directory + "/file"), output);
        succeeds("-du", "-s", directory);
        assertTrue(output.startsWith("2500000"), output);
        succeeds("-count", directory);
        assertTrue(output.trim().matches("1\\s+1\\s+2500000\\s+.*"), output);
    }

    @Test
    void text_is_written_appended_and_shown() throws Exception {
        Path hello = Files.writeString(local.resolve("hello"), "hello\n");
        succeeds("-put", hello.toString(), directory + "/text");
        succeeds("-appendToFile", hello.toString(), directory + "/text");
        succeeds("-cat", directory + "/text");
        assertEquals("hello\nhello\n", output);
        succeeds("-text", directory + "/text");
        assertEquals("hello\nhello\n", output);
        succeeds("-tail", directory + "/text");
        assertEquals("hello\nhello\n", output);
        succeeds("-head", directory + "/text");
        assertEquals("hello\nhello\n", output);
        succeeds("-stat", "%n %b %F %a", directory + "/text");
        assertEquals("text 12 regular file 644\n", output);
        succeeds("-truncate", "5", directory + "/text");
        succeeds("-cat", directory + "/text");
        assertEquals("hello", output);
    }

    @Test
    void names_move_and_go_through_the_trash() throws Exception {
        succeeds("-touch", directory + "/a");
        succeeds("-touchz", directory + "/z");
        succeeds("-mv", directory + "/a", directory + "/b");
        assertEquals(1, shell("-test", "-e", directory + "/a"));
        succeeds("-test", "-e", directory + "/b");
        succeeds("-test", "-z", directory + "/b");
        succeeds("-test", "-d", directory);
        succeeds("-rm", directory + "/b");
        assertEquals(1, shell("-test", "-e", directory + "/b"));
        succeeds("-test", "-e", ".Trash/Current" + directory + "/b");
        succeeds("-mkdir", directory + "/sub");
        succeeds("-touchz", directory + "/sub/file");
        assertEquals(1, shell("-rm", directory + "/sub"));
        assertTrue(output.contains("Is a directory"), output);
        assertEquals(1, shell("-rmdir", directory + "/sub"));
        assertTrue(output.contains("Directory is not empty"), output);
        succeeds("-rm", "-r", "-skipTrash", directory + "/sub");
        succeeds("-cp", directory + "/z", directory + "/y");
        succeeds("-find", directory, "-name", "y");
        assertEquals(directory + "/y\n", output);
        succeeds("-expunge", "-immediate");
    }

    @Test
    void attributes_change() throws Exception {
        succeeds("-touchz", directory + "/f");
        succeeds("-chmod", "640", directory + "/f");
        succeeds("-chown", "alice:staff", directory + "/f");
        succeeds("-chgrp", "wheel", directory + "/f");
        succeeds("-ls", directory);
        assertTrue(output.contains("-rw-r-----") && output.contains("alice wheel"), output);
        succeeds("-chmod", "-R", "u+x,go-rwx", directory);
        succeeds("-stat", "%A", directory + "/f");
        assertEquals("rwx------\n", output);
        succeeds("-df", "/");
        assertTrue(output.contains("hmfs://"), output);
    }

    @Test
    void extended_attributes_are_set_and_shown() throws Exception {
        succeeds("-touchz", directory + "/f");
        succeeds("-setfattr", "-n", "user.colour", "-v", "green", directory + "/f");
        succeeds("-setfattr", "-n", "user.bytes", "-v", "0x00ff", directory + "/f");
        succeeds("-getfattr", "-n", "user.colour", directory + "/f");
        assertEquals("# file: " + directory + "/f\nuser.colour=\"green\"\n", output);
        succeeds("-getfattr", "-R", "-d", "-e", "hex", directory);
        assertTrue(output.contains("user.bytes=0x00ff") && output.contains("user.colour=0x677265656e"), output);
        succeeds("-cp", "-px", directory + "/f", directory + "/g");
        succeeds("-getfattr", "-n", "user.colour", directory + "/g");
        succeeds("-setfattr", "-x", "user.colour", directory + "/f");
        assertEquals(1, shell("-getfattr", "-n", "user.colour", directory + "/f"));
        assertTrue(output.contains("no extended attribute user.colour"), output);
        assertEquals(2, output.lines().count(), "the file, and why not: " + output);
        assertEquals(1, shell("-setfattr", "-n", "security.x", directory + "/f"));
        assertTrue(
                output.contains("User doesn't have permission")
                        && output.lines().count() == 1,
                output);
    }

    @Test
    void errors_are_one_line_and_exit_code_1() throws Exception {
        assertEquals(1, shell("-ls", directory + "/nothing"));
        assertEquals("ls: `" + directory + "/nothing': No such file or directory\n", output);
        assertEquals(1, shell("-cat", directory));
        assertEquals("cat: `" + directory + "': Is a directory\n", output);
        assertEquals(1, shell("-touchz", directory + "/" + "n".repeat(256)));
        assertTrue(output.contains("255 bytes") && output.lines().count() == 1, output);
        assertEquals(1, shell("-mkdir", directory));
        assertEquals("mkdir: `" + directory + "': File exists\n", output);
    }
}
