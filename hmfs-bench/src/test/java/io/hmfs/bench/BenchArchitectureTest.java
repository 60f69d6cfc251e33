package io.hmfs.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Test;

/** Goal: the packages and the classes of the benchmarks form no circle, and their ground floor knows none of them. Method: ArchUnit over the compiled classes. */
final class BenchArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hmfs.bench");

    @Test
    void packagesFormNoCircle() {
        assertTrue(CLASSES.size() > 50, "classes: " + CLASSES.size());
        slices().matching("io.hmfs.bench.(*)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void benchmarksDoNotKnowTheCommandAboveThem() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.hmfs.bench")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.hmfs.bench")
                .check(CLASSES);
    }

    @Test
    void reportsAndPeersKnowNothingOfHmfs() {
        noClasses()
                .that()
                .resideInAnyPackage("io.hmfs.bench.report", "io.hmfs.bench.peer")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.hmfs.bench.load..",
                        "io.hmfs.bench.process..",
                        "io.hmfs.core..",
                        "io.hmfs.client..",
                        "io.hmfs.server..")
                .check(CLASSES);
    }

    @Test
    void noClassesStandInACircle() {
        slices().assignedFrom(new OutermostClasses()).should().beFreeOfCycles().check(CLASSES);
    }

    /** A class with all that is nested in it. */
    private static final class OutermostClasses implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass each) {
            String name = each.getName();
            int nested = name.indexOf('$');
            return SliceIdentifier.of(nested < 0 ? name : name.substring(0, nested));
        }

        @Override
        public String getDescription() {
            return "outermost classes";
        }
    }
}
