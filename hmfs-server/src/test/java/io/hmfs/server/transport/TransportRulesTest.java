package io.hmfs.server.transport;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
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

/**
 * Goal: another transport is one package. Method: the compiled classes are read: the flow knows no channels of Netty
 * and no requests, and a transport knows the flow alone.
 */
class TransportRulesTest {
    private static final String FLOW = "io.hmfs.server.transport";
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hmfs.server");

    @Test
    void theFlowImportsNettysBuffersAndNothingElseOfIt() {
        assertTrue(OURS.containPackage(FLOW + ".netty") && OURS.containPackage(FLOW + ".rdma"));
        classes()
                .that()
                .resideInAPackage(FLOW)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        FLOW,
                        "io.hmfs.server.metrics",
                        "io.hmfs.server.share",
                        "io.hmfs.wire",
                        "io.hmfs.client",
                        "io.netty.buffer",
                        "org.jspecify.annotations",
                        "java..")
                .check(OURS);
    }

    @Test
    void aTransportImportsTheFlowAndNothingElseOfTheServer() {
        noClasses()
                .that()
                .resideInAPackage(FLOW + ".*")
                .should()
                .dependOnClassesThat(resideInAPackage("io.hmfs..")
                        .and(resideOutsideOfPackages(
                                FLOW, FLOW + ".netty", FLOW + ".rdma", "io.hmfs.client.transport.rdma")))
                .check(OURS);
    }

    @Test
    void noClassDependsOnItselfByWayOfOthers() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        String name = type.getName();
                        int nested = name.indexOf('$');
                        return name.startsWith(FLOW + ".")
                                ? SliceIdentifier.of(nested < 0 ? name : name.substring(0, nested))
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "top-level classes of the transport";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(OURS);
    }

    @Test
    void nothingBelowTheServerImportsATransport() {
        noClasses()
                .that()
                .resideOutsideOfPackages(FLOW + ".*", "io.hmfs.server")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(FLOW + ".*")
                .check(OURS);
    }
}
