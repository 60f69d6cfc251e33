package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: symbolic links are followed on this filesystem and to another one, with a bound, and removals do not follow
 * them.
 * Method: FileSystem on the shared server, and the local filesystem as the other one. Hadoop's own suite: {@link
 * SymlinkSuitesTest}.
 */
class FileSystemSymlinkTest extends OwnDirectory {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    java.nio.file.Path local;

    @BeforeEach
    void enable() {
        FileSystem.enableSymlinks();
    }

    private Path link(String name, Path target) throws IOException {
        Path link = new Path(directory, name);
        fs.createSymlink(target, link, false);
        return link;
    }

    @Test
    void every_operation_goes_where_the_link_leads() throws IOException {
        fs.mkdirs(new Path(directory, "d"));
        Path dir = link("dir", new Path("d"));
        Path file = new Path(directory, "d/f");
        Path through = new Path(dir, "f");
        byte[] data = bytes(1, 3 * CHUNK);
        try (FSDataOutputStream out = fs.create(through)) {
            out.write(data);
        }
        assertArrayEquals(data, read(file));
        assertArrayEquals(data, read(through));
        assertEquals(fs.makeQualified(file), fs.getFileStatus(through).getPath());
        Path link = link("link", through);
        try (FSDataOutputStream out = fs.append(link)) {
            out.write(7);
        }
        assertEquals(data.length + 1, fs.getFileStatus(link).getLen());
        fs.truncate(link, 10);
        fs.setPermission(link, new FsPermission((short) 0600));
        fs.setTimes(link, 1_000, -1);
        fs.setOwner(link, null, "wheel");
        fs.setXAttr(link, "user.a", new byte[] {1});
        assertEquals(List.of("user.a"), fs.listXAttrs(file));
        assertArrayEquals(new byte[] {1}, fs.getXAttr(link, "user.a"));
        FileStatus status = fs.getFileStatus(file);
        assertEquals(
                "10 rw------- 1000 wheel",
                status.getLen() + " " + status.getPermission() + " " + status.getModificationTime() + " "
                        + status.getGroup());
        assertTrue(fs.rename(through, new Path(dir, "g")));
        assertTrue(fs.exists(new Path(directory, "d/g")));
        assertFalse(fs.exists(link), "it leads nowhere now");
        assertTrue(fs.getFileLinkStatus(link).isSymlink());
        assertTrue(fs.delete(new Path(dir, "g"), false));
        assertTrue(fs.mkdirs(new Path(dir, "sub/sub")));
        assertTrue(fs.getFileStatus(new Path(directory, "d/sub/sub")).isDirectory());
    }

    @Test
    void a_relative_target_starts_where_the_link_stands_also_if_other_links_lead_to_it() throws IOException {
        fs.mkdirs(new Path(directory, "d/sub"));
        link("d/sub/link", new Path("../target"));
        Path through = new Path(link("way", new Path("d/sub")), "link");
        Path target = fs.makeQualified(new Path(directory, "d/target"));

        assertEquals(target, fs.getFileLinkStatus(through).getSymlink());
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        assertEquals(target, context.getFileLinkStatus(through).getSymlink());
        assertEquals(new Path("../target"), context.getLinkTarget(through));
    }

    @Test
    void a_link_that_is_renamed_to_its_target_behind_another_link_goes_nowhere_else() throws IOException {
        HmfsFileSystem files = (HmfsFileSystem) fs;
        Path nowhere = new Path(directory, "nowhere");
        Path target = new Path(link("way", nowhere), "x");
        Path link = link("link", target);
        assertThrows(FileNotFoundException.class, () -> files.rename(link, target, Options.Rename.OVERWRITE));
        assertThrows(FileNotFoundException.class, () -> fs.getFileLinkStatus(nowhere));

        Path missing = new Path(directory, "missing/x");
        Path other = link("other", missing);
        assertThrows(FileAlreadyExistsException.class, () -> files.rename(other, missing, Options.Rename.NONE));

        fs.mkdirs(nowhere);
        files.rename(link, target, Options.Rename.NONE);
        assertTrue(fs.getFileLinkStatus(new Path(nowhere, "x")).isSymlink());
    }

