package io.hmfs.client.transport.rdma.disni;

import io.hmfs.client.transport.rdma.Verbs;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/**
 * Opens verbs, or says in one line why there are none. The native library is loaded once per JVM (or per class loader of
 * HMFS): a {@code libdisni.so} in {@code java.library.path} if it is one that was built from {@code native/disni}, and the
 * one that the jar carries otherwise. DiSNI's own library does not do: it cannot tell a connection's private data, nor what
 * to wait for.
 */
public final class VerbsLoader {
    private static final String LIBRARY = "libdisni.so";

    /** Where the kernel lists RDMA devices. */
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private static @Nullable Opener opener;

    private VerbsLoader() {}

    /** What the isolated class loader makes; a name that is public, for that loader's package is another one. */
    public interface Opener {
        Verbs open() throws IOException;
    }

    /**
     * Opens verbs. Several can be open at a time.
     *
     * @throws IOException RDMA is not available; the message is one line that says why
     */
    public static Verbs open() throws IOException {
        try {
            requireDevice(DEVICES);
            return opener().open();
        } catch (IOException | LinkageError e) {
            throw unavailable(e);
        }
    }

    /** Whether this machine has a device for RDMA. */
    public static boolean hasDevice() {
        try {
            requireDevice(DEVICES);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Before the library is loaded, for a JVM from 24 on warns of native code, and most hosts have no device. */
    static void requireDevice(Path devices) throws IOException {
        try (DirectoryStream<Path> each = Files.newDirectoryStream(devices)) {
            if (each.iterator().hasNext()) {
                return;
            }
        } catch (NoSuchFileException e) {
            throw new IOException("no RDMA device", e);
        }
        throw new IOException("no RDMA device");
    }

    private static synchronized Opener opener() throws IOException {
        Opener found = opener;
        if (found == null) {
            found = find(System.getProperty("java.library.path", ""), DisniLoader.platform() + "/" + LIBRARY);
            opener = found;
        }
        return found;
    }

    /**
     * Loads the library.
     *
     * @param directories where to look for one that is installed, as in {@code java.library.path}
     * @param resource the one that the jar carries
     */
    static Opener find(String directories, String resource) throws IOException {
        StringTokenizer each = new StringTokenizer(directories, File.pathSeparator);
        while (each.hasMoreTokens()) {
            Path file = Path.of(each.nextToken(), LIBRARY).toAbsolutePath();
            Opener found = Files.isRegularFile(file) ? loadIfOurs(file) : null;
            if (found != null) {
                return found;
            }
        }
        try (InputStream carried = VerbsLoader.class.getResourceAsStream(resource)) {
            if (carried == null) {
                throw new IOException("this build carries no " + resource
                        + " (it is built where librdmacm-dev and libibverbs-dev are installed)");
            }
            Path file = Files.createTempFile("libdisni-", ".so"); // made for this user alone
            try {
                Files.copy(carried, file, StandardCopyOption.REPLACE_EXISTING);
                return loadOrSayWhyNot(file);
            } finally {
                Files.deleteIfExists(file); // the mapping keeps what was loaded
            }
        }
    }

    static Opener loadOrSayWhyNot(Path library) throws IOException {
        try {
            return load(library);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IOException("its native library cannot be loaded: " + reason(e), e);
        }
    }

    private static @Nullable Opener loadIfOurs(Path library) {
        try {
            return load(library);
        } catch (IOException | ReflectiveOperationException | LinkageError e) {
            return null; // not ours, or in use by another class loader: the carried one is as good
        }
    }

    private static Opener load(Path library) throws IOException, ReflectiveOperationException {
        return Class.forName(VerbsLoader.class.getPackageName() + ".DisniOpener", true, new DisniLoader(library))
                .asSubclass(Opener.class)
                .getDeclaredConstructor()
                .newInstance();
    }

    private static IOException unavailable(Throwable e) {
        return new IOException("RDMA is not available: " + reason(e), e);
    }

    /** What is wrong, in one line: of a wrapped exception the innermost one's message. */
    private static String reason(Throwable e) {
        Throwable inner = e;
        while ((inner instanceof ReflectiveOperationException || inner instanceof ExceptionInInitializerError)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        String message = inner.getMessage();
        return (message == null ? inner.toString() : message).replaceAll("\\s+", " ");
    }
}
