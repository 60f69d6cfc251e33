package io.hmfs.hadoop;

import io.hmfs.hadoop.ClassFiles.ClassFile;
import io.hmfs.hadoop.ClassFiles.Member;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Which classes, fields and methods of Hadoop compiled classes link to, and which of these a Hadoop has. */
final class HadoopSymbols implements Closeable {
    private static final String HADOOP = "org/apache/hadoop/";

    private final Map<String, ClassFile> ours;
    private final ZipFile hadoop;
    private final Map<String, ClassFile> read = new HashMap<>();

    /** {@code hadoop}: the jar of its client; {@code ours}: what {@link #compiled} has read. */
    HadoopSymbols(Path hadoop, Map<String, ClassFile> ours) throws IOException {
        this.hadoop = new ZipFile(hadoop.toFile());
        this.ours = ours;
    }

    /** All classes below a directory, by name. */
    static Map<String, ClassFile> compiled(Path directory) throws IOException {
        Map<String, ClassFile> classes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).toList()) {
                ClassFile one = ClassFiles.read(Files.readAllBytes(file));
                classes.put(one.name(), one);
            }
        }
        return classes;
    }

    /** The symbols of Hadoop that a class links to, by the class that declares them. */
    List<String> of(ClassFile one) throws IOException {
        TreeSet<String> symbols = new TreeSet<>();
        for (String name : one.classes()) {
            if (name.startsWith(HADOOP)) {
                symbols.add(name);
            }
        }
        for (Member member : one.members()) {
            if (!comesFromHadoop(member.owner())) {
                continue;
            }
            String declaring = declaring(member.owner(), member.signature());
            if (declaring != null && declaring.startsWith(HADOOP)) {
                symbols.add(declaring + "." + member.signature());
            }
        }
        return List.copyOf(symbols);
    }

    /** Those of {@link #of} that this Hadoop does not have. */
    List<String> missing(ClassFile one) throws IOException {
        List<String> missing = new ArrayList<>();
        for (String name : one.classes()) {
            if (name.startsWith(HADOOP) && find(name) == null) {
                missing.add(name);
            }
        }
        for (Member member : one.members()) {
            if (comesFromHadoop(member.owner()) && declaring(member.owner(), member.signature()) == null) {
                missing.add(member.toString());
            }
        }
        return missing;
    }

    /** A class of Hadoop, or one of ours that has one above it. */
    private boolean comesFromHadoop(String owner) throws IOException {
        if (owner.startsWith(HADOOP)) {
            return true;
        }
        ClassFile own = ours.get(owner);
        if (own != null) {
            for (String parent : own.parents()) {
                if (comesFromHadoop(parent)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The class that declares a member, from its owner upwards; null if none does. */
    private @Nullable String declaring(String owner, String signature) throws IOException {
        ClassFile one = find(owner);
        if (one == null) {
            return null;
        }
        if (one.declared().contains(signature)) {
            return one.name();
        }
        for (String parent : one.parents()) {
            String found = declaring(parent, signature);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable ClassFile find(String name) throws IOException {
        ClassFile known = ours.get(name);
        if (known == null) {
            known = read.get(name);
        }
        if (known == null) {
            known = load(name);
            if (known != null) {
                read.put(name, known);
            }
        }
        return known;
    }

    private @Nullable ClassFile load(String name) throws IOException {
        String file = name + ".class";
        ZipEntry entry = hadoop.getEntry(file);
        if (entry != null) {
            try (InputStream in = hadoop.getInputStream(entry)) {
                return ClassFiles.read(in.readAllBytes());
            }
        }
        if (name.startsWith(HADOOP)) {
            return null; // the class path has another Hadoop's
        }
        try (InputStream in = ClassLoader.getSystemResourceAsStream(file)) {
            return in == null ? null : ClassFiles.read(in.readAllBytes());
        }
    }

    @Override
    public void close() throws IOException {
        hadoop.close();
    }
}
