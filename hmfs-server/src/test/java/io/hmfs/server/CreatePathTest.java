package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: a create passes the classes that docs/architecture.md lists, down to the compare-and-swap, and no way leads back.
 * Method: the calls in the compiled classes of the server and the engine.
 */
class CreatePathTest {
    private static final String SECTION = "### The way of a create in the server";
    private static final Pattern METHOD = Pattern.compile("`([A-Z][A-Za-z]+)\\.([a-z][A-Za-z0-9]*)`");
    private static final int CLASSES_MAX = 8;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hmfs.server", "io.hmfs.core");

    private record Room(String type, String method) {}

    /** Each is a room of the numbered steps; the last one is the compare-and-swap. */
    private static List<Room> documented() throws IOException {
        List<Room> rooms = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
            inside = line.equals(SECTION) || (inside && !line.startsWith("#"));
            boolean step = line.matches("[0-9]+\\. .*") || line.startsWith("   ");
            Matcher matcher = METHOD.matcher(line);
            while (inside && step && matcher.find()) {
                rooms.add(new Room(matcher.group(1), matcher.group(2)));
            }
        }
        return rooms;
    }

    private static JavaClass type(String name) {
        return CLASSES.stream()
                .filter(each -> each.getSimpleName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is no class"));
    }

    private static boolean calls(JavaClass caller, Room room) {
        JavaClass called = type(room.type);
        return caller.getMethodCallsFromSelf().stream()
                .filter(call -> call.getName().equals(room.method))
                .map(JavaMethodCall::getTargetOwner)
                .anyMatch(owner -> called.isAssignableTo(owner.getName()));
    }

    @Test
    void eachMethodIsCalledByOneBeforeIt() throws IOException {
        List<Room> rooms = documented();
        assertTrue(rooms.size() > 5, "rooms: " + rooms);
        assertEquals("cas16", rooms.getLast().method);
        for (int i = 1; i < rooms.size(); i++) {
            Room room = rooms.get(i);
            assertTrue(
                    rooms.subList(0, i).stream().anyMatch(before -> calls(type(before.type), room)),
                    room + " is called by none of " + rooms.subList(0, i));
        }
    }

    @Test
    void noClassKnowsOneBeforeIt() throws IOException {
        List<JavaClass> walk = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        documented().stream().map(Room::type).filter(names::add).forEach(name -> walk.add(type(name)));
        assertTrue(walk.size() - 1 <= CLASSES_MAX, "classes before the compare-and-swap: " + names);
        for (int i = 1; i < walk.size(); i++) {
            JavaClass later = walk.get(i);
            for (JavaClass before : walk.subList(0, i)) {
                assertTrue(
                        later.getDirectDependenciesFromSelf().stream()
                                .noneMatch(each -> each.getTargetClass().equals(before)),
                        later + " knows " + before);
            }
        }
    }
}
