package io.hmfs.hadoop.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.CountingLine;
import io.hmfs.hadoop.ManyFiles;
import io.hmfs.hadoop.OwnDirectory;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Test;

/**
 * Goal: a recursive listFiles gives what Hadoop's own gives, which lists directory by directory, and takes a request
 * for each page.
 * Method: both over the same trees: the second through a FilterFileSystem, which leaves the superclass's method in
 * place.
 */
class ListFilesTest extends OwnDirectory {
    private static final long SEED = Long.getLong("hmfs.seed", 1);

    private static String text(LocatedFileStatus status) {
        return status + " " + List.of(status.getBlockLocations()) + " " + ((EtagSource) status).getEtag();
    }

    private static Map<Path, String> all(RemoteIterator<LocatedFileStatus> files) throws IOException {
        Map<Path, String> all = new TreeMap<>();
        while (files.hasNext()) {
            assertTrue(files.hasNext());
            LocatedFileStatus next = files.next();
            assertNull(all.put(next.getPath(), text(next)), () -> next.getPath() + " came twice");
        }
        assertThrows(NoSuchElementException.class, files::next);
        return all;
    }

    private Map<Path, String> plain(Path path) throws IOException {
        return all(new FilterFileSystem(fs).listFiles(path, true));
    }

    private FileSystem withPagesOf(int entries) throws IOException {
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", entries);
        return FileSystem.newInstance(fs.getUri(), conf);
    }

    @Test
    void names_are_listed_in_the_order_of_their_bytes() throws IOException {
        // U+10400 has more bytes than U+FFFD, and smaller chars; a blank is escaped in the URI of a path.
        List<String> names = List.of("a b", "a!b", "a", "a%b", "z", "\u00e9", "\ufffd", "\ud801\udc00");
        for (String each : names) {
            write(each, bytes(1, 1));
        }
        List<String> sorted = List.of("\u00e9", "\ufffd", "\ud801\udc00", "a", "a b", "a!b", "a%b", "z");
        List<String> listed = new ArrayList<>();
        for (FileStatus each : fs.listStatus(directory)) {
            listed.add(each.getPath().getName());
        }
        assertEquals(sorted, listed);
        List<String> page = new ArrayList<>();
        RemoteIterator<FileStatus> entries = fs.listStatusIterator(directory);
        while (entries.hasNext()) {
            page.add(entries.next().getPath().getName());
        }
        assertEquals(sorted, page);
    }

    /**
     * A file that the listing has not come to takes the name of one that it has shown. Between them is the page that has
     * been asked for ahead.
     */
    @Test
    void a_name_that_went_and_came_between_two_pages_is_in_the_list_once() throws IOException {
        Path first = write("first", bytes(1, 1));
        write("between", bytes(1, 3));
        Path shown = write("shown", bytes(1, 2));
        try (FileSystem paged = withPagesOf(1)) {
            RemoteIterator<FileStatus> listing =
                    RemoteIterators.mappingRemoteIterator(paged.listStatusIterator(directory), status -> {
                        if (status.getLen() == 2) {
                            fs.delete(shown, false);
                            fs.rename(first, shown);
                        }
                        return status;
                    });
            FileStatus[] listed = Listings.sorted(listing);
            assertEquals(2, listed.length);
            assertEquals("between", listed[0].getPath().getName());
            assertEquals(1, listed[1].getLen());
        }
    }

    @Test
    void it_gives_what_directory_by_directory_would_be_found() throws IOException {
        Random random = new Random(SEED);
        List<Path> directories = new ArrayList<>(List.of(directory));
        for (int i = 0; i < 150; i++) {
            Path path = new Path(directories.get(random.nextInt(directories.size())), "n" + i);
            if (random.nextInt(3) == 0) {
                fs.mkdirs(path);
                directories.add(path);
            } else {
                fs.create(path).close();
            }
        }
        write("big", bytes(1, 2 * BLOCK + 5));
        Map<Path, String> plain = plain(directory);
        assertTrue(plain.size() > 80);
        for (int entries : new int[] {1, 3, 1000}) {
            try (FileSystem files = withPagesOf(entries)) {
                assertEquals(plain, all(files.listFiles(directory, true)), entries + " entries a page");
            }
        }
        Path big = new Path(directory, "big");
        assertEquals(plain(big), all(fs.listFiles(big, true)), "of a file, itself");
        fs.setWorkingDirectory(directory);
        assertEquals(plain, all(fs.listFiles(new Path("."), true)));
        assertThrows(FileNotFoundException.class, () -> fs.listFiles(new Path(directory, "nowhere"), true));
        assertThrows(FileNotFoundException.class, () -> fs.listFiles(new Path(big, "below"), true));
    }

