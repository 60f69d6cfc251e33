package io.hmfs.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the system's groups come whole, and no user's name is taken for anything but a user's name.
 * Method: the real command for the user of this process; a script in its place that writes down what it was asked.
 */
class SystemGroupsTest {
    @TempDir
    private Path directory;

    private SystemGroups script(String body) throws IOException {
        Path file = directory.resolve("script");
        Files.writeString(file, body);
        return new SystemGroups("/bin/sh", file.toString());
    }

    @Test
    void theUserOfThisProcessHasGroups() throws IOException {
        String user = System.getProperty("user.name");
        assertTrue(!new SystemGroups().groupsOf(user).isEmpty(), user);
    }

    @Test
    void aUserThatIsNotKnownHasNone() throws IOException {
        assertEquals(List.of(), new SystemGroups().groupsOf("nobody-has-this-name"));
    }

    @Test
    void namesWithSpacesStayWholeAndNumbersAreNoNames() throws IOException {
        assertEquals(
                List.of("domain users", "bob"),
                script("printf 'domain users\\0001234\\000bob\\000'").groupsOf("bob"));
        assertEquals(List.of("bob"), script("printf 'bob\\0'; exit 1").groupsOf("bob"));
        assertEquals(List.of(), script("exit 1").groupsOf("bob"));
    }

    @Test
    void namesThatMeanSomethingElseAreNotAskedFor() throws IOException {
        Path asked = directory.resolve("asked");
        SystemGroups groups = script("echo \"$1\" >> " + asked + "; printf 'root\\0'");
        for (String user : new String[] {
            "0", "1000", "-a", "--help", "+0", " 0", "", "a b", "$(id)", "a;b", "a\nb", "jörg", "bob ", "*", "a/b"
        }) {
            assertEquals(List.of(), groups.groupsOf(user), user);
        }
        assertTrue(Files.notExists(asked));
        for (String user : new String[] {"bob", "DOM\\bob", "bob@example.org", "_apt", "machine$", "2bob"}) {
            assertEquals(List.of("root"), groups.groupsOf(user), user);
        }
    }
}
