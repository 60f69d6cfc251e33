package io.hmfs.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/**
 * Goal: imports go downwards, no class is in a circle, and persistent memory has one door. Method: ArchUnit over the compiled classes of this module.
 */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.hmfs.core");

    @Test
    void importsGoDownwards() {
        assertTrue(CLASSES.size() > 50, "classes: " + CLASSES.size());
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("core")
                .definedBy("io.hmfs.core")
                .layer("op")
                .definedBy("io.hmfs.core.op")
                .layer("check")
                .definedBy("io.hmfs.core.check")
                .layer("recovery")
                .definedBy("io.hmfs.core.recovery")
                .layer("space")
                .definedBy("io.hmfs.core.space")
                .layer("engine")
                .definedBy("io.hmfs.core.engine")
                .layer("dir")
                .definedBy("io.hmfs.core.dir")
                .layer("index")
                .definedBy("io.hmfs.core.index")
                .layer("alloc")
                .definedBy("io.hmfs.core.alloc")
                .layer("lock")
                .definedBy("io.hmfs.core.lock")
                .layer("layout")
                .definedBy("io.hmfs.core.layout")
                .layer("log")
                .definedBy("io.hmfs.core.pmem.log")
                .layer("pmem")
                .definedBy("io.hmfs.core.pmem")
                .layer("type")
                .definedBy("io.hmfs.core.type")
                .whereLayer("core")
                .mayOnlyAccessLayers(
                        "op",
                        "check",
                        "space",
                        "recovery",
                        "dir",
                        "engine",
                        "index",
                        "alloc",
                        "lock",
                        "layout",
                        "log",
                        "pmem",
                        "type")
                .whereLayer("op")
                .mayOnlyAccessLayers("recovery", "dir", "engine", "index", "alloc", "lock", "layout", "pmem", "type")
                .whereLayer("check")
                .mayOnlyAccessLayers("recovery", "dir", "engine", "index", "alloc", "lock", "layout", "pmem", "type")
                .whereLayer("space")
                .mayOnlyAccessLayers("recovery", "dir", "engine", "index", "alloc", "lock", "layout", "pmem", "type")
                .whereLayer("recovery")
                .mayOnlyAccessLayers("dir", "engine", "index", "alloc", "lock", "layout", "pmem", "type")
                .whereLayer("dir")
                .mayOnlyAccessLayers("engine", "alloc", "lock", "layout", "pmem")
                .whereLayer("engine")
                .mayOnlyAccessLayers("index", "alloc", "lock", "layout", "pmem", "type")
                .whereLayer("index")
                .mayOnlyAccessLayers("lock", "layout", "pmem")
                .whereLayer("alloc")
                .mayOnlyAccessLayers("lock", "layout", "pmem")
                .whereLayer("lock")
                .mayNotAccessAnyLayer()
                .whereLayer("layout")
                .mayOnlyAccessLayers("pmem", "type")
                .whereLayer("log")
                .mayOnlyAccessLayers("pmem", "type")
                .whereLayer("pmem")
                .mayNotAccessAnyLayer()
                .whereLayer("type")
                .mayNotAccessAnyLayer()
                .check(CLASSES);
    }

    @Test
    void noPackagesAreInACircle() {
        slices().matching("io.hmfs.core.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    /** Of nested classes the outermost counts; constants and {@code permits} clauses leave no trace in compiled classes. */
    @Test
    void noClassDependsOnItselfByWayOfOthers() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                        JavaClass outermost = javaClass;
                        while (outermost.getEnclosingClass().isPresent()) {
                            outermost = outermost.getEnclosingClass().get();
                        }
                        return outermost.getPackageName().startsWith("io.hmfs.core")
                                ? SliceIdentifier.of(outermost.getName())
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "classes with those that they enclose";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    @Test
    void persistentMemoryHasOneDoor() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.hmfs.core.pmem")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(MemorySegment.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Arena.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Linker.class)
                .check(CLASSES);
    }

    @Test
    void theEngineHasNoSockets() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.net..", "io.netty..", "io.hmfs.server..", "io.hmfs.client..", "io.hmfs.wire..")
                .check(CLASSES);
    }

    @Test
    void classesAreFinalOrMadeToBeExtended() {
        classes()
                .that()
                .areTopLevelClasses()
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .doNotHaveModifier(JavaModifier.ABSTRACT)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(CLASSES);
    }
}
