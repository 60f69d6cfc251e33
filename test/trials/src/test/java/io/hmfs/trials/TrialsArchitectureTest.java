package io.hmfs.trials;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Goal: the packages of the trials form no circle, and the programs reach a server from outside. Method: ArchUnit over the compiled classes. */
final class TrialsArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hmfs.trials");

    @Test
    void packagesFormNoCircle() {
        assertTrue(CLASSES.size() > 30, "classes: " + CLASSES.size());
        slices().matching("io.hmfs.trials.(*)").should().beFreeOfCycles().check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage("io.hmfs.trials")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.hmfs.trials")
                .check(CLASSES);
    }

    @Test
    void programsReachAServerFromOutside() {
        noClasses()
                .that()
                .resideInAnyPackage("io.hmfs.trials.contract", "io.hmfs.trials.quickstart", "io.hmfs.trials.spark")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.hmfs.core..", "io.hmfs.server")
                .check(CLASSES);
    }
}
