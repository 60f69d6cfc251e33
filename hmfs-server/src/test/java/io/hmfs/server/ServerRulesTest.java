package io.hmfs.server;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: a request goes one way, from its frame to its reply: each package of the server uses only those below it, in the order of
 * docs/architecture.md, and no class depends on itself by way of others. Method: the compiled classes are read.
 */
class ServerRulesTest {
    private static final String ROOT = "io.hmfs.server";

    /** From the bottom; a package may use those that stand before it. */
    private static final List<String> LAYERS = List.of(
            "share",
            "protocol",
            "lock",
            "access",
            "metrics",
            "transport",
            "data",
            "path",
            "listing",
            "tree",
            "quota",
            "lease",
            "retry",
            "admission",
            "partition",
            "request",
            "op",
            "pipeline",
            "setting",
            "root",
            "admin");

    private static final Pattern PACKAGE_ROW = Pattern.compile("\\| (?:`\\.([a-z]+)`|(root)) \\|.*");

    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    /** A package stands with those inside it; the root without. */
    private static String packageOf(String layer) {
        return layer.equals("root") ? ROOT : ROOT + "." + layer + "..";
    }

    private static String[] above(int layer) {
        return LAYERS.subList(layer + 1, LAYERS.size()).toArray(String[]::new);
    }

    @Test
    void eachPackageUsesOnlyThoseBelowIt() {
        Architectures.LayeredArchitecture rule = layeredArchitecture().consideringOnlyDependenciesInLayers();
        for (String layer : LAYERS) {
            rule = rule.layer(layer).definedBy(packageOf(layer)); // fails if there is none
        }
        for (int i = 0; i < LAYERS.size(); i++) {
            rule = above(i).length == 0
                    ? rule.whereLayer(LAYERS.get(i)).mayNotBeAccessedByAnyLayer()
                    : rule.whereLayer(LAYERS.get(i)).mayOnlyBeAccessedByLayers(above(i));
        }
        rule.ensureAllClassesAreContainedInArchitecture().check(OURS);
    }

    @Test
    void thePackagesAreListedInTheArchitectureInThisOrder() throws IOException {
        List<String> listed = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
            inside = line.startsWith("Packages of hmfs-server") || (inside && !line.startsWith("Packages of"));
            Matcher row = PACKAGE_ROW.matcher(line);
            if (inside && row.matches()) {
                listed.add(0, row.group(1) == null ? row.group(2) : row.group(1));
            }
        }
        assertEquals(LAYERS, listed);
    }

    @Test
    void noClassDependsOnItselfByWayOfOthers() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                        JavaClass outermost = javaClass;
                        while (outermost.getEnclosingClass().isPresent()) {
                            outermost = outermost.getEnclosingClass().get();
                        }
                        String name = outermost.getPackageName();
                        boolean ours = name.startsWith(ROOT);
                        return ours ? SliceIdentifier.of(outermost.getName()) : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "classes with those that they enclose";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(OURS);
    }
}
