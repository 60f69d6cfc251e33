package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextURIBase;
import org.apache.hadoop.fs.FileContextUtilBase;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Goal: HMFS passes the suites that Hadoop's own filesystems pass beside the contract tests, FileContext's above all.
 * Method: Hadoop's abstract suites, each as a nested class, against the shared server.
 */
class HadoopSuitesTest {
    private static final List<FileSystem> OPENED = new ArrayList<>();

    /**
     * Of its own, for some suites change the working directory; closed at the end, for they tear down in the middle
     * of tests.
     */
    private static FileSystem files(Configuration conf) throws IOException {
        FileSystem opened = FileSystem.newInstance(TestServerProcess.shared().uri(), conf);
        OPENED.add(opened);
        return opened;
    }

    @AfterAll
    static void close() throws IOException {
        for (FileSystem opened : OPENED) {
            opened.close();
        }
        OPENED.clear();
    }

    /** The property is the one that docs/hadoop.md asks for: nothing else tells FileContext its class. */
    private static FileContext context() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        return FileContext.getFileContext(TestServerProcess.shared().uri(), conf);
    }

    @Nested
    class FileSystemContract extends FileSystemContractBaseTest {
        @BeforeEach
        void open() throws IOException {
            Configuration conf = new Configuration();
            conf.set("fs.permissions.umask-mode", TEST_UMASK);
            fs = files(conf);
        }
    }

    @Nested
    class MainOperations extends FSMainOperationsBaseTest {
        MainOperations() {
            super("/main-operations");
        }

        @Override
        protected FileSystem createFileSystem() throws IOException {
            return files(new Configuration());
        }

        /** As in the superclass, which logs through a Jetty that hadoop-client-runtime has under another name. */
        @Override
        @Test
        public void testRenameNonExistentPath() throws Exception {
            Path source = getTestRootPath(fSys, "test/hadoop/nonExistent");
            Path target = getTestRootPath(fSys, "test/new/newpath");
            for (Options.Rename option : List.of(Options.Rename.NONE, Options.Rename.OVERWRITE)) {
                assertThrows(FileNotFoundException.class, () -> ((HmfsFileSystem) fSys).rename(source, target, option));
            }
            assertFalse(fSys.exists(target));
        }

        /** Permissions are kept and not enforced (docs/hadoop.md), so what Hadoop expects to be refused is answered. */
        @Override
        @Test
        public void testListStatusThrowsExceptionForUnreadableDir() throws Exception {
            assertEquals(0, fSys.listStatus(unreadable()).length);
        }

        /** What globStatus answers for a pattern. */
        @Override
        @Test
        public void testGlobStatusThrowsExceptionForUnreadableDir() throws Exception {
            assertEquals(0, fSys.globStatus(new Path(unreadable(), "*")).length);
        }

        private Path unreadable() throws IOException {
            Path directory = getTestRootPath(fSys, "test/unreadable");
            fSys.mkdirs(directory);
            fSys.setPermission(directory, FsPermission.createImmutable((short) 0));
            return directory;
        }
    }

    @Nested
    class ContextMainOperations extends FileContextMainOperationsBaseTest {
        @Override
        protected boolean listCorruptedBlocksSupported() {
            return false;
        }

        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }
    }

    @Nested
    class ContextCreateMkdir extends FileContextCreateMkdirBaseTest {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }
    }

    @Nested
    class ContextPermission extends FileContextPermissionBase {
        @Override
        protected FileContext getFileContext() throws IOException {
            return context();
        }
    }

    @Nested
    class ContextUri extends FileContextURIBase {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc1 = context();
            fc2 = context();
            super.setUp();
        }
    }

    @Nested
    class ContextUtilities extends FileContextUtilBase {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }
    }
}
