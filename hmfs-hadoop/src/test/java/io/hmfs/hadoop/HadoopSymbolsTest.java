package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hmfs.hadoop.ClassFiles.ClassFile;
import io.hmfs.hadoop.ClassFiles.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: HMFS runs with Hadoop from 3.3.1 on, though it is built against a newer one (ADR 0159).
 * Method: all that each compiled class links to is looked up in the jar of the oldest Hadoop that the class must run
 * with; target/hadoop-symbols.txt tells it.
 */
class HadoopSymbolsTest {
    private static final String ROOT = "io/hmfs/hadoop/";
    private static final String MINIMUM = System.getProperty("hmfs.hadoop.minimum", "no -Dhmfs.hadoop.minimum");
    private static final Path CLASSES = Path.of("target", "classes");
    private static final Path JARS = Path.of("target", "older-hadoops");
    private static final Path REPORT = Path.of("target", "hadoop-symbols.txt");

    /** Classes that are loaded only where Hadoop is this version or newer: see HadoopHas. */
    private static final Map<String, String> NEWER = Map.ofEntries(
            Map.entry(ROOT + "attributes/HmfsFileStatus$WithEtag", "3.3.2"),
            Map.entry(ROOT + "attributes/HmfsFileStatus$LocatedWithEtag", "3.3.2"),
            Map.entry(ROOT + "stream/HmfsInputStream$WithRanges", "3.3.5"),
            Map.entry(ROOT + "shell/Copies", "3.3.2"),
            Map.entry(ROOT + "shell/Copies$Put", "3.3.2"),
            Map.entry(ROOT + "shell/Copies$Get", "3.3.2"),
            Map.entry(ROOT + "shell/Copies$Cp", "3.3.2"),
            Map.entry(ROOT + "HmfsFileSystemSince336", "3.3.6"),
            Map.entry(ROOT + "HmfsFileSystemSince336$1", "3.3.6"),
            Map.entry(ROOT + "HmfsFileSystemSince341", "3.4.1"),
            Map.entry(ROOT + "namespace/PagedDelete", "3.4.1"));

    /**
     * Classes whose constants javac copies: a class file still names them among its inner classes, where no JVM looks
     * for them. Their methods and the fields that are no constants count.
     */
    private static final Set<String> CONSTANTS =
            Set.of("org/apache/hadoop/fs/Options$CreateFileOptionKeys", "org/apache/hadoop/fs/Options$OpenFileOptions");

    private static Path jar(String version) {
        return JARS.resolve("hadoop-client-api-" + version + ".jar");
    }

    private static String versionOf(ClassFile one) {
        return NEWER.getOrDefault(one.name(), MINIMUM);
    }

    @Test
    void each_class_links_to_what_its_oldest_hadoop_has() throws IOException {
        Map<String, ClassFile> ours = HadoopSymbols.compiled(CLASSES);
        Map<String, HadoopSymbols> hadoops = new TreeMap<>();
        List<String> report = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        try {
            for (ClassFile one : ours.values()) {
                String version = versionOf(one);
                if (!hadoops.containsKey(version)) {
                    hadoops.put(version, new HadoopSymbols(jar(version), ours));
                }
                HadoopSymbols hadoop = hadoops.get(version);
                report.add(one.name() + ", Hadoop " + version);
                hadoop.of(one).forEach(symbol -> report.add("    " + symbol));
                for (String symbol : hadoop.missing(one)) {
                    if (!CONSTANTS.contains(symbol)) {
                        missing.add(one.name() + " must run with Hadoop " + version + ", which has no " + symbol);
                    }
                }
            }
        } finally {
            for (HadoopSymbols each : hadoops.values()) {
                each.close();
            }
        }
        Files.write(REPORT, report);
        assertEquals(List.of(), missing);
    }

    /** Else verifying a class could load a newer one: it is reached by methods whose types are those of older ones. */
    @Test
    void older_classes_reach_newer_ones_by_make_only() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (ClassFile one : HadoopSymbols.compiled(CLASSES).values()) {
            if (NEWER.containsKey(one.name())) {
                continue;
            }
            for (Member member : one.members()) {
                if (NEWER.containsKey(member.owner()) && !member.name().equals("make")) {
                    wrong.add(one.name() + " uses " + member);
                }
            }
            for (String signature : one.declared()) {
                for (String newer : NEWER.keySet()) {
                    if (signature.contains("L" + newer + ";")) {
                        wrong.add(one.name() + " declares " + signature);
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** A class that needs the newer Hadoop no longer should be no exception either. */
    @Test
    void each_newer_class_is_there_and_needs_its_hadoop() throws IOException {
        Map<String, ClassFile> ours = HadoopSymbols.compiled(CLASSES);
        try (HadoopSymbols minimum = new HadoopSymbols(jar(MINIMUM), ours)) {
            for (String name : NEWER.keySet()) {
                ClassFile one = ours.get(name);
                assertFalse(one == null || minimum.missing(one).isEmpty(), name);
            }
        }
    }

    /** This class links to two things that Hadoop 3.3.1 has not: an interface, and a method of a class that it has. */
    @Test
    void a_newer_symbol_is_found() throws IOException {
        Map<String, ClassFile> ours = HadoopSymbols.compiled(CLASSES);
        ClassFile planted;
        try (var in = Planted.class.getResourceAsStream("HadoopSymbolsTest$Planted.class")) {
            planted = ClassFiles.read(Objects.requireNonNull(in).readAllBytes());
        }
        try (HadoopSymbols minimum = new HadoopSymbols(jar(MINIMUM), ours)) {
            assertEquals(
                    Set.of(
                            "org/apache/hadoop/fs/BulkDelete",
                            "org/apache/hadoop/fs/BulkDelete.close ()V",
                            "org/apache/hadoop/fs/FileSystem.createBulkDelete"
                                    + " (Lorg/apache/hadoop/fs/Path;)Lorg/apache/hadoop/fs/BulkDelete;"),
                    Set.copyOf(minimum.missing(planted)));
        }
    }

    static final class Planted {
        static void use(org.apache.hadoop.fs.FileSystem files) throws IOException {
            files.createBulkDelete(new org.apache.hadoop.fs.Path("/")).close();
        }
    }
}
