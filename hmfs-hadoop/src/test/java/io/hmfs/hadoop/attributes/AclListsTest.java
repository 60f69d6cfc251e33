package io.hmfs.hadoop.attributes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.HmfsFs;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.AclException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: ACLs behave as those of HDFS, through FileSystem and FileContext. Method: cases of HDFS's own FSAclBaseTest,
 * which needs HDFS to run, on the shared server; the rules themselves are the server's, and tested there.
 */
class AclListsTest extends OwnDirectory {
    private Path file = directory;

    @BeforeEach
    void makeFile() throws IOException {
        file = write("file", new byte[1]);
        fs.setPermission(file, new FsPermission((short) 0640));
    }

    private static List<AclEntry> spec(String text) {
        return AclEntry.parseAclSpec(text, true);
    }

    private String shown(Path path) throws IOException {
        AclStatus acl = fs.getAclStatus(path);
        assertEquals(!acl.getEntries().isEmpty(), fs.getFileStatus(path).hasAcl());
        assertEquals(fs.getFileStatus(path).getPermission(), acl.getPermission());
        assertEquals(fs.getFileStatus(path).getOwner(), acl.getOwner());
        return String.format("%o %s", acl.getPermission().toShort(), acl.getEntries());
    }

    @Test
    void a_list_is_set_changed_and_removed() throws IOException {
        assertEquals("640 []", shown(file));
        fs.setAcl(file, spec("user::rw-,user:alice:rwx,group::r--,other::---"));
        assertEquals("670 [user:alice:rwx, group::r--]", shown(file));
        fs.modifyAclEntries(file, spec("user:alice:r--,group:sales:-w-"));
        assertEquals("660 [user:alice:r--, group::r--, group:sales:-w-]", shown(file));
        fs.removeAclEntries(file, AclEntry.parseAclSpec("user:alice", false));
        assertEquals("660 [group::r--, group:sales:-w-]", shown(file));
        fs.removeAcl(file);
        assertEquals("640 []", shown(file));
        fs.setAcl(directory, spec("default:user:alice:r-x"));
        assertEquals(
                "755 [default:user::rwx, default:user:alice:r-x, default:group::r-x, default:mask::r-x, default:other::r-x]",
                shown(directory));
        assertTrue(List.of(fs.listStatus(directory.getParent())).stream()
                .anyMatch(each -> each.getPath().getName().equals(directory.getName()) && each.hasAcl()));
        fs.removeDefaultAcl(directory);
        assertEquals("755 []", shown(directory));
        assertFalse(fs.getFileStatus(directory).hasAcl());
    }

    @Test
    void what_is_refused_says_why() {
        AclException refused =
                assertThrows(AclException.class, () -> fs.modifyAclEntries(file, spec("default:user:alice:rwx")));
        assertEquals(
                "Invalid ACL: only directories may have a default ACL. Path: "
                        + file.toUri().getPath(),
                refused.getMessage());
        Path none = new Path(directory, "none");
        assertThrows(FileNotFoundException.class, () -> fs.getAclStatus(none));
        assertThrows(FileNotFoundException.class, () -> fs.removeAcl(none));
        assertThrows(FileNotFoundException.class, () -> fs.access(none, FsAction.NONE));
    }

