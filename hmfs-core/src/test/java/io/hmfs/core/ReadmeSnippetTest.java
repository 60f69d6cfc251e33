package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a reader that copies the embedding example from README.md has a program that compiles and prints what the page says. Method: the
 * page's only Java block is compiled with all lints and run in a JVM of its own; its coordinates are compared with the pom.
 */
final class ReadmeSnippetTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("public class (\\w+)");
    private static final Pattern PRINTS = Pattern.compile("It prints `([^`]+)`");

    @TempDir
    Path directory;

    private static String only(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertTrue(matcher.find(), pattern + " is not in README.md");
        String found = matcher.group(1);
        assertTrue(!matcher.find(), pattern + " is in README.md twice");
        return found;
    }

    @Test
    void theEmbeddingExampleCompilesAndPrintsWhatThePageSays() throws IOException, InterruptedException {
        String readme = Files.readString(README);
        String source = only(JAVA, readme);
        String type = only(CLASS, source);
        Path file = Files.writeString(directory.resolve(type + ".java"), source);
        compile(file);

        Process run = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        directory + ":" + mainClasses(),
                        type,
                        directory.resolve("pool").toString())
                .redirectErrorStream(true)
                .start();
        run.getOutputStream().close();
        try (InputStreamReader reader = new InputStreamReader(run.getInputStream(), StandardCharsets.UTF_8)) {
            assertEquals(only(PRINTS, readme) + "\n", reader.readAllAsString());
        }
        assertEquals(0, run.waitFor());
    }

    private void compile(Path file) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertNotNull(compiler, "the tests run on a JDK");
        StringWriter said = new StringWriter();
        List<String> options =
                List.of("-d", directory.toString(), "-cp", mainClasses(), "-Xlint:all,-classfile,-path", "-Werror");
        boolean compiled = compiler.getTask(
                        said,
                        null,
                        null,
                        options,
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(file))
                .call();
        assertTrue(compiled, said.toString());
    }

    private static String mainClasses() {
        return Path.of("target", "classes").toAbsolutePath().toString();
    }

    @Test
    void theCoordinatesAreThoseOfThisModule() throws IOException {
        String readme = Files.readString(README);
        String pom = Files.readString(Path.of("pom.xml"));
        for (String tag : List.of("groupId", "version")) {
            Pattern pattern = Pattern.compile("<" + tag + ">([^<]+)</" + tag + ">");
            Matcher ours = pattern.matcher(pom);
            assertTrue(ours.find());
            assertEquals(ours.group(1), only(pattern, readme));
        }
        assertEquals("hmfs-core", only(Pattern.compile("<artifactId>([^<]+)</artifactId>"), readme));
    }
}
