package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: the pages do not fall behind the code, and a name leads to one class. Method: the numbered steps of the engine's comments are compared
 * with those of docs/architecture.md, the decisions with their index, the names of all source files with each other and with the tests that pages name.
 */
final class DocsTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern STEP = Pattern.compile("\\[[a-z]+(?:\\.[a-z]+)?\\.(?:\\d+|finish|undo)\\]");
    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z0-9]*Test)`");
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

    @Test
    void everyTestThatAPageNamesIsThere() throws IOException {
        Set<String> told = new TreeSet<>();
        try (Stream<Path> pages = Files.walk(DOCS)) {
            for (Path page :
                    pages.filter(file -> String.valueOf(file).endsWith(".md")).toList()) {
                told.addAll(found(TEST, Files.readString(page), 1));
            }
        }
        assertTrue(told.size() > 100, "tests that pages name: " + told);
        Set<String> twice = new TreeSet<>();
        told.removeAll(sources(twice));
        assertEquals(Set.of(), told);
    }

    @Test
    void noTwoClassesHaveOneName() throws IOException {
        Set<String> twice = new TreeSet<>();
        Set<String> seen = sources(twice);
        assertTrue(seen.size() > 500, "source files found: " + seen.size());
        assertEquals(Set.of(), twice);
    }

    /** The names of all source files, without their ending; {@code twice} gets those that two have. */
    private static Set<String> sources(Set<String> twice) throws IOException {
        Set<String> seen = new TreeSet<>();
        for (Path module : List.of(
                Path.of("..", "hmfs-core"),
                Path.of("..", "hmfs-client"),
                Path.of("..", "hmfs-server"),
                Path.of("..", "hmfs-hadoop"),
                Path.of("..", "hmfs-flink"),
                Path.of("..", "hmfs-bench"),
                Path.of("..", "test", "jcstress"),
                Path.of("..", "test", "spark"),
                Path.of("..", "test", "trials"))) {
            try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                files.map(file -> String.valueOf(file.getFileName()))
                        .filter(name -> name.endsWith(".java") && !name.equals("package-info.java"))
                        .map(name -> name.substring(0, name.length() - ".java".length()))
                        .filter(name -> !seen.add(name))
                        .forEach(twice::add);
            }
        }
        return seen;
    }
}