    @Test
    void three_thousand_files_take_a_handful_of_requests() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            names.add("part=" + i % 300 + "/file-" + i);
        }
        ManyFiles.make(fs, directory, names);
        try (CountingLine line = new CountingLine(fs.getUri(), false);
                FileSystem files = FileSystem.newInstance(line.uri(), new Configuration())) {
            int before = line.looks();
            assertEquals(3_000, all(files.listFiles(directory, true)).size());
            int requests = line.looks() - before;
            assertTrue(requests > 0 && requests <= 5, requests + " requests");
            before = line.looks();
            assertEquals(
                    3_000,
                    all(new FilterFileSystem(files).listFiles(directory, true)).size());
            assertTrue(line.looks() - before > 300, "the old way is what it is compared with");
        }
    }

    /** The status is asked for behind what is under way, over the same connection, so the line has seen all before it. */
    @Test
    void the_next_page_is_asked_for_ahead_and_nothing_else() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            names.add("file-" + i);
        }
        ManyFiles.make(fs, directory, names);
        Configuration conf = new Configuration();
        conf.setInt("fs.hmfs.list.page.entries", 10);
        try (CountingLine line = new CountingLine(fs.getUri(), false);
                FileSystem files = FileSystem.newInstance(line.uri(), conf)) {
            for (int kind = 0; kind < 3; kind++) {
                int before = line.looks();
                RemoteIterator<? extends FileStatus> listing = switch (kind) {
                    case 0 -> files.listStatusIterator(directory);
                    case 1 -> files.listLocatedStatus(directory);
                    default -> files.listFiles(directory, true);
                };
                listing.next();
                files.getFileStatus(directory);
                assertEquals(2 + 1, line.looks() - before, "a page, the next one, and the status");
                int entries = 1;
                while (listing.hasNext()) {
                    listing.next();
                    entries++;
                }
                assertEquals(40, entries);
                files.getFileStatus(directory);
                // With the second page and the third, two are under way behind it; a tree has one.
                int behindTheEnd = kind < 2 ? 2 : 0;
                assertEquals(4 + behindTheEnd + 2, line.looks() - before, "nothing is asked for twice");
            }
        }
    }

    @Test
    void a_tree_too_deep_for_one_listing_is_listed_all_the_same() throws IOException {
        Path deep = new Path(directory, String.join("/", Collections.nCopies(1_300, "d")));
        for (String name : List.of("d/f", "d/d/d/f")) {
            fs.create(new Path(directory, name)).close();
        }
        fs.create(new Path(deep, "f")).close();
        fs.create(new Path(deep, "g")).close();
        fs.create(new Path(deep.getParent(), "f")).close();
        assertEquals(5, plain(directory).size());
        try (FileSystem files = withPagesOf(100)) {
            assertEquals(plain(directory), all(files.listFiles(directory, true)));
        }
    }

    @Test
    void what_may_be_seen_comes_before_the_refusal() throws Exception {
        fs.setPermission(directory, new FsPermission((short) 0755));
        fs.mkdirs(new Path(directory, "closed"), new FsPermission((short) 0700));
        fs.create(new Path(directory, "a")).close();
        fs.create(new Path(directory, "b")).close();
        UserGroupInformation eve = UserGroupInformation.createUserForTesting("hmfs-eve", new String[0]);
        try (FileSystem files = eve.doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(fs.getUri(), new Configuration()))) {
            RemoteIterator<LocatedFileStatus> listing = files.listFiles(directory, true);
            assertEquals("a", listing.next().getPath().getName());
            assertEquals("b", listing.next().getPath().getName());
            AccessControlException refused = assertThrows(AccessControlException.class, listing::hasNext);
            assertTrue(String.valueOf(refused.getMessage()).contains(directory + "/closed\""), refused.getMessage());
        }
    }

    @Test
    void a_directory_that_goes_meanwhile_is_left_out() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            names.add("d" + i % 4 + "/f" + i);
        }
        ManyFiles.make(fs, directory, names);
        try (FileSystem files = withPagesOf(3)) {
            RemoteIterator<LocatedFileStatus> listing = files.listFiles(directory, true);
            Path first = listing.next().getPath();
            Set<Path> found = new HashSet<>(Set.of(first));
            for (int i = 0; i < 4; i++) {
                Path each = new Path(directory, "d" + i);
                if (!first.getParent().equals(fs.makeQualified(each))) {
                    assertTrue(fs.delete(each, true));
                }
            }
            while (listing.hasNext()) {
                found.add(listing.next().getPath());
            }
            for (FileStatus kept : fs.listStatus(first.getParent())) {
                assertTrue(found.contains(kept.getPath()), () -> kept.getPath() + " was not met");
            }
        }
    }
}
