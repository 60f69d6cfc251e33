package io.hmfs.hadoop.attributes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.HmfsFs;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: extended attributes behave as those of HDFS: names, flags, values, which users may use them, and what is thrown.
 * Method: the cases of HDFS's own FSXAttrBaseTest, which needs HDFS to run, on the shared server through FileSystem
 * and FileContext.
 */
class XAttrsTest extends OwnDirectory {
    private static final EnumSet<XAttrSetFlag> CREATE = EnumSet.of(XAttrSetFlag.CREATE);
    private static final EnumSet<XAttrSetFlag> REPLACE = EnumSet.of(XAttrSetFlag.REPLACE);
    private static final EnumSet<XAttrSetFlag> EITHER = EnumSet.allOf(XAttrSetFlag.class);
    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2, 0, (byte) 0xFF};

    private Path file = directory;

    @BeforeEach
    void makeFile() throws IOException {
        file = write("file", ONE);
    }

    private static String hex(Map<String, byte[]> attributes) {
        Map<String, String> shown = new TreeMap<>();
        attributes.forEach((name, value) -> shown.put(name, new java.math.BigInteger(1, value).toString(16)));
        return shown.toString();
    }

    private static String thrown(Class<? extends Exception> type, Executable call) {
        Exception thrown = assertThrows(Exception.class, call);
        assertEquals(type, thrown.getClass(), String.valueOf(thrown));
        return String.valueOf(thrown.getMessage());
    }

    @Test
    void a_value_is_created_replaced_and_removed() throws IOException {
        for (Path path : List.of(file, directory, new Path("file"))) {
            fs.setWorkingDirectory(directory);
            fs.setXAttr(path, "user.a1", ONE, CREATE);
            assertArrayEquals(ONE, fs.getXAttr(path, "user.a1"));
            fs.setXAttr(path, "user.a1", TWO, REPLACE);
            fs.setXAttr(path, "user.a2", null, EITHER);
            fs.setXAttr(path, "trusted.a3", new byte[0]);
            assertEquals("{trusted.a3=0, user.a1=200ff, user.a2=0}", hex(fs.getXAttrs(path)));
            assertEquals(0, fs.getXAttr(path, "user.a2").length);
            assertEquals("{user.a1=200ff}", hex(fs.getXAttrs(path, List.of("user.a1"))));
            assertEquals(List.of("trusted.a3", "user.a1", "user.a2"), sorted(fs.listXAttrs(path)));
            for (String name : List.of("user.a1", "user.a2", "trusted.a3")) {
                fs.removeXAttr(path, name);
            }
            assertEquals(List.of(), fs.listXAttrs(path));
        }
    }

    private static List<String> sorted(List<String> names) {
        List<String> sorted = new ArrayList<>(names);
        sorted.sort(null);
        return sorted;
    }

    @Test
    void flags_say_what_may_be_there() throws IOException {
        assertEquals(
                "XAttr: user.a1 does not exist. The CREATE flag must be specified.",
                thrown(IOException.class, () -> fs.setXAttr(file, "user.a1", ONE, REPLACE)));
        fs.setXAttr(file, "user.a1", ONE, CREATE);
        assertEquals(
                "XAttr: user.a1 already exists. The REPLACE flag must be specified.",
                thrown(IOException.class, () -> fs.setXAttr(file, "user.a1", TWO, CREATE)));
        assertEquals(
                "A flag must be specified.",
                thrown(
                        HadoopIllegalArgumentException.class,
                        () -> fs.setXAttr(file, "user.a1", TWO, EnumSet.noneOf(XAttrSetFlag.class))));
        assertArrayEquals(ONE, fs.getXAttr(file, "user.a1"));
    }

    @Test
    void a_namespace_has_no_case_and_a_name_has() throws IOException {
        fs.setXAttr(file, "UsEr.Name", ONE);
        assertArrayEquals(ONE, fs.getXAttr(file, "uSER.Name"));
        assertEquals(List.of("user.Name"), fs.listXAttrs(file));
        assertEquals("{user.Name=1}", hex(fs.getXAttrs(file, List.of("USER.Name"))));
        assertThrows(IOException.class, () -> fs.getXAttr(file, "user.name"));
        fs.removeXAttr(file, "User.Name");
        assertEquals(List.of(), fs.listXAttrs(file));
    }

    @Test
    void names_that_cannot_be_are_refused_before_anything_is_sent() {
        String prefixed = "An XAttr name must be prefixed with user/trusted/security/system/raw, followed by a '.'";
        Class<HadoopIllegalArgumentException> illegal = HadoopIllegalArgumentException.class;
        for (String name : List.of("a1", "", ".a1", "us.a1", "other.a1", "users.a1")) {
            assertEquals(prefixed, thrown(illegal, () -> fs.setXAttr(file, name, ONE)));
            assertEquals(prefixed, thrown(illegal, () -> fs.getXAttr(file, name)));
            assertEquals(prefixed, thrown(illegal, () -> fs.getXAttrs(file, List.of(name))));
            assertEquals(prefixed, thrown(illegal, () -> fs.removeXAttr(file, name)));
        }
        assertEquals("XAttr name cannot be empty.", thrown(illegal, () -> fs.setXAttr(file, "user.", ONE)));
        assertEquals("XAttr name cannot have a NUL in it.", thrown(illegal, () -> fs.setXAttr(file, "user.\0", ONE)));
        assertEquals("XAttr names can not be null or empty.", thrown(illegal, () -> fs.getXAttrs(file, List.of())));
    }

    @Test
    void what_is_not_there_is_named() throws IOException {
        fs.setXAttr(file, "user.a1", ONE);
        for (Executable call : List.<Executable>of(
                () -> fs.getXAttr(file, "user.a2"),
                () -> fs.getXAttrs(file, List.of("user.a1", "user.a2")),
                () -> fs.removeXAttr(file, "user.a2"))) {
            String message =
                    String.valueOf(assertThrows(IOException.class, call).getMessage());
            assertTrue(message.contains("no extended attribute user.a2") && message.contains("/file"), message);
        }
        Path none = new Path(directory, "none");
        assertThrows(FileNotFoundException.class, () -> fs.setXAttr(none, "user.a1", ONE));
        assertThrows(FileNotFoundException.class, () -> fs.getXAttrs(none));
        assertThrows(FileNotFoundException.class, () -> fs.listXAttrs(none));
        assertThrows(FileNotFoundException.class, () -> fs.removeXAttr(none, "user.a1"));
    }

    @Test
    void bounds_have_one_message() throws IOException {
        fs.setXAttr(file, "user.max", new byte[64 << 10]);
        assertEquals(64 << 10, fs.getXAttr(file, "user.max").length);
        IOException over =
                assertThrows(IOException.class, () -> fs.setXAttr(file, "user.more", new byte[(64 << 10) + 1]));
        String message = String.valueOf(over.getMessage());
        assertTrue(message.contains("65537 bytes; at most 65536"), message);
        String name = "user." + "n".repeat(250);
        fs.setXAttr(file, name, ONE);
        assertThrows(IOException.class, () -> fs.setXAttr(file, name + "n", ONE));
        assertEquals(List.of("user.max", name), sorted(fs.listXAttrs(file)));
    }

    @Test
    void namespaces_that_are_not_for_users_say_so() {
        for (String name : List.of("security.a1", "system.a1", "raw.a1", "security.hdfs.unreadable.by.superuser")) {
            String message = thrown(AccessControlException.class, () -> fs.setXAttr(file, name, ONE));
            assertTrue(message.startsWith("User doesn't have permission for xattr: " + name), message);
            thrown(AccessControlException.class, () -> fs.getXAttr(file, name));
            thrown(AccessControlException.class, () -> fs.removeXAttr(file, name));
        }
    }

    @Test
    void others_see_and_change_what_the_bits_of_the_file_let_them() throws Exception {
        fs.setXAttr(file, "user.a1", ONE);
        fs.setXAttr(file, "trusted.a2", TWO);
        UserGroupInformation ugi = UserGroupInformation.createUserForTesting("hmfs-eve", new String[0]);
        try (FileSystem eve = ugi.doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration()))) {
            assertEquals("{user.a1=1}", hex(eve.getXAttrs(file)));
            assertEquals(List.of("user.a1"), eve.listXAttrs(file));
            thrown(AccessControlException.class, () -> eve.getXAttr(file, "trusted.a2"));
            thrown(AccessControlException.class, () -> eve.setXAttr(file, "user.a1", TWO));
            thrown(AccessControlException.class, () -> eve.removeXAttr(file, "user.a1"));
            fs.setPermission(file, new org.apache.hadoop.fs.permission.FsPermission((short) 0602));
            eve.setXAttr(file, "user.a1", TWO);
            thrown(AccessControlException.class, () -> eve.getXAttrs(file));
            thrown(AccessControlException.class, () -> eve.listXAttrs(file)); // their names, too
        }
        assertEquals("{trusted.a2=200ff, user.a1=200ff}", hex(fs.getXAttrs(file)));
    }

    @Test
    void they_go_with_a_rename() throws IOException {
        fs.setXAttr(file, "user.a1", ONE);
        Path moved = new Path(directory, "moved");
        assertTrue(fs.rename(file, moved));
        assertEquals("{user.a1=1}", hex(fs.getXAttrs(moved)));
        fs.delete(moved, false);
        write("moved", ONE);
        assertEquals("{}", hex(fs.getXAttrs(moved)));
    }

    @Test
    void file_context_has_the_same() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        FileContext context =
                FileContext.getFileContext(TestServerProcess.shared().uri(), conf);
        byte[] value = "v".getBytes(StandardCharsets.UTF_8);
        context.setXAttr(file, "user.a1", value);
        context.setXAttr(file, "user.a2", value, CREATE);
        assertArrayEquals(value, context.getXAttr(file, "user.a1"));
        assertEquals("{user.a1=76, user.a2=76}", hex(context.getXAttrs(file)));
        assertEquals("{user.a2=76}", hex(context.getXAttrs(file, List.of("user.a2"))));
        context.removeXAttr(file, "user.a1");
        assertEquals(List.of("user.a2"), context.listXAttrs(file));
        assertTrue(context.hasPathCapability(file, CommonPathCapabilities.FS_XATTRS));
        assertTrue(fs.hasPathCapability(file, CommonPathCapabilities.FS_XATTRS));
    }
}
