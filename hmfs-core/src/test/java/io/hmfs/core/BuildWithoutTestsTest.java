package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: a build without tests, such as the first bin/hmfs makes, works where no build has been before.
 * Method: the poms; a jar of test classes that another module asks for must be made without tests, too.
 */
class BuildWithoutTestsTest {
    private static final String GOAL = "<goal>test-jar</goal>";
    private static final String MADE = GOAL + "</goals><configuration><skip>false</skip></configuration>";

    private static List<Path> poms() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve("pom.xml"))
                    .filter(Files::exists)
                    .toList();
        }
    }

    @Test
    void jarsOfTestClassesAreMadeByABuildWithoutTests() throws IOException {
        int jars = 0;
        for (Path pom : poms()) {
            String text = Files.readString(pom).replaceAll("\\s", "");
            for (int at = text.indexOf(GOAL); at >= 0; at = text.indexOf(GOAL, at + 1)) {
                assertTrue(text.startsWith(MADE, at), pom + ": skip is not false");
                jars++;
            }
        }
        assertTrue(jars >= 2, jars + " jars");
    }
}
