package io.hmfs.hadoop;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: imports go downwards: filesystem, stores, link, client; nothing of Netty or the engine is met above the client.
 * Method: the compiled classes are read.
 */
class ImportRulesTest {
    private static final JavaClasses OURS =
            new ClassFileImporter(List.of(new ImportOption.DoNotIncludeTests())).importPackages("io.hmfs.hadoop");

    @Test
    void stores_and_link_do_not_know_the_filesystem() {
        noClasses()
                .that()
                .resideInAnyPackage("io.hmfs.hadoop.store", "io.hmfs.hadoop.link")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.hmfs.hadoop")
                .check(OURS);
    }

    @Test
    void the_link_does_not_know_the_stores() {
        noClasses()
                .that()
                .resideInAPackage("io.hmfs.hadoop.link")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.hmfs.hadoop.store")
                .check(OURS);
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
