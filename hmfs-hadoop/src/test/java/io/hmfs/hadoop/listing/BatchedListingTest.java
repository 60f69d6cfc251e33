package io.hmfs.hadoop.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.CountingLine;
import io.hmfs.hadoop.ManyFiles;
import io.hmfs.hadoop.OwnDirectory;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BatchListingOperations;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.PartialListing;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/**
 * Goal: a batched listing tells of each path what listing it alone tells, in the order of the paths, as HDFS does, and
 * takes a request for many.
 * Method: both over the same directories, with pages of any size; requests counted on a line between client and server.
 */
class BatchedListingTest extends OwnDirectory {
    private static final long SEED = Long.getLong("hmfs.seed", 1);

    private static BatchListingOperations batched(FileSystem files) {
        return (BatchListingOperations) files;
    }

    private FileSystem withPagesOf(int entries) throws IOException {
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", entries);
        return FileSystem.newInstance(fs.getUri(), conf);
    }

    /** What one path has been told to have, from the next part on. */
    private static <T extends FileStatus> List<T> take(RemoteIterator<PartialListing<T>> parts, Path path, int entries)
            throws IOException {
        List<T> all = new ArrayList<>();
        do {
            assertTrue(parts.hasNext());
            PartialListing<T> part = parts.next();
            assertEquals(path, part.getListedPath());
            all.addAll(part.get());
        } while (all.size() < entries);
        return all;
    }

