package io.hmfs.hadoop;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what a class file links to: JDK 17 has no API for it. */
final class ClassFiles {
    private static final Pattern CLASS_IN_DESCRIPTOR = Pattern.compile("L([^;]+);");

    private ClassFiles() {}

    /** A field or a method of a class; names and descriptors are those of the JVM, with slashes. */
    record Member(String owner, String name, String descriptor) {
        /** What is compared: the owner may be a subclass of the class that declares the member. */
        String signature() {
            return name + " " + descriptor;
        }

        @Override
        public String toString() {
            return owner + "." + signature();
        }
    }

    /**
     * @param declared signatures of its own fields and methods
     * @param classes all that it names: in code, in descriptors, as supertypes
     * @param members what its code calls, reads or writes
     */
    record ClassFile(
            String name, List<String> parents, Set<String> declared, Set<String> classes, List<Member> members) {}

    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int FLOAT = 4;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;
    private static final int METHOD_HANDLE = 15;
    private static final int METHOD_TYPE = 16;
    private static final int DYNAMIC = 17;
    private static final int INVOKE_DYNAMIC = 18;

    /** An entry of the constant pool: tag, text, and the indexes that it refers to. */
    private record Constant(int tag, @Nullable String text, int first, int second) {}

    static ClassFile read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipNBytes(8); // magic, versions
        Constant[] pool = pool(in);
        in.readUnsignedShort(); // access flags
        String name = className(pool, in.readUnsignedShort());
        List<String> parents = new ArrayList<>();
        int superclass = in.readUnsignedShort();
        if (superclass != 0) {
            parents.add(className(pool, superclass));
        }
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            parents.add(className(pool, in.readUnsignedShort()));
        }
        Set<String> declared = new TreeSet<>();
        Set<String> classes = new TreeSet<>();
        members(in, pool, declared, classes); // fields
        members(in, pool, declared, classes); // methods
        List<Member> members = new ArrayList<>();
        for (Constant each : pool) {
            switch (each.tag) {
                case CLASS -> addClass(text(pool, each.first), classes);
                case METHOD_TYPE -> addTypes(text(pool, each.first), classes);
                case NAME_AND_TYPE -> addTypes(text(pool, each.second), classes);
                case FIELD, METHOD, INTERFACE_METHOD -> {
                    Constant signature = pool[each.second];
                    members.add(new Member(
                            className(pool, each.first), text(pool, signature.first), text(pool, signature.second)));
                }
                default -> {}
            }
        }
        return new ClassFile(name, parents, declared, classes, members);
    }

    private static Constant[] pool(DataInputStream in) throws IOException {
        Constant none = new Constant(0, null, 0, 0);
        Constant[] pool = new Constant[in.readUnsignedShort()];
        pool[0] = none;
        for (int i = 1; i < pool.length; i++) {
            int tag = in.readUnsignedByte();
            pool[i] = switch (tag) {
                case UTF8 -> new Constant(tag, in.readUTF(), 0, 0);
                case INTEGER, FLOAT, LONG, DOUBLE -> {
                    in.skipNBytes(tag == LONG || tag == DOUBLE ? 8 : 4);
                    yield none;
                }
                case FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, DYNAMIC, INVOKE_DYNAMIC ->
                    new Constant(tag, null, in.readUnsignedShort(), in.readUnsignedShort());
                case METHOD_HANDLE -> new Constant(tag, null, in.readUnsignedByte(), in.readUnsignedShort());
                case CLASS, STRING, METHOD_TYPE, 19, 20 -> new Constant(tag, null, in.readUnsignedShort(), 0);
                default -> throw new IOException("constant of unknown kind " + tag);
            };
            if (tag == LONG || tag == DOUBLE) {
                pool[++i] = none; // they take two indexes
            }
        }
        return pool;
    }

    private static void members(DataInputStream in, Constant[] pool, Set<String> declared, Set<String> classes)
            throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            in.readUnsignedShort(); // access flags
            String name = text(pool, in.readUnsignedShort());
            String descriptor = text(pool, in.readUnsignedShort());
            declared.add(name + " " + descriptor);
            addTypes(descriptor, classes);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.readUnsignedShort(); // name
                in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
            }
        }
    }

    private static String text(Constant[] pool, int index) throws IOException {
        String text = pool[index].text;
        if (text == null) {
            throw new IOException("no text at " + index);
        }
        return text;
    }

    private static String className(Constant[] pool, int index) throws IOException {
        return text(pool, pool[index].first);
    }

    private static void addClass(String name, Set<String> classes) {
        if (name.startsWith("[")) {
            addTypes(name, classes);
        } else {
            classes.add(name);
        }
    }

    private static void addTypes(String descriptor, Set<String> classes) {
        Matcher matcher = CLASS_IN_DESCRIPTOR.matcher(descriptor);
        while (matcher.find()) {
            classes.add(matcher.group(1));
        }
    }
}
