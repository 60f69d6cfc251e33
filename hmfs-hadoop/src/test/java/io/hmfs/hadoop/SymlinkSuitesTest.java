package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextTestWrapper;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemTestWrapper;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SymlinkBaseTest;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Goal: symbolic links behave as Hadoop's own suite for them says.
 * Method: SymlinkBaseTest through FileContext and through FileSystem, each as a nested class, against the shared
 * server.
 */
class SymlinkSuitesTest {
    private static @Nullable FileSystem opened;

    /**
     * Of its own: a cached one may have been opened with another default filesystem, which links without a host lead
     * to.
     */
    private static synchronized FileSystem files() throws IOException {
        FileSystem files = opened;
        if (files == null) {
            files = FileSystem.newInstance(TestServerProcess.shared().uri(), configuration());
            opened = files;
        }
        return files;
    }

    /**
     * A link to another address is followed through Hadoop's cache, where an earlier class may have left one with
     * another default.
     */
    @BeforeAll
    static void forgetThoseOfOthers() throws IOException {
        FileSystem.closeAll();
    }

    @AfterAll
    static void close() throws IOException {
        FileSystem files = opened;
        if (files != null) {
            files.close();
        }
    }

    private static Configuration configuration() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        conf.set(
                FileSystem.FS_DEFAULT_NAME_KEY, TestServerProcess.shared().uri().toString());
        return conf;
    }

    abstract static class OnTheSharedServer extends SymlinkBaseTest {
        @Override
        protected String getScheme() {
            return "hmfs";
        }

        @Override
        protected String testBaseDir1() {
            return "/test1";
        }

        @Override
        protected String testBaseDir2() {
            return "/test2";
        }

        @Override
        protected URI testURI() {
            try {
                return TestServerProcess.shared().uri();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Nested
    class ThroughFileContext extends OnTheSharedServer {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            wrapper = new FileContextTestWrapper(FileContext.getFileContext(testURI(), configuration()));
            super.setUp();
        }

        /**
         * A target without a host is on the default filesystem, as in FileSystem: Hadoop expects HDFS's FileContext
         * to refuse it.
         */
        @Override
        @Test
        public void testCreateLinkUsingPartQualPath1() throws IOException {
            Path target = new Path("hmfs://" + testBaseDir1() + "/file");
            Path link = new Path(testBaseDir1(), "link");
            wrapper.createSymlink(target, link, false);
            assertEquals(target, wrapper.getLinkTarget(link));
            assertEquals(target, wrapper.getFileLinkStatus(link).getSymlink());
            assertThrows(FileNotFoundException.class, () -> readFile(link));
            createAndWriteFile(new Path(testBaseDir1(), "file"));
            readFile(link);
        }

        /**
         * A target with a host and no scheme leads nowhere; Hadoop expects FileContext's message, this is
         * FileSystem's.
         */
        @Override
        @Test
        public void testCreateLinkUsingPartQualPath2() throws IOException {
            Path target = new Path("//" + testURI().getAuthority() + testBaseDir1() + "/file");
            Path link = new Path(testBaseDir1(), "link");
            wrapper.createSymlink(target, link, false);
            assertEquals(target, wrapper.getLinkTarget(link));
            assertThrows(UnsupportedFileSystemException.class, () -> readFile(link));
        }
    }

    @Nested
    class ThroughFileSystem extends OnTheSharedServer {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            wrapper = new FileSystemTestWrapper(files());
            super.setUp();
        }

        /**
         * FileSystem's create makes parents, also those that a link leads to; Hadoop expects FileContext's, which
         * does not.
         */
        @Override
        @Test
        public void testCreateFileViaDanglingLinkParent() throws IOException {
            Path missing = new Path(testBaseDir2(), "missing");
            Path link = new Path(testBaseDir1(), "dangling");
            wrapper.createSymlink(missing, link, false);
            createAndWriteFile(new Path(link, "file"));
            readFile(new Path(missing, "file"));
        }
    }
}
