package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Goal: an address of a RADOS store is what it says, or one error that says how to write it; without JNA there is one
 * sentence too.
 * Method: addresses; a class loader that has everything but JNA. The store itself is tried on a real cluster by
 * bin/dev contract.
 */
class RadosAddressTest {
    private static RadosAddress of(String text) {
        return RadosAddress.of(URI.create(text));
    }

    @Test
    void both_forms_are_read() {
        assertEquals(new RadosAddress("", "ceph", "blocks", ""), of("rados://blocks"));
        assertEquals(new RadosAddress("", "ceph", "blocks", ""), of("rados://blocks/"));
        assertEquals(new RadosAddress("", "ceph", "my_pool.a", "one"), of("rados://my_pool.a/one"));
        assertEquals(new RadosAddress("hmfs", "ceph", "blocks", ""), of("rados://hmfs@ceph/blocks"));
        assertEquals(new RadosAddress("hmfs", "far", "blocks", "one"), of("rados://hmfs@far/blocks/one"));
    }

    @Test
    void anything_else_is_an_error_that_says_how_one_is_written() {
        for (String wrong : new String[] {
            "rados:blocks",
            "rados:///blocks",
            "rados://@ceph/blocks",
            "rados://hmfs@/blocks",
            "rados://hmfs@ceph",
            "rados://blocks/one/two",
            "rados://hmfs@ceph/blocks/one/two",
            "rados://blocks?size=3"
        }) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> of(wrong), wrong);
            assertEquals(
                    wrong + ": write rados://POOL[/NAMESPACE] or rados://USER@CLUSTER/POOL[/NAMESPACE]",
                    e.getMessage());
        }
    }

    @Test
    void without_jna_the_error_names_what_to_install() throws Exception {
        URL[] others = Arrays.stream(
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator))
                .filter(entry -> !new File(entry).getName().startsWith("jna-"))
                .map(RadosAddressTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(others, ClassLoader.getPlatformClassLoader())) {
            Class<?> settings = loader.loadClass(RadosSettings.class.getName());
            Object some = settings.getConstructor(String.class, String.class, Duration.class, Duration.class)
                    .newInstance("", "admin", Duration.ofSeconds(1), Duration.ofSeconds(1));
            InvocationTargetException thrown = assertThrows(
                    InvocationTargetException.class,
                    () -> loader.loadClass(RadosDataStore.class.getName())
                            .getMethod("open", URI.class, long.class, settings)
                            .invoke(null, URI.create("rados://blocks"), 1L << 20, some));
            IOException said = assertInstanceOf(IOException.class, thrown.getCause());
            assertTrue(
                    String.valueOf(said.getMessage()).startsWith("JNA is not on the class path: put the jar"),
                    said::toString);
        }
    }

    private static URL url(String entry) {
        try {
            return new File(entry).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
