package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: {@code hmfs+rdma://} is HMFS by RDMA and nothing else.
 * Method: a server that listens on loopback, which RDMA does not reach: an address that went by TCP would open. What works
 * by RDMA is tried in the guest, {@code test/guest/rdma.sh}.
 */
class RdmaSchemeTest {
    private static URI address() throws IOException {
        return URI.create("hmfs+rdma://" + TestServerProcess.shared().uri().getAuthority());
    }

    @Test
    void it_has_the_class_of_hmfs() throws IOException {
        Configuration conf = new Configuration();
        assertEquals(FileSystem.getFileSystemClass("hmfs", conf), FileSystem.getFileSystemClass("hmfs+rdma", conf));
    }

    @Test
    void it_goes_by_rdma_or_not_at_all() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.hmfs.transport", "tcp");
        IOException refused = assertThrows(IOException.class, () -> FileSystem.newInstance(address(), conf));
        assertTrue(String.valueOf(refused.getMessage()).contains("RDMA"), refused.getMessage());
    }

    @Test
    void paths_have_its_scheme() throws IOException {
        HmfsFileSystem files = new HmfsFileSystem();
        assertThrows(IOException.class, () -> files.initialize(address(), new Configuration()));
        assertEquals("hmfs+rdma", files.getScheme());
        assertEquals(address(), files.getUri());
        assertEquals(new Path(address() + "/a"), files.makeQualified(new Path("/a")));
        Path byTcp = new Path(TestServerProcess.shared().uri() + "/a");
        assertThrows(IllegalArgumentException.class, () -> files.makeQualified(byTcp));
    }

    @Test
    void file_context_takes_the_same_addresses() throws Exception {
        FileSystem.getFileSystemClass("hmfs", new Configuration()); // loads the class, and with it the settings
        Exception refused =
                assertThrows(Exception.class, () -> FileContext.getFileContext(address(), new Configuration()));
        StringBuilder said = new StringBuilder();
        for (Throwable each = refused; each != null; each = each.getCause()) {
            said.append(each.getMessage()).append('\n');
        }
        assertTrue(said.toString().contains("RDMA"), said.toString());
    }
}
