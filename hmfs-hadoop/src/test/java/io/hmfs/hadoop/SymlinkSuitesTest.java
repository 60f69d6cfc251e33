package io.hmfs.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextTestWrapper;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemTestWrapper;
import org.apache.hadoop.fs.SymlinkBaseTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Goal: symbolic links behave as Hadoop's own suite for them says.
 * Method: SymlinkBaseTest through FileContext and through FileSystem, each as a nested class, against the shared server.
 */
class SymlinkSuitesTest {
    private static Configuration configuration() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", Hmfs.class.getName());
        conf.set(FileSystem.FS_DEFAULT_NAME_KEY, ServerProcess.shared().uri().toString());
        return conf;
    }

    abstract static class OnTheSharedServer extends SymlinkBaseTest {
        @Override
        protected String getScheme() {
            return "hmfs";
        }

        @Override
        protected String testBaseDir1() {
            return "/links1";
        }

        @Override
        protected String testBaseDir2() {
            return "/links2";
        }

        @Override
        protected URI testURI() {
            try {
                return ServerProcess.shared().uri();
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
    }

    @Nested
    class ThroughFileSystem extends OnTheSharedServer {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            wrapper = new FileSystemTestWrapper(FileSystem.get(testURI(), configuration()));
            super.setUp();
        }
    }
}
