package io.hmfs.client.transport.rdma.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.ibm.disni.util.MemoryUtils;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: DiSNI and its native library load in a JVM without flags, and where RDMA cannot be had, one line says why.
 * Method: the library that this build carries, whole, damaged, and absent; {@code VerbsGuest} uses it over a device.
 */
class VerbsLoaderTest {
    private static final String CARRIED = DisniLoader.platform() + "/libdisni.so";

    @TempDir
    Path directory;

    private static byte[] carried() throws IOException {
        try (InputStream in = VerbsLoader.class.getResourceAsStream(CARRIED)) {
            return Objects.requireNonNull(in, "this build has no RDMA: bin/test installs what it needs")
                    .readAllBytes();
        }
    }

    private static String messageOf(IOException e) {
        String message = Objects.requireNonNull(e.getMessage());
        assertFalse(message.contains("\n"), message);
        return message;
    }

    @Test
    void the_library_loads_without_flags_apart_from_the_class_path() throws Exception {
        carried();
        VerbsLoader.Opener opener = VerbsLoader.find("", CARRIED);
        ClassLoader apart = opener.getClass().getClassLoader();
        assertEquals(DisniLoader.class, apart.getClass());
        Class<?> utils = apart.loadClass(MemoryUtils.class.getName());
        assertNotSame(MemoryUtils.class, utils);
        assertEquals(apart, utils.getClassLoader());
        assertEquals(apart, apart.loadClass("org.slf4j.Logger").getClassLoader());
        assertThrows(ClassNotFoundException.class, () -> apart.loadClass("com.ibm.disni.NoSuchClass"));
    }

    @Test
    void addresses_are_those_of_the_first_byte() throws Exception {
        VerbsLoader.Opener opener = VerbsLoader.find("", CARRIED);
        Method address = opener.getClass()
                .getClassLoader()
                .loadClass(MemoryUtils.class.getName())
                .getMethod("getAddress", ByteBuffer.class);
        ByteBuffer whole = ByteBuffer.allocateDirect(4096);
        long first = (long) address.invoke(null, whole);
        assertNotEquals(0L, first);
        whole.position(100);
        assertEquals(first, address.invoke(null, whole));
        assertEquals(first + 100, address.invoke(null, whole.slice()));
        assertEquals(first + 8, address.invoke(null, whole.duplicate().slice(8, 1)));
        assertEquals(0L, address.invoke(null, ByteBuffer.allocate(8)));
    }

    @Test
    void several_load_in_one_process() throws IOException {
        assertNotSame(
                VerbsLoader.find("", CARRIED).getClass(),
                VerbsLoader.find("", CARRIED).getClass());
    }

    @Test
    void an_installed_library_is_used_if_it_is_ours() throws IOException {
        Path ours = Files.createDirectory(directory.resolve("ours"));
        Path installed = Files.write(ours.resolve("libdisni.so"), carried());
        Path broken = Files.createDirectory(directory.resolve("broken"));
        Files.writeString(broken.resolve("libdisni.so"), "no library");
        Path other = Files.createDirectory(directory.resolve("other")); // loads, and lacks our methods
        Files.write(other.resolve("libdisni.so"), replaced(carried(), "Natives_live", "Natives_dead"));
        Path old = Files.createDirectory(directory.resolve("old")); // loads, and lacks the version
        Files.write(old.resolve("libdisni.so"), replaced(carried(), "1getVersion", "1gotVersion"));
        String before = directory + "/absent:" + broken + ":" + other + ":" + old;

        DisniLoader loader = (DisniLoader)
                VerbsLoader.find(before + ":" + ours, CARRIED).getClass().getClassLoader();
        assertEquals(installed.toString(), loader.findLibrary("disni"));

        DisniLoader without =
                (DisniLoader) VerbsLoader.find(before, CARRIED).getClass().getClassLoader();
        assertFalse(String.valueOf(without.findLibrary("disni")).startsWith(directory.toString()));
    }

    @Test
    void a_machine_without_the_libraries_of_rdma_is_told_so() throws IOException {
        Path file =
                Files.write(directory.resolve("libdisni.so"), replaced(carried(), "librdmacm.so.1", "librdmacm.so.x"));
        String message = messageOf(assertThrows(IOException.class, () -> VerbsLoader.loadOrSayWhyNot(file)));
        assertTrue(message.contains("librdmacm.so.x: cannot open shared object file"), message);
    }

    @Test
    void a_build_without_the_library_says_so() {
        String message =
                messageOf(assertThrows(IOException.class, () -> VerbsLoader.find("", "linux-vax/libdisni.so")));
        assertTrue(message.startsWith("this build carries no linux-vax/libdisni.so"), message);
    }

    @Test
    void a_machine_without_a_device_is_told_so_and_nothing_is_loaded() throws IOException {
        assertThrows(IOException.class, () -> VerbsLoader.requireDevice(directory.resolve("absent")));
        assertEquals(
                "no RDMA device",
                messageOf(assertThrows(IOException.class, () -> VerbsLoader.requireDevice(directory))));
        Files.createFile(directory.resolve("rxe0"));
        VerbsLoader.requireDevice(directory);
        assumeFalse(Files.exists(Path.of("/sys/class/infiniband")), "this machine has RDMA");
        assertEquals(
                "RDMA is not available: no RDMA device", messageOf(assertThrows(IOException.class, VerbsLoader::open)));
        VerbsLoader.Opener opener = VerbsLoader.find("", CARRIED);
        assertEquals("no RDMA device", messageOf(assertThrows(IOException.class, opener::open)));
    }

    /** A text replaced by another one of the same length, wherever it is. */
    private static byte[] replaced(byte[] library, String text, String with) {
        String all = new String(library, StandardCharsets.ISO_8859_1);
        assertTrue(all.contains(text), text);
        return all.replace(text, with).getBytes(StandardCharsets.ISO_8859_1);
    }
}
