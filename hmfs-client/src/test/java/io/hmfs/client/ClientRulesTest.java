package io.hmfs.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Test;

/**
 * Goal: the client's packages use only those below them, its classes stand in no circle, and transports alone know sockets.
 * Method: ArchUnit over the compiled classes of this module.
 */
class ClientRulesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hmfs");

    @Test
    void packagesUseOnlyThoseBelowThem() {
        assertTrue(CLASSES.size() > 100, "classes: " + CLASSES.size());
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("gc")
                .definedBy("io.hmfs.client.gc")
                .layer("client")
                .definedBy("io.hmfs.client")
                .layer("authentication")
                .definedBy("io.hmfs.client.authentication")
                .layer("tcp")
                .definedBy("io.hmfs.client.transport.tcp")
                .layer("disni")
                .definedBy("io.hmfs.client.transport.rdma.disni..")
                .layer("rdma")
                .definedBy("io.hmfs.client.transport.rdma")
                .layer("transport")
                .definedBy("io.hmfs.client.transport")
                .layer("wire")
                .definedBy("io.hmfs.wire")
                .whereLayer("gc")
                .mayOnlyAccessLayers("client")
                .whereLayer("client")
                .mayOnlyAccessLayers("authentication", "tcp", "rdma", "disni", "transport", "wire")
                .whereLayer("authentication")
                .mayOnlyAccessLayers("wire")
                .whereLayer("tcp")
                .mayOnlyAccessLayers("transport", "wire")
                .whereLayer("disni")
                .mayOnlyAccessLayers("rdma")
                .whereLayer("rdma")
                .mayOnlyAccessLayers("transport", "wire")
                .whereLayer("transport")
                .mayOnlyAccessLayers("wire")
                .whereLayer("wire")
                .mayNotAccessAnyLayer()
                .ensureAllClassesAreContainedInArchitecture()
                .check(CLASSES);
    }

    @Test
    void noClassesStandInACircle() {
        slices().assignedFrom(new OutermostClasses()).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onePackageKnowsDisni() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.hmfs.client.transport.rdma.disni..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.ibm.disni..")
                .check(CLASSES);
    }

    @Test
    void transportsKnowSockets() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.hmfs.client.transport.tcp", "io.hmfs.client.transport.rdma..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty.bootstrap..",
                        "io.netty.channel..",
                        "io.netty.util..",
                        "java.net..",
                        "java.nio.channels..")
                .check(CLASSES);
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
