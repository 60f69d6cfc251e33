package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: the pages do not fall behind the code. Method: the numbered steps of the engine's comments are compared with those of
 * docs/architecture.md, and the decisions with their index.
 */
final class DocsTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern STEP = Pattern.compile("\\[[a-z]+(?:\\.[a-z]+)?\\.(?:\\d+|finish|undo)\\]");
    private static final Pattern LISTED = Pattern.compile("\\]\\((\\d{4}-[a-z0-9-]+\\.md)\\)");

    private static Set<String> found(Pattern pattern, String text, int group) {
        Set<String> all = new TreeSet<>();
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            all.add(matcher.group(group));
        }
        return all;
    }

    @Test
    void everyNumberedStepIsInTheArchitectureAndNoOther() throws IOException {
        Set<String> steps = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                steps.addAll(found(STEP, Files.readString(source), 0));
            }
        }
        assertTrue(steps.size() > 40, "steps found in the code: " + steps);
        assertEquals(steps, found(STEP, Files.readString(DOCS.resolve("architecture.md")), 0));
    }

    @Test
    void everyDecisionIsInTheIndexAndNoOther() throws IOException {
        Set<String> pages = new TreeSet<>();
        try (Stream<Path> files = Files.list(DOCS.resolve("adr"))) {
            files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> !name.equals("README.md"))
                    .forEach(pages::add);
        }
        assertEquals(pages, found(LISTED, Files.readString(DOCS.resolve("adr").resolve("README.md")), 1));
    }
}