    @Test
    void concat_follows_links_on_the_way_and_refuses_one_in_a_files_place() throws IOException {
        fs.mkdirs(new Path(directory, "d"));
        Path dir = link("dir", new Path("d"));
        Path[] files = {new Path(dir, "a"), new Path(dir, "b"), new Path(directory, "d/c")};
        for (Path file : files) {
            try (FSDataOutputStream out = fs.create(file)) {
                out.write(bytes(1, 10));
            }
        }
        fs.concat(files[0], new Path[] {files[1], files[2]});
        assertEquals(30, fs.getFileStatus(new Path(directory, "d/a")).getLen());
        assertFalse(fs.exists(files[1]));

        Path link = link("link", files[0]);
        IOException refused = assertThrows(IOException.class, () -> fs.concat(link, new Path[] {files[0]}));
        assertTrue(String.valueOf(refused.getMessage()).contains("is a symbolic link"), refused::toString);

        // Behind a link HDFS looks for links first, whatever else is wrong: here the target is a directory.
        Path below = new Path(dir, "below");
        fs.mkdirs(below);
        IOException first = assertThrows(IOException.class, () -> fs.concat(below, new Path[] {link}));
        assertTrue(
                String.valueOf(first.getMessage()).startsWith("Cannot concat with a symlink src: "), first::toString);

        Path nowhere = new Path(link("gone", new Path("missing")), "f");
        assertThrows(FileNotFoundException.class, () -> fs.concat(nowhere, files));
    }

    @Test
    void files_behind_links_that_lead_in_a_circle_are_listed_up_to_an_error() throws IOException {
        fs.mkdirs(new Path(directory, "d"));
        link("d/back", directory);
        fs.create(new Path(directory, "d/f")).close();
        RemoteIterator<LocatedFileStatus> files = fs.listFiles(directory, true);
        IOException refused = assertThrows(IOException.class, () -> {
            for (int i = 0; i < 1_000; i++) {
                files.next();
            }
        });
        assertTrue(String.valueOf(refused.getMessage()).contains("Possible cyclic loop"), refused::toString);
    }

    @Test
    void quota_usage_counts_a_link_that_ends_the_path_and_follows_others() throws IOException {
        fs.mkdirs(new Path(directory, "d/e"));
        Path dir = link("dir", new Path("d"));
        assertEquals(1, fs.getQuotaUsage(dir).getFileAndDirectoryCount());
        assertEquals(1, fs.getQuotaUsage(link("nowhere", new Path("missing"))).getFileAndDirectoryCount());
        fs.setQuota(new Path(directory, "d/e"), 10, 1 << 20);
        assertEquals(10, fs.getQuotaUsage(new Path(dir, "e")).getQuota());
    }

    @Test
    void a_file_context_makes_no_parents_behind_a_link_that_leads_nowhere() throws IOException {
        FileContext context = FileContext.getFileContext(fs.getUri(), new Configuration());
        Path nowhere = link("nowhere", new Path("missing/file"));
        EnumSet<CreateFlag> create = EnumSet.of(CreateFlag.CREATE);
        assertThrows(FileNotFoundException.class, () -> context.create(nowhere, create));
        assertFalse(fs.exists(new Path(directory, "missing")));
        context.create(link("near", new Path("file")), create).close();
        assertTrue(fs.getFileStatus(new Path(directory, "file")).isFile());
        context.create(nowhere, create, CreateOpts.createParent()).close();
        assertTrue(fs.exists(new Path(directory, "missing/file")));
        assertThrows(
                ParentNotDirectoryException.class, () -> context.create(new Path(directory, "file/below"), create));
    }

    @Test
    void a_content_summary_of_a_link_counts_the_link() throws IOException {
        fs.mkdirs(new Path(directory, "d"));
        write("d/f", bytes(1, 10));
        Path link = link("link", new Path("d"));
        assertEquals(10, fs.getContentSummary(new Path(directory, "d")).getLength());
        for (Path each : List.of(link, link("nowhere", new Path("missing")))) {
            ContentSummary sum = fs.getContentSummary(each);
            assertEquals(List.of(0L, 1L, 0L), List.of(sum.getLength(), sum.getFileCount(), sum.getDirectoryCount()));
        }
        assertEquals(10, fs.getContentSummary(new Path(link, "f")).getLength(), "a link on the way is followed");
    }

    @Test
    void a_listing_shows_links_as_links() throws IOException {
        fs.mkdirs(new Path(directory, "d"));
        write("d/f", bytes(1, 1));
        link("a", new Path("d"));
        link("b", new Path("hdfs://other:1/x"));
        List<String> shown = new ArrayList<>();
        for (FileStatus each : fs.listStatus(directory)) {
            shown.add(each.getPath().getName() + (each.isSymlink() ? " -> " + each.getSymlink() : ""));
            assertFalse(each.isSymlink() && (each.isFile() || each.isDirectory()), each.toString());
        }
        assertEquals(List.of("a -> d", "b -> hdfs://other:1/x", "d"), shown);
        assertEquals(1, fs.listStatus(new Path(directory, "a")).length);
    }