    /** Directories of 0 to 29 files and 2 directories, of which the test lists some several times. */
    private List<Path> randomPaths(Random random) throws IOException {
        List<String> names = new ArrayList<>();
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Path path = new Path(directory, "d" + i);
            fs.mkdirs(path);
            for (int k = random.nextInt(30); k > 0; k--) {
                names.add("d" + i + "/f" + random.nextInt(1_000));
            }
            paths.add(path);
            if (random.nextInt(4) == 0) {
                paths.add(path);
            }
        }
        ManyFiles.make(fs, directory, List.copyOf(new HashSet<>(names)));
        fs.mkdirs(new Path(directory, "d0/inner"));
        paths.add(write("big", bytes(1, 2 * BLOCK + 5)));
        Collections.shuffle(paths, random);
        return paths;
    }

    @Test
    void each_path_has_what_it_has_alone_in_their_order() throws IOException {
        List<Path> paths = randomPaths(new Random(SEED));
        for (int entries : new int[] {1, 7, 1000}) {
            try (FileSystem files = withPagesOf(entries)) {
                RemoteIterator<PartialListing<FileStatus>> parts =
                        batched(files).batchedListStatusIterator(paths);
                for (Path path : paths) {
                    FileStatus[] alone = fs.listStatus(path);
                    List<FileStatus> told = take(parts, path, alone.length);
                    if (entries == 1000) {
                        assertEquals(Arrays.toString(alone), told.toString(), "by name, as alone");
                    }
                    assertEquals(Set.of(alone), new HashSet<>(told));
                    assertEquals(alone.length, told.size());
                }
                while (parts.hasNext()) { // a page may be full with the last entry
                    assertEquals(List.of(), parts.next().get());
                }
                assertThrows(NoSuchElementException.class, parts::next);
            }
        }
    }

    @Test
    void located_statuses_know_their_blocks() throws IOException {
        Path file = write("big", bytes(1, 2 * BLOCK + 5));
        RemoteIterator<PartialListing<LocatedFileStatus>> parts =
                batched(fs).batchedListLocatedStatusIterator(List.of(directory, file));
        for (Path path : List.of(directory, file)) {
            LocatedFileStatus status = take(parts, path, 1).get(0);
            assertEquals(fs.makeQualified(file), status.getPath());
            assertEquals(
                    Arrays.toString(fs.getFileBlockLocations(file, 0, Long.MAX_VALUE)),
                    Arrays.toString(status.getBlockLocations()));
        }
    }

    @Test
    void each_path_has_an_outcome_of_its_own() throws Exception {
        Path there = new Path(directory, "there");
        fs.mkdirs(there);
        fs.create(new Path(there, "f")).close();
        Path closed = new Path(directory, "closed");
        fs.mkdirs(closed, new FsPermission((short) 0700));
        fs.setPermission(directory, new FsPermission((short) 0755));
        Path none = new Path(directory, "none");
        Path below = new Path(directory, "there/f/below");
        Path far = new Path(directory, "n".repeat(9_000));
        List<Path> paths = List.of(none, there, closed, below, far, there);
        UserGroupInformation eve = UserGroupInformation.createUserForTesting("hmfs-eve", new String[0]);
        try (FileSystem files = eve.doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(fs.getUri(), new Configuration()))) {
            RemoteIterator<PartialListing<FileStatus>> parts = batched(files).batchedListStatusIterator(paths);
            FileNotFoundException notFound = assertThrows(FileNotFoundException.class, parts.next()::get);
            assertTrue(String.valueOf(notFound.getMessage()).contains(none.toString()), notFound.getMessage());
            assertEquals(1, parts.next().get().size());
            AccessControlException denied = assertThrows(AccessControlException.class, parts.next()::get);
            assertTrue(String.valueOf(denied.getMessage()).contains(closed + "\""), denied.getMessage());
            assertThrows(FileNotFoundException.class, parts.next()::get);
            assertThrows(FileNotFoundException.class, parts.next()::get);
            assertEquals(1, parts.next().get().size());
            assertFalse(parts.hasNext());
        }
        assertThrows(FileNotFoundException.class, () -> batched(fs).batchedListStatusIterator(List.of()));
    }

    @Test
    void relative_paths_and_links_lead_where_they_lead() throws IOException {
        FileSystem.enableSymlinks();
        Path there = new Path(directory, "there");
        fs.create(new Path(there, "f")).close();
        fs.createSymlink(there, new Path(directory, "link"), false);
        fs.createSymlink(new Path(directory, "nowhere"), new Path(directory, "dangling"), false);
        fs.setWorkingDirectory(directory);
        List<Path> paths = List.of(new Path("there"), new Path("link"), new Path("dangling"), new Path("link/f"));
        RemoteIterator<PartialListing<FileStatus>> parts = batched(fs).batchedListStatusIterator(paths);
        PartialListing<FileStatus> first = parts.next();
        assertEquals(there, first.getListedPath());
        assertEquals(Arrays.asList(fs.listStatus(there)), first.get());
        assertEquals(
                Arrays.asList(fs.listStatus(new Path("link"))), parts.next().get());
        assertThrows(FileNotFoundException.class, parts.next()::get);
        assertEquals(
                Arrays.asList(fs.listStatus(new Path("link/f"))), parts.next().get());
        assertFalse(parts.hasNext());
    }

    @Test
    void many_directories_take_few_requests() throws IOException {
        List<String> names = new ArrayList<>();
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            paths.add(new Path(directory, "part=" + i));
            for (int k = 0; k < 10; k++) {
                names.add("part=" + i + "/file-" + k);
            }
        }
        ManyFiles.make(fs, directory, names);
        try (CountingLine line = new CountingLine(fs.getUri(), false);
                FileSystem files = FileSystem.newInstance(line.uri(), new Configuration())) {
            int before = line.looks();
            RemoteIterator<PartialListing<FileStatus>> parts = batched(files).batchedListStatusIterator(paths);
            for (Path path : paths) {
                assertEquals(10, take(parts, path, 10).size());
            }
            assertFalse(parts.hasNext());
            int requests = line.looks() - before;
            assertTrue(requests > 0 && requests <= 6, requests + " requests");
        }
    }

    /** The status is asked for behind what is under way, over the same connection, so the line has seen all before it. */
    @Test
    void the_next_request_is_under_way_and_nothing_else() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            names.add("file-" + i);
        }
        ManyFiles.make(fs, directory, names);
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", 10);
        try (CountingLine line = new CountingLine(fs.getUri(), false);
                FileSystem files = FileSystem.newInstance(line.uri(), conf)) {
            int before = line.looks();
            RemoteIterator<PartialListing<FileStatus>> parts =
                    batched(files).batchedListStatusIterator(List.of(directory));
            assertEquals(10, parts.next().get().size());
            files.getFileStatus(directory);
            assertEquals(2 + 1, line.looks() - before, "a page, the next one, and the status");
            int entries = 10;
            while (parts.hasNext()) {
                entries += parts.next().get().size();
            }
            assertEquals(40, entries);
            assertEquals(4 + 1, line.looks() - before, "nothing is asked for twice");
        }
    }
}
