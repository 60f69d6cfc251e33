package io.hmfs.hadoop;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: each package looks only at those below it, no classes are in a circle, and nothing here knows the wire, Netty
 * or the engine.
 * Method: the compiled classes are read.
 */
class ImportRulesTest {
    private static final String ROOT = "io.hmfs.hadoop";
    private static final JavaClasses OURS =
            new ClassFileImporter(List.of(new ImportOption.DoNotIncludeTests())).importPackages(ROOT);

    /** From the top down; two that stand in one line do not know each other. */
    private static final List<List<String>> LAYERS = List.of(
            List.of(ROOT + ".commit", ROOT + ".shell"),
            List.of(ROOT),
            List.of(ROOT + ".namespace"),
            List.of(ROOT + ".listing", ROOT + ".stream"),
            List.of(ROOT + ".attributes", ROOT + ".store", ROOT + ".statistics"),
            List.of(ROOT + ".link"));

    @Test
    void each_package_looks_down_only() {
        Set<String> notBelow = new HashSet<>();
        for (List<String> layer : LAYERS) {
            notBelow.addAll(layer);
            for (String each : layer) {
                Set<String> forbidden = new HashSet<>(notBelow);
                forbidden.remove(each);
                if (!forbidden.isEmpty()) {
                    noClasses()
                            .that()
                            .resideInAPackage(each)
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(forbidden.toArray(new String[0]))
                            .check(OURS);
                }
            }
        }
    }

    @Test
    void each_package_has_a_layer() {
        Set<String> packages = new HashSet<>();
        OURS.forEach(each -> packages.add(each.getPackageName()));
        Set<String> told = new HashSet<>();
        LAYERS.forEach(told::addAll);
        assertEquals(told, packages);
    }

    /** A nested class belongs to the class around it. */
    private static final SliceAssignment FILES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass one) {
            return one.getPackageName().startsWith(ROOT)
                    ? SliceIdentifier.of(one.getName().replaceFirst("\\$.*", ""))
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "files";
        }
    };

    @Test
    void no_classes_are_in_a_circle() {
        slices().assignedFrom(FILES).should().beFreeOfCycles().check(OURS);
    }

    /**
     * The line of docs/architecture.md that begins with HmfsFileSystem.create: each class calls the method after the
     * arrow.
     */
    @Test
    void the_way_of_a_create_is_as_it_is_told() throws IOException {
        String way = Files.readAllLines(Path.of("../docs/architecture.md")).stream()
                .filter(line -> line.startsWith("`HmfsFileSystem.create` →"))
                .findFirst()
                .orElseThrow();
        List<String> rooms = List.of(way.replace("`", "").split(" → ", -1));
        assertTrue(rooms.size() <= 4, way);
        for (int i = 1; i < rooms.size(); i++) {
            String caller = rooms.get(i - 1).replaceFirst("\\..*", "");
            String called = rooms.get(i);
            JavaClass from = OURS.stream()
                    .filter(each -> each.getSimpleName().equals(caller))
                    .findFirst()
                    .orElseThrow();
            assertTrue(
                    from.getMethodCallsFromSelf().stream()
                            .map(call -> call.getTargetOwner().getSimpleName() + "." + call.getName())
                            .anyMatch(called::equals),
                    caller + " does not call " + called);
        }
    }

    @Test
    void nothing_here_knows_the_wire_netty_the_engine_or_the_server() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.hmfs.wire..", "io.netty..", "io.hmfs.core..", "io.hmfs.server..")
                .check(OURS);
    }
}