    /** The umask counts where there is no default list, and not where there is one. */
    @Test
    void what_is_made_inherits() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.permissions.umask-mode", "077");
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        try (FileSystem masked =
                FileSystem.newInstance(TestServerProcess.shared().uri(), conf)) {
            masked.create(new Path(directory, "before")).close();
            masked.mkdirs(new Path(directory, "before d"));
            assertEquals("600 []", shown(new Path(directory, "before")));
            assertEquals("700 []", shown(new Path(directory, "before d")));
            fs.setAcl(directory, spec("default:user:alice:rwx"));
            masked.create(new Path(directory, "f")).close();
            assertEquals("664 [user:alice:rwx, group::r-x]", shown(new Path(directory, "f")));
            masked.mkdirs(new Path(directory, "a/b"));
            String inherited = "775 [user:alice:rwx, group::r-x, default:user::rwx, default:user:alice:rwx, "
                    + "default:group::r-x, default:mask::rwx, default:other::r-x]";
            assertEquals(inherited, shown(new Path(directory, "a")));
            assertEquals(inherited, shown(new Path(directory, "a/b")));
            FileContext context =
                    FileContext.getFileContext(TestServerProcess.shared().uri(), conf);
            context.setUMask(new FsPermission((short) 0077));
            Path made = context.makeQualified(new Path(directory, "by context"));
            context.create(made, EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.perms(new FsPermission((short)
                            0640)))
                    .close();
            assertEquals("640 [user:alice:rwx, group::r-x]", shown(new Path(directory, "by context")));
            context.mkdir(context.makeQualified(new Path(directory, "d")), new FsPermission((short) 0750), false);
            assertTrue(shown(new Path(directory, "d")).startsWith("750 [user:alice:rwx, group::r-x, default:"));
        }
    }

    /** HDFS asks for permission once, where the first missing parent is made. */
    @Test
    void parents_made_below_a_default_list_are_no_obstacle_to_what_is_made_in_them() throws Exception {
        fs.setPermission(directory, new FsPermission((short) 0777));
        fs.setAcl(directory, spec("user::rwx,group::rwx,other::rwx,default:user:bob:rwx"));
        UserGroupInformation alice = UserGroupInformation.createUserForTesting("alice", new String[] {"made-up"});
        try (FileSystem hers = alice.doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration()))) {
            assertTrue(hers.mkdirs(new Path(directory, "x/y"), new FsPermission((short) 0644)));
            assertThrows(AccessControlException.class, () -> hers.mkdirs(new Path(directory, "x/z")));
        }
        assertTrue(shown(new Path(directory, "x")).startsWith("644 [user:bob:rwx, group::rwx, default:"));
        assertTrue(shown(new Path(directory, "x/y")).startsWith("644 [user:bob:rwx, group::rwx, default:"));
        fs.create(new Path(directory, "p/f")).close();
        assertTrue(shown(new Path(directory, "p")).startsWith("777 [user:bob:rwx, group::rwx, default:"));
    }

    @Test
    void the_server_judges_access() throws Exception {
        UserGroupInformation alice = UserGroupInformation.createUserForTesting("alice", new String[] {"made-up"});
        fs.setAcl(file, spec("user::rw-,user:alice:r--,group::---,other::---"));
        try (FileSystem hers = alice.doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration()))) {
            hers.access(file, FsAction.READ);
            hers.open(file).close();
            Configuration conf = new Configuration();
            conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
            FileContext context = alice.doAs((PrivilegedExceptionAction<FileContext>)
                    () -> FileContext.getFileContext(TestServerProcess.shared().uri(), conf));
            context.access(context.makeQualified(file), FsAction.READ);
            assertThrows(AccessControlException.class, () -> hers.access(file, FsAction.READ_WRITE));
            assertThrows(AccessControlException.class, () -> hers.append(file));
            assertThrows(AccessControlException.class, () -> hers.removeAcl(file));
            fs.setPermission(file, new FsPermission((short) 0600)); // the mask
            assertThrows(AccessControlException.class, () -> hers.access(file, FsAction.READ));
            assertThrows(AccessControlException.class, () -> hers.open(file));
        }
    }

    @Test
    void FileContext_has_them_too() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        FileContext context =
                FileContext.getFileContext(TestServerProcess.shared().uri(), conf);
        context.setAcl(file, spec("user::rw-,user:alice:r--,group::---,other::---"));
        context.modifyAclEntries(file, spec("user:bruce:r--"));
        context.removeAclEntries(file, AclEntry.parseAclSpec("user:alice", false));
        assertEquals(
                "[user:bruce:r--, group::---]",
                context.getAclStatus(file).getEntries().toString());
        context.removeAcl(file);
        context.setAcl(directory, spec("default:user:alice:r-x"));
        context.removeDefaultAcl(directory);
        assertEquals("600 []", shown(file));
        assertEquals("755 []", shown(directory));
    }
}
