package io.hmfs.trials;

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

/** Goal: the packages and the classes of the trials form no circle, and the programs reach a server from outside. Method: ArchUnit over the compiled classes. */
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
                .resideInAnyPackage(
                        "io.hmfs.trials.acknowledged",
                        "io.hmfs.trials.contract",
                        "io.hmfs.trials.differ",
                        "io.hmfs.trials.quickstart",
                        "io.hmfs.trials.spark")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.hmfs.core..", "io.hmfs.server")
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
