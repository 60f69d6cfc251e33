package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.BatchListingOperations;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.PartHandle;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UploadHandle;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: a program can rely on what hasPathCapability says, yes and no.
 * Method: every capability that Hadoop has a name for is asked for, and what it stands for is tried.
 */
class CapabilitiesTest extends OwnDirectory {
    private static final byte[] DATA = "0123456789".getBytes(StandardCharsets.UTF_8);

    private final Map<String, Executable> works = new HashMap<>();
    private final Map<String, Executable> fails = new HashMap<>();
    private final Path file = new Path(directory, "file");

    @BeforeEach
    void makeFile() throws IOException {
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(DATA);
        }
        works.put(
                CommonPathCapabilities.FS_ACLS,
                () -> fs.modifyAclEntries(file, AclEntry.parseAclSpec("user:alice:r--", true)));
        works.put(CommonPathCapabilities.FS_APPEND, this::appends);
        works.put(CommonPathCapabilities.FS_CHECKSUMS, () -> assertNotNull(fs.getFileChecksum(file)));
        works.put(CommonPathCapabilities.FS_PERMISSIONS, this::keepsModes);
        works.put(CommonPathCapabilities.FS_TRUNCATE, () -> assertTrue(fs.truncate(file, 3)));
        works.put(CommonPathCapabilities.FS_XATTRS, () -> fs.setXAttr(file, "user.a", DATA));
        works.put(CommonPathCapabilities.ABORTABLE_STREAM, this::aborts);
        works.put(CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS, this::locates);
        works.put(
                CommonPathCapabilities.BULK_DELETE,
                () -> assertEquals(
                        List.of(), fs.createBulkDelete(directory).bulkDelete(List.of(fs.makeQualified(file)))));
        works.put(CommonPathCapabilities.ETAGS_AVAILABLE, this::tellsVersions);
        works.put(CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME, this::keepsVersionsInRenames);
        works.put(CommonPathCapabilities.FS_CONCAT, this::concats);
        works.put(
                CommonPathCapabilities.FS_EXPERIMENTAL_BATCH_LISTING,
                () -> assertEquals(
                        1,
                        ((BatchListingOperations) fs)
                                .batchedListStatusIterator(List.of(directory))
                                .next()
                                .get()
                                .size()));
        works.put(CommonPathCapabilities.FS_PATHHANDLES, this::opensByHandle);
        works.put(CommonPathCapabilities.FS_MULTIPART_UPLOADER, this::uploads);
        works.put(CommonPathCapabilities.LEASE_RECOVERABLE, this::recovers);