    @Test
    void a_recursive_delete_takes_the_link_and_not_what_it_leads_to() throws IOException {
        Path kept = new Path(directory, "kept");
        fs.mkdirs(kept);
        write("kept/f", bytes(1, 1));
        fs.mkdirs(new Path(directory, "gone"));
        link("gone/link", kept);
        assertTrue(fs.delete(new Path(directory, "gone"), true));
        assertTrue(fs.exists(new Path(kept, "f")));
        Path link = link("link", kept);
        assertTrue(fs.delete(link, true));
        assertTrue(fs.exists(new Path(kept, "f")));
        assertThrows(IOException.class, () -> fs.getFileLinkStatus(link));
    }

    private static HmfsClient client() throws IOException {
        URI uri = TestServerProcess.shared().uri();
        return HmfsClient.connect(uri.getHost(), uri.getPort(), ClientOptions.defaults());
    }

    @Test
    void a_target_that_only_looks_like_a_filesystem_spoils_no_listing() throws IOException {
        Path odd = new Path(directory, "odd");
        try (HmfsClient client = client()) {
            client.symlink(odd.toUri().getPath(), "a:b", new CreateOptions(0, false, false, 0755));
        }
        assertEquals(1, fs.listStatus(directory).length);
        assertTrue(fs.getFileLinkStatus(odd).getSymlink().toString().contains("a:b"));
        assertThrows(IOException.class, () -> fs.getFileStatus(odd));
    }

    @Test
    void a_link_may_lead_to_another_filesystem() throws IOException {
        Files.writeString(local.resolve("f"), "local");
        Path link = link("local", new Path(local.toUri()));
        Path file = new Path(link, "f");
        assertArrayEquals("local".getBytes(java.nio.charset.StandardCharsets.UTF_8), read(file));
        assertEquals("file", fs.getFileStatus(file).getPath().toUri().getScheme());
        assertEquals(1, fs.listStatus(link).length);
        try (FSDataOutputStream out = fs.create(new Path(link, "made"))) {
            out.write(1);
        }
        assertEquals(1, Files.size(local.resolve("made")));
        assertTrue(fs.mkdirs(new Path(link, "d/e")));
        assertTrue(fs.delete(new Path(link, "made"), false));
        assertFalse(Files.exists(local.resolve("made")));
        Path here = write("here", bytes(1, 1));
        String message = String.valueOf(assertThrows(IOException.class, () -> fs.rename(here, new Path(link, "x")))
                .getMessage());
        assertTrue(message.contains("across filesystems"), message);
        assertTrue(fs.exists(here));
    }

    @Test
    void a_chain_is_followed_so_far_and_a_loop_is_an_error() throws IOException {
        write("0", bytes(1, 5));
        for (int i = 1; i <= 40; i++) {
            link(Integer.toString(i), new Path(Integer.toString(i - 1)));
        }
        assertEquals(5, fs.getFileStatus(new Path(directory, "33")).getLen());
        for (String looping : List.of("34", "loop", "loop/f")) {
            if (looping.equals("loop")) {
                link("loop", new Path("loop"));
            }
            Path path = new Path(directory, looping);
            String message = String.valueOf(assertThrows(IOException.class, () -> fs.getFileStatus(path))
                    .getMessage());
            assertTrue(message.contains("Possible cyclic loop") && message.contains(path.toString()), message);
        }
    }

    private static List<String> files(FileSystem files, Path path) throws IOException {
        List<String> found = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> listing = files.listFiles(path, true);
        while (listing.hasNext()) {
            LocatedFileStatus next = listing.next();
            found.add(next.getPath() + " " + next.getLen());
        }
        Collections.sort(found);
        return found;
    }

    /** Hadoop's own lists directory by directory, and a link as if it were one. */
    @Test
    void a_recursive_listing_goes_where_the_links_lead_as_that_of_Hadoop_does() throws IOException {
        write("tree/inner/f", bytes(1, 10));
        write("tree/g", bytes(1, 20));
        write("beside/h", bytes(1, 30));
        write("beside/inner/i", bytes(1, 40));
        Files.writeString(local.resolve("far"), "far");
        link("tree/toTree", new Path("../beside"));
        link("tree/inner/toFile", new Path("../g"));
        link("tree/inner/nowhere", new Path("gone"));
        link("tree/inner/toLink", new Path("../toTree"));
        link("beside/elsewhere", new Path(local.toUri()));
        Path tree = new Path(directory, "tree");
        List<String> plain = files(new FilterFileSystem(fs), tree);
        assertEquals(9, plain.size(), plain.toString());
        assertEquals(plain, files(fs, tree));
        assertEquals(files(fs, new Path(directory, "beside")), files(fs, new Path(tree, "toTree")));
        assertEquals(1, files(fs, new Path(tree, "inner/toFile")).size());
        assertThrows(FileNotFoundException.class, () -> fs.listFiles(new Path(tree, "inner/nowhere"), true));
    }
}
