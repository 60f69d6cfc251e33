package io.hmfs.server.path;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.hmfs.core.Namespace;
import io.hmfs.server.listing.VersionedNamespace;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: no request changes what a resolved path rests on but through {@link NameVersions}. Method: the compiled classes are read. What a
 * server does before it has a service, to the root of a new pool, is no request.
 */
class NameVersionsRuleTest {
    private static final JavaClasses OURS =
            new ClassFileImporter(List.of(new ImportOption.DoNotIncludeTests())).importPackages("io.hmfs.server");

    private static final Set<String> CHANGES = Set.of("rename", "rmdir", "chmod", "chown", "changeAcl");

    @Test
    void oneDoorForWhatMakesAPathWrong() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(NameVersions.class.getName())
                .and()
                .doNotHaveFullyQualifiedName("io.hmfs.server.Users")
                .and()
                .doNotHaveFullyQualifiedName(VersionedNamespace.class.getName()) // what it is called for
                .should()
                .callMethodWhere(DescribedPredicate.describe(
                        "a directory is changed",
                        (JavaMethodCall call) -> CHANGES.contains(call.getName())
                                && call.getTargetOwner().isAssignableTo(Namespace.class)))
                .check(OURS);
    }
}