        fails.put(CommonPathCapabilities.FS_LIST_CORRUPT_FILE_BLOCKS, () -> fs.listCorruptFileBlocks(directory));
        // Other tests of this JVM may have switched symbolic links on, and they cannot be switched off again.
        (FileSystem.areSymlinksEnabled() ? works : fails)
                .put(
                        CommonPathCapabilities.FS_SYMLINKS,
                        () -> fs.createSymlink(file, new Path(directory, "link"), false));
        fails.put(CommonPathCapabilities.FS_SNAPSHOTS, () -> fs.createSnapshot(directory));
        fails.put(CommonPathCapabilities.FS_STORAGEPOLICY, () -> fs.setStoragePolicy(directory, "HOT"));
    }

    private void appends() throws IOException {
        try (FSDataOutputStream out = fs.append(file)) {
            out.write(DATA);
        }
        assertEquals(2L * DATA.length, fs.getFileStatus(file).getLen());
    }

    private void keepsModes() throws IOException {
        fs.setPermission(file, new FsPermission((short) 0640));
        assertEquals(0640, fs.getFileStatus(file).getPermission().toShort());
    }

    private void aborts() throws IOException {
        Path aborted = new Path(directory, "aborted");
        FSDataOutputStream out = fs.create(aborted);
        out.write(DATA);
        ((Abortable) out).abort();
        assertEquals(0, fs.getFileStatus(aborted).getLen());
    }

    private void locates() throws IOException {
        BlockLocation[] locations = fs.getFileBlockLocations(file, 0, DATA.length);
        assertEquals(1, locations.length);
        assertEquals(List.of("localhost"), List.of(locations[0].getHosts()), "where no data stands");
    }

    private String etag(Path path) throws IOException {
        return ((EtagSource) fs.getFileStatus(path)).getEtag();
    }

    private void tellsVersions() throws IOException {
        String before = etag(file);
        appends();
        assertNotEquals(before, etag(file));
    }

    private void keepsVersionsInRenames() throws IOException {
        String before = etag(file);
        Path moved = new Path(directory, "moved");
        assertTrue(fs.rename(file, moved));
        assertEquals(before, etag(moved));
    }

    private void concats() throws IOException {
        Path other = write("other", DATA);
        fs.concat(file, new Path[] {other});
        assertEquals(2L * DATA.length, fs.getFileStatus(file).getLen());
        assertFalse(fs.exists(other));
    }

    private void opensByHandle() throws IOException {
        try (FSDataInputStream in = fs.open(fs.getPathHandle(fs.getFileStatus(file)))) {
            assertArrayEquals(DATA, in.readAllBytes());
        }
    }

    private void uploads() throws Exception {
        Path target = fs.makeQualified(new Path(directory, "uploaded"));
        try (MultipartUploader uploader = fs.createMultipartUploader(directory).build()) {
            UploadHandle upload = uploader.startUpload(target).get();
            PartHandle part = uploader.putPart(upload, 1, true, target, new ByteArrayInputStream(DATA), DATA.length)
                    .get();
            uploader.complete(upload, target, Map.of(1, part)).get();
        }
        assertArrayEquals(DATA, read(target));
    }

    private void recovers() throws IOException {
        FSDataOutputStream out = fs.append(file);
        LeaseRecoverable leases = (LeaseRecoverable) fs;
        assertFalse(leases.isFileClosed(file));
        assertTrue(leases.recoverLease(file));
        assertTrue(leases.isFileClosed(file));
        out.write(1);
        assertThrows(IOException.class, out::close);
    }

    @Test
    void the_conditions_of_a_create_are_told_too() throws IOException {
        for (String key : List.of(
                CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE,
                CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG)) {
            assertTrue(fs.hasPathCapability(file, key), key);
        }
    }

    private static Map<String, String> all() throws IllegalAccessException {
        Map<String, String> all = new TreeMap<>();
        for (Field field : CommonPathCapabilities.class.getFields()) {
            all.put(field.getName(), String.valueOf(field.get(null)));
        }
        return all;
    }

    @Test
    void what_is_said_is_so() throws Throwable {
        FileContext context =
                FileContext.getFileContext(TestServerProcess.shared().uri(), contextConfiguration());
        for (Map.Entry<String, String> each : all().entrySet()) {
            String capability = each.getValue();
            boolean works = this.works.containsKey(capability);
            assertEquals(works, fs.hasPathCapability(file, capability), each.getKey());
            assertEquals(works, context.hasPathCapability(file, capability), each.getKey() + " by FileContext");
        }
        for (Executable each : fails.values()) {
            assertThrows(UnsupportedOperationException.class, each);
        }
        for (Map.Entry<String, Executable> each : works.entrySet()) {
            fs.delete(directory, true);
            fs.mkdirs(directory);
            makeFile();
            each.getValue().execute();
        }
    }

    /** A program may name it itself, and has then what Hadoop 3.3.1 has (ADR 0159). */
    @Test
    void the_class_for_all_hadoops_says_what_it_lacks() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.hmfs.impl", HmfsFileSystem.class.getName());
        try (FileSystem plain =
                FileSystem.newInstance(TestServerProcess.shared().uri(), conf)) {
            assertEquals(HmfsFileSystem.class, plain.getClass());
            assertFalse(plain instanceof LeaseRecoverable);
            assertFalse(plain.hasPathCapability(file, CommonPathCapabilities.LEASE_RECOVERABLE));
            assertEquals(
                    List.of(),
                    plain.createBulkDelete(plain.makeQualified(directory))
                            .bulkDelete(List.of(plain.makeQualified(file))));
            assertFalse(plain.exists(file));
        }
    }

    @Test
    void msync_is_for_every_one_to_call() throws IOException {
        fs.msync();
        FileContext.getFileContext(TestServerProcess.shared().uri(), contextConfiguration())
                .getDefaultFileSystem()
                .msync();
    }

    private static Configuration contextConfiguration() {
        Configuration conf = new Configuration();
        conf.set("fs.AbstractFileSystem.hmfs.impl", HmfsFs.class.getName());
        return conf;
    }
}
