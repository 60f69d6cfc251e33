package io.hmfs.client.transport.rdma.disni;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Loads DiSNI, and the classes of this package that use it, apart from all other classes: DiSNI's jar is a resource of ours,
 * so that neither it nor slf4j, which it wants, gets onto a class path; {@code System.loadLibrary("disni")} finds the file
 * that is given here, without a JVM flag; and a few classes of DiSNI are replaced.
 *
 * <p>A replacement is an ordinary class below the package {@code instead}. Its class file speaks of itself and of the others
 * by names that begin with that package's name; here that beginning is taken out of the file's constants.
 */
final class DisniLoader extends ClassLoader {
    private static final String HERE = DisniLoader.class.getPackageName() + ".";
    private static final String INSTEAD = HERE.replace('.', '/') + "instead/";
    private static final String JAR = "disni.jar";

    static {
        registerAsParallelCapable();
    }

    private final Map<String, byte[]> disni = new HashMap<>();
    private final Path library;

    /** Finds {@code library} for {@code System.loadLibrary("disni")}. */
    DisniLoader(Path library) throws IOException {
        super(DisniLoader.class.getClassLoader());
        this.library = library;
        try (InputStream jar = DisniLoader.class.getResourceAsStream(JAR)) {
            if (jar == null) {
                throw new IOException("this build carries no " + JAR);
            }
            ZipInputStream zip = new ZipInputStream(jar);
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().endsWith(".class")) {
                    disni.put(entry.getName(), zip.readAllBytes());
                }
            }
        }
    }

    /** The part of a resource's name that says for what machine a library was built. */
    static String platform() {
        String system = System.getProperty("os.name", "unknown").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch", "unknown").toLowerCase(Locale.ROOT);
        return system + "-" + (machine.equals("amd64") ? "x86_64" : machine);
    }

    @Override
    protected @Nullable String findLibrary(String name) {
        return name.equals("disni") ? library.toString() : null;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isApart(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    private static boolean isApart(String name) {
        if (name.startsWith(HERE)) {
            return !name.equals(DisniLoader.class.getName()) && !name.startsWith(HERE + "VerbsLoader");
        }
        return name.startsWith("com.ibm.disni.") || name.startsWith("org.slf4j.");
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        byte[] bytes;
        try {
            bytes = name.startsWith(HERE) ? resource(file) : replacement(file);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        if (bytes == null) {
            bytes = disni.get(file);
        }
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length, DisniLoader.class.getProtectionDomain());
    }

    private static byte @Nullable [] resource(String file) throws IOException {
        try (InputStream in = DisniLoader.class.getResourceAsStream("/" + file)) {
            return in == null ? null : in.readAllBytes();
        }
    }

    private static byte @Nullable [] replacement(String file) throws IOException {
        byte[] bytes = resource(INSTEAD + file);
        return bytes == null ? null : renamed(bytes);
    }

    /** A class file in whose constants no name begins with {@link #INSTEAD} any more. JVMS 4.4 has the sizes of constants. */
    private static byte[] renamed(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        ByteArrayOutputStream whole = new ByteArrayOutputStream(bytes.length);
        DataOutputStream out = new DataOutputStream(whole);
        out.writeLong(in.readLong()); // magic and versions
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            switch (tag) {
                case 1 -> out.writeUTF(in.readUTF().replace(INSTEAD, ""));
                case 7, 8, 16, 19, 20 -> out.write(in.readNBytes(2));
                case 15 -> out.write(in.readNBytes(3));
                case 3, 4, 9, 10, 11, 12, 17, 18 -> out.write(in.readNBytes(4));
                case 5, 6 -> {
                    out.write(in.readNBytes(8));
                    i++; // a long takes two numbers
                }
                default -> throw new IOException("constant " + tag);
            }
        }
        in.transferTo(out);
        return whole.toByteArray();
    }
}
