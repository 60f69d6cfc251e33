package io.hmfs.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.DirectoryAnswer;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a server that keeps pages of listings answers as one that keeps none: to those that may list only, with what is there now, page after page; and its
 * metrics tell what the cache does. Method: two users on a real server; what was kept is counted, so that a page that was made anew proves nothing.
 */
class KeptPagesTest {
    private static final int FILES = 40;
    private static final int PAGE = 16;
    private static final String P = "/p";

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private ServerFixture fixture;
    private HmfsClient admin;
    private HmfsClient bob;
    private HmfsClient eve;

    private void serve(long cacheBytes) throws IOException {
        fixture = new ServerFixture(
                directory,
                builder -> builder.set(ServerSetting.ADMIN_HOST, "127.0.0.1")
                        .set(ServerSetting.ADMIN_PORT, 0)
                        .set(ServerSetting.LISTING_CACHE_BYTES, cacheBytes));
        admin = fixture.client();
        bob = fixture.client("bob");
        eve = fixture.client("eve");
        admin.mkdir(P, 0700, false);
        for (int i = 0; i < FILES; i++) {
            admin.create(P + "/f" + i, UsersOfOneServer.PLAIN);
        }
        admin.chown(P, "bob", "staff");
    }

    @BeforeEach
    void start() throws IOException {
        serve(1 << 20);
    }

    @AfterEach
    void stop() {
        eve.close();
        bob.close();
        admin.close();
        fixture.close();
    }

    private long metric(String name) throws Exception {
        InetSocketAddress at = fixture.server().adminAddress();
        assertNotNull(at);
        URI uri = URI.create("http://127.0.0.1:" + at.getPort() + "/metrics");
        String text = http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        Matcher line =
                Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? ([0-9.E]+)$").matcher(text);
        assertTrue(line.find(), name);
        return (long) Double.parseDouble(line.group(1));
    }

    private long hits() throws Exception {
        return metric("hmfs_listing_cache_hits_total");
    }

    private static List<FileInfo> all(HmfsClient client, String path) throws IOException {
        List<FileInfo> found = new ArrayList<>();
        for (ListingCursor at = ListingCursor.START; at != null; ) {
            ListPage page = client.list(path, at, PAGE);
            found.addAll(page.entries());
            at = page.next();
        }
        return found;
    }

    @Test
    void onlyThoseThatMayListAreAnsweredWithAKeptPage() throws Exception {
        List<FileInfo> made = all(bob, P);
        assertEquals(made, all(bob, P));
        long before = hits();
        assertEquals(made, all(bob, P));
        assertEquals(before + 2, hits()); // of three pages, the last is too short to be kept
        UsersOfOneServer.denied(() -> eve.list(P, ListingCursor.START, PAGE));
        assertEquals(before + 2, hits());

        admin.chmod(P, 0705);
        assertEquals(made, all(eve, P));
        assertEquals(before + 4, hits()); // the mode of the directory itself is in no page of it
        admin.chmod(P, 0700);
        UsersOfOneServer.denied(() -> eve.list(P, ListingCursor.START, PAGE));
    }

    @Test
    void whatChangesIsToldAtOnce() throws Exception {
        all(bob, P);
        all(bob, P);
        long before = hits();
        all(bob, P);
        assertEquals(before + 2, hits());
        admin.chmod(P + "/f3", 0600);
        List<FileInfo> found = all(bob, P);
        assertEquals(before + 2, hits());
        assertEquals(FILES, found.size());
        assertEquals(1, found.stream().filter(entry -> entry.mode() == 0600).count());
        admin.delete(P + "/f3");
        assertEquals(FILES - 1, all(bob, P).size());
    }

    @Test
    void aRequestForManyDirectoriesFindsThePagesThatOneForOneHasKept() throws Exception {
        String other = "/other";
        admin.mkdir(other, 0755, false);
        List<FileInfo> made = bob.list(P, ListingCursor.START, 0).entries();
        bob.list(P, ListingCursor.START, 0);
        long before = hits();
        List<DirectoryAnswer> answers = bob.listMany(List.of(other, P), ListingCursor.START, 0);
        assertEquals(made, requireNonNull(answers.get(1).page()).entries());
        assertEquals(before + 1, hits()); // its bounds are smaller than the default, but greater than the page
        bob.listMany(List.of(P), ListingCursor.START, FILES);
        bob.listMany(List.of(P), ListingCursor.START, FILES - 1);
        assertEquals(before + 1, hits()); // bounds that the page fills or exceeds: it is made anew
        assertTrue(metric("hmfs_listing_cache_bytes") > FILES * 20);
        assertTrue(metric("hmfs_listing_cache_misses_total") >= 2);
    }

    @Test
    void aServerMayKeepNone() throws Exception {
        stop();
        directory = directory.resolve("none");
        assertTrue(directory.toFile().mkdir());
        serve(0);
        List<FileInfo> made = all(bob, P);
        assertEquals(made, all(bob, P));
        assertEquals(made, all(bob, P));
        assertEquals(0, hits());
        assertEquals(0, metric("hmfs_listing_cache_bytes"));
        assertEquals(0, metric("hmfs_listing_cache_misses_total"));
    }
}
