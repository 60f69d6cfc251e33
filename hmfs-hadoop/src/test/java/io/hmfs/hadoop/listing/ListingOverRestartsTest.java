package io.hmfs.hadoop.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.ManyFiles;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a listing goes on where it was when the server is stopped or killed and started again: what neither comes nor
 * goes meanwhile is met exactly once. Method: pages of 50 entries; in the middle of a listing SIGTERM, and then
 * SIGKILL, of a server process of its own; files made and deleted before and after each.
 */
@Tag("one-jdk")
class ListingOverRestartsTest {
    private static final Path DIRECTORY = new Path("/d");
    private static final int STAY = 2_000;
    private static final int GO = 400;
    private static final int COME = 200;

    @SuppressWarnings("NullAway.Init")
    private TestServerProcess server;

    @SuppressWarnings("NullAway.Init")
    private FileSystem fs;

    private final Configuration conf = new Configuration();
    private int subdirectories = 1;
    private int gone;
    private int come;

    @BeforeEach
    void start() throws IOException {
        server = TestServerProcess.start();
        conf.setInt("fs.hmfs.list.page.entries", 50);
        conf.set("fs.hmfs.connect.timeout", "60s");
        conf.set("fs.hmfs.request.timeout", "250s"); // a server that starts on a busy machine takes its time
        fs = FileSystem.newInstance(server.uri(), conf);
    }

    @AfterEach
    void stop() throws IOException {
        fs.close();
        server.close();
    }

    private String in(int number, String name) {
        return (subdirectories == 1 ? "" : "s" + number % subdirectories + "/") + name + number;
    }

    private void makeFiles() throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < STAY; i++) {
            names.add(in(i, "stay"));
            if (i % (STAY / GO) == 0) {
                names.add(in(i, "go"));
            }
        }
        ManyFiles.make(fs, DIRECTORY, names);
    }

    private void comeAndGo() throws IOException {
        for (int i = 0; i < GO / 4; i++) {
            assertTrue(fs.delete(new Path(DIRECTORY, in(STAY / GO * gone++, "go")), false));
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < COME; i++) {
            names.add(in(come++, "come"));
        }
        ManyFiles.make(fs, DIRECTORY, names);
    }

    private void check(RemoteIterator<? extends FileStatus> listing) throws Exception {
        Set<Path> met = new HashSet<>();
        int stayed = 0;
        while (listing.hasNext()) {
            if (met.size() == STAY / 3 || met.size() == STAY * 2 / 3) {
                comeAndGo();
                if (met.size() == STAY / 3) {
                    server.terminate();
                } else {
                    server.kill();
                }
                server.restart();
                comeAndGo();
            }
            FileStatus next = listing.next();
            assertTrue(met.add(next.getPath()), () -> next.getPath() + " came twice");
            assertTrue(next.isFile());
            stayed += next.getPath().getName().startsWith("stay") ? 1 : 0;
        }
        assertEquals(STAY, stayed);
        assertEquals(GO, gone, "two restarts");
    }

    @Test
    void list_status_iterator_goes_on() throws Exception {
        makeFiles();
        check(fs.listStatusIterator(DIRECTORY));
    }

    @Test
    void list_located_status_goes_on() throws Exception {
        makeFiles();
        check(fs.listLocatedStatus(DIRECTORY));
    }

    @Test
    void a_recursive_list_files_goes_on() throws Exception {
        subdirectories = 40;
        makeFiles();
        check(fs.listFiles(DIRECTORY, true));
    }

    @Test
    void a_listing_of_FileContext_goes_on() throws Exception {
        makeFiles();
        check(FileContext.getFileContext(server.uri(), conf).listStatus(DIRECTORY));
    }
}
