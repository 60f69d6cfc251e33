package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: where a program's configuration maps hdfs:// onto HMFS, what it sees has that scheme throughout, and a data store behind HDFS's scheme is
 * still found.
 * Method: the same files by hdfs:// and by hmfs://, FileSystem and FileContext; a store whose scheme the program maps onto HMFS.
 */
class HdfsSchemeTest {
    private static final byte[] TEXT = "mapped".getBytes(StandardCharsets.UTF_8);

    private static Configuration mapped() {
        Configuration conf = new Configuration();
        conf.set("fs.hdfs.impl", "io.hmfs.hadoop.HdfsSchemeFileSystem");
        conf.set("fs.AbstractFileSystem.hdfs.impl", "io.hmfs.hadoop.HmfsFs");
        return conf;
    }

    private static URI hdfs() throws IOException {
        return URI.create("hdfs://" + TestServerProcess.shared().uri().getAuthority());
    }

    private static Path fresh(URI address) {
        return new Path(address + "/hdfs-scheme-" + System.nanoTime());
    }

    @Test
    void paths_and_statuses_have_the_scheme_of_the_address() throws IOException {
        assertEquals("hdfs:///", new HdfsSchemeFileSystem().getUri().toString());
        Path top = fresh(hdfs());
        try (FileSystem fs = FileSystem.newInstance(hdfs(), mapped())) {
            assertInstanceOf(HdfsSchemeFileSystem.class, fs);
            assertEquals("hdfs", fs.getScheme());
            assertEquals(hdfs(), fs.getUri());
            try (FSDataOutputStream out = fs.create(new Path(top, "a/file"))) {
                out.write(TEXT);
            }
            fs.rename(new Path(top, "a/file"), new Path(top, "a/renamed"));
            FileStatus[] listed = fs.listStatus(new Path(top, "a"));
            assertEquals(1, listed.length);
            assertEquals(new Path(top, "a/renamed"), listed[0].getPath());
            assertEquals(
                    new Path(top, "a/renamed"),
                    fs.getFileStatus(listed[0].getPath()).getPath());
            assertEquals(new Path(top, "a/renamed"), fs.globStatus(new Path(top, "*/re*"))[0].getPath());
            assertEquals(
                    new Path(top, "a/renamed"), fs.listFiles(top, true).next().getPath());
            assertEquals("hdfs", fs.getHomeDirectory().toUri().getScheme());
            Path other = new Path(TestServerProcess.shared().uri() + "/");
            assertThrows(IllegalArgumentException.class, () -> fs.getFileStatus(other));
        }
        try (FileSystem fs = FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration());
                FSDataInputStream in = fs.open(new Path(top.toUri().getPath() + "/a/renamed"))) {
            assertArrayEquals(TEXT, in.readAllBytes());
        }
    }

    @Test
    void file_context_takes_the_same_addresses() throws IOException {
        Path file = fresh(hdfs());
        FileContext context = FileContext.getFileContext(hdfs(), mapped());
        try (FSDataOutputStream out = context.create(file, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent())) {
            out.write(TEXT);
        }
        assertEquals(file, context.getFileStatus(file).getPath());
        assertEquals("hdfs", context.getDefaultFileSystem().getUri().getScheme());
    }

    @Test
    void a_data_store_is_never_the_mapped_filesystem() throws IOException {
        try (TestServerProcess server = TestServerProcess.startWithHadoopStore()) { // of file:///…
            Configuration conf = new Configuration();
            conf.set("fs.file.impl", "io.hmfs.hadoop.HdfsSchemeFileSystem");
            try (FileSystem fs = FileSystem.newInstance(server.uri(), conf)) {
                Path file = fresh(server.uri());
                try (FSDataOutputStream out = fs.create(file)) {
                    out.write(TEXT);
                }
                try (FSDataInputStream in = fs.open(file)) {
                    assertArrayEquals(TEXT, in.readAllBytes());
                }
                fs.delete(file, false);
            }
        }
    }
}
