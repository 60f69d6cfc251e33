package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Goal: a wrong setting is one clear error before anything is opened, and hmfs-default.xml tells the truth about the
 * defaults.
 * Method: configurations with one wrong setting each; the file's values against those of an empty configuration.
 */
class HmfsOptionsTest {
    private static final String CLUSTER = "nn.example";

    private static String errorOf(String name, String value) {
        Configuration conf = new Configuration(false);
        conf.set(name, value);
        return String.valueOf(assertThrows(IOException.class, () -> HmfsOptions.from(conf, CLUSTER))
                .getMessage());
    }

    @Test
    void a_misspelt_setting_is_named_together_with_the_nearest_known_one() {
        assertEquals(
                "Unknown setting fs.hmfs.conect.timeout: did you mean fs.hmfs.connect.timeout?",
                errorOf("fs.hmfs.conect.timeout", "3s"));
        assertEquals(
                "Unknown setting fs.hmfs.read.ahead: did you mean fs.hmfs.read.ahead.chunks?",
                errorOf("fs.hmfs.read.ahead", "3"));
    }

    @Test
    void a_value_out_of_its_range_is_named_with_the_range() {
        assertEquals(
                "fs.hmfs.read.ahead.chunks must be a whole number from 0 to 64, not '65'",
                errorOf("fs.hmfs.read.ahead.chunks", "65"));
        assertEquals(
                "fs.hmfs.delete.in.flight must be a whole number from 1 to 4096, not 'many'",
                errorOf("fs.hmfs.delete.in.flight", "many"));
        assertEquals(
                "fs.hmfs.request.timeout must be a time over zero, not '0'", errorOf("fs.hmfs.request.timeout", "0"));
        assertEquals(
                "fs.hmfs.connect.timeout must be a time such as 30s, not 'soon'",
                errorOf("fs.hmfs.connect.timeout", "soon"));
        assertEquals(
                "fs.hmfs.removal.takeover.after must be a time up to 1000d, not '200000d'",
                errorOf("fs.hmfs.removal.takeover.after", "200000d"));
        assertEquals("fs.hmfs.sync.on.close must be true or false, not 'yes'", errorOf("fs.hmfs.sync.on.close", "yes"));
    }

    @Test
    void what_is_set_for_a_cluster_holds_there_and_nowhere_else() throws IOException {
        Configuration conf = new Configuration(false);
        conf.set("fs.hmfs.request.timeout", "30s");
        conf.set("fs.hmfs.nn.example.request.timeout", "5s");
        conf.set("fs.hmfs.nn.example.client.retry.interval.max", "7s");
        conf.set("fs.hmfs.nn.example.read.ahead.chunks", "1");
        conf.set("fs.hmfs.nn.example.sync.on.close", "true");
        for (String cluster : new String[] {CLUSTER, "NN.Example"}) {
            HmfsOptions options = HmfsOptions.from(conf, cluster);
            assertEquals(Duration.ofSeconds(5), options.requestTimeout());
            assertEquals(Duration.ofSeconds(7), options.retryLongest());
            assertEquals(Duration.ofMillis(100), options.retryFirst());
            assertEquals(1, options.readAheadChunks());
            assertTrue(options.syncOnClose());
        }
        for (String cluster : new String[] {"example", "nn", "other.example"}) {
            HmfsOptions options = HmfsOptions.from(conf, cluster);
            assertEquals(Duration.ofSeconds(30), options.requestTimeout());
            assertEquals(4, options.readAheadChunks());
            assertFalse(options.syncOnClose());
        }
    }

    @Test
    void what_is_set_for_a_cluster_is_checked_like_all_else() {
        assertEquals(
                "fs.hmfs.nn.example.request.timeout must be a time over zero, not '0'",
                errorOf("fs.hmfs.nn.example.request.timeout", "0"));
        assertEquals(
                "fs.hmfs.nn.example.sync.on.close must be true or false, not 'no'",
                errorOf("fs.hmfs.nn.example.sync.on.close", "no"));
        for (String unknown : new String[] {"nn.example.request.timeuot", "nn.example.impl", ".request.timeout"}) {
            String error = errorOf("fs.hmfs." + unknown, "1");
            assertTrue(error.startsWith("Unknown setting fs.hmfs." + unknown + ": did you mean "), error);
        }
    }

    @Test
    void hadoops_own_settings_of_a_scheme_are_fine() throws IOException {
        Configuration conf = new Configuration(false);
        conf.set("fs.hmfs.impl", "io.hmfs.hadoop.HmfsFileSystem");
        conf.set("fs.hmfs.impl.disable.cache", "true");
        conf.set("fs.hmfs.request.timeout", "1500ms");
        assertEquals(Duration.ofMillis(1500), HmfsOptions.from(conf, CLUSTER).requestTimeout());
    }

    @Test
    void distances_count_edits() {
        assertEquals(0, HmfsOptions.distance("same", "same"));
        assertEquals(3, HmfsOptions.distance("kitten", "sitting"));
        assertEquals(4, HmfsOptions.distance("", "four"));
    }

    @Test
    void the_defaults_file_has_every_setting_described_with_the_value_that_holds_without_it() throws Exception {
        Configuration fromFile = new Configuration(false);
        fromFile.addResource("hmfs-default.xml");
        assertEquals(HmfsOptions.from(new Configuration(false), CLUSTER), HmfsOptions.from(fromFile, CLUSTER));
        Set<String> described = new HashSet<>();
        try (InputStream file =
                Objects.requireNonNull(HmfsOptionsTest.class.getResourceAsStream("/hmfs-default.xml"))) {
            NodeList properties = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file)
                    .getElementsByTagName("property");
            for (int i = 0; i < properties.getLength(); i++) {
                Element property = (Element) properties.item(i);
                assertTrue(text(property, "description").length() > 20);
                described.add(text(property, "name"));
            }
        }
        Set<String> known = new HashSet<>(HmfsOptions.KNOWN);
        known.removeIf(name -> name.contains(".impl")); // the classes, and Hadoop's own
        assertEquals(known, described);
    }

    @Test
    void the_handbook_has_every_setting_with_its_default() throws IOException {
        String handbook = Files.readString(Path.of("..", "docs", "hadoop.md"));
        Configuration fromFile = new Configuration(false);
        fromFile.addResource("hmfs-default.xml");
        for (String name : HmfsOptions.KNOWN) {
            if (name.contains(".impl")) {
                continue; // the classes, named in a row without defaults
            }
            assertTrue(handbook.contains("| `" + name + "` | " + fromFile.get(name) + " |"), name);
        }
    }

    private static String text(Element property, String tag) {
        return property.getElementsByTagName(tag).item(0).getTextContent().trim();
    }

    /** What a class adds to Hadoop's resources goes before core-site.xml: the classes only. */
    @Test
    void no_setting_is_laid_over_core_site() {
        new HmfsFileSystem();
        Configuration conf = new Configuration();
        assertEquals(Map.of("impl", "io.hmfs.hadoop.HmfsFileSystemSince341"), conf.getPropsWithPrefix("fs.hmfs."));
        assertEquals("io.hmfs.hadoop.HmfsFs", conf.get("fs.AbstractFileSystem.hmfs.impl"));
    }
}
