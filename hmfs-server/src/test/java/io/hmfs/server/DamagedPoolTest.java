package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.Census;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.QuotaInfo;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ScrubStatus;
import io.hmfs.client.TreeCursor;
import io.hmfs.client.TreePage;
import io.hmfs.core.Hmfs;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Progress;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a client never gets the bytes of another file because of a damaged record, hears what is wrong, and gets all else; and a server asks for a check where
 * it was told to. Method: a server that is stopped, words of its pool changed, and a server started on it.
 */
final class DamagedPoolTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);

    @TempDir
    Path directory;

    private static FileInfo write(HmfsClient client, String path, int letter) throws IOException {
        byte[] bytes = new byte[600];
        Arrays.fill(bytes, (byte) letter);
        LeasedFiles.of(client, path, PLAIN, bytes);
        return client.stat(path);
    }

    private static void refused(Executable call) {
        HmfsException refused = assertThrows(HmfsException.class, call);
        assertEquals(ResultCode.DAMAGED, refused.code(), refused.getMessage());
        assertTrue(String.valueOf(refused.getMessage()).contains("hmfs fsck"), refused.getMessage());
    }

    @Test
    void aFileWithTheIdOfAnotherIsRefusedAndAllElseIsServed() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            FileInfo one;
            FileInfo two;
            try (HmfsClient client = fixture.client()) {
                client.mkdir("/a", 0755, false);
                one = write(client, "/a/one", '1');
                two = write(client, "/a/two", '2');
            }
            fixture.restartAfter(pool -> PoolEntries.store(pool, two.id(), EntryRecord.ID_OFFSET, one.id()));
            try (HmfsClient client = fixture.client()) {
                refused(() -> client.stat("/a/two"));
                refused(() -> client.open("/a/two", true, false));
                refused(() -> client.open("/a/two", true, true));
                refused(() -> client.create("/a/two", PLAIN));
                refused(() -> client.truncate("/a/two", 0));
                refused(() -> client.chmod("/a/two", 0600));
                refused(() -> client.rename("/a/two", "/a/three", false));
                refused(() -> client.rename("/a/one", "/a/two", true));
                refused(() -> client.delete("/a/two"));
                refused(() -> client.append(two, 601));
                // Else the objects of the second file would be those of no file to a collection, and be removed.
                refused(() -> new Census(client).run(new Census.Visitor() {
                    @Override
                    public void file(long inode, long size) {}

                    @Override
                    public void progress(long listed, long known) {}
                }));
                OpenedFile read = client.open("/a/one", true, false);
                byte[] bytes = new byte[600];
                assertEquals(600, client.readBlock(read.info().id(), 0, 0, bytes, 0, 600));
                byte[] expected = new byte[600];
                Arrays.fill(expected, (byte) '1');
                assertArrayEquals(expected, bytes);
                refusedBecauseOf("/a", () -> client.list("/a", ListingCursor.START, 10));
                client.rename("/a/one", "/a/four", false);
                write(client, "/a/new", '3');
            }
            fixture.restartAfter(pool -> {
                var report = Hmfs.check(pool, Progress.NONE);
                assertEquals(1, report.damage(), () -> report.findings().toString());
                assertTrue(
                        report.findings().getFirst().object().contains("'/a/two'"),
                        () -> report.findings().toString());
                assertEquals(0, Hmfs.repair(pool, Progress.NONE).damage());
            });
            try (HmfsClient client = fixture.client()) {
                FileInfo repaired = client.stat("/a/two");
                assertEquals(600, repaired.size());
                assertTrue(repaired.id() != one.id() && repaired.id() != two.id());
                client.delete("/a/two");
                assertEquals(600, client.readBlock(one.id(), 0, 0, new byte[600], 0, 600));
            }
        }
    }

    /** A directory on the way counts as well. */
    @Test
    void aDamagedDirectoryIsRefused() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            FileInfo inner;
            try (HmfsClient client = fixture.client()) {
                client.mkdir("/a", 0755, false);
                client.mkdir("/b", 0755, false);
                inner = write(client, "/a/one", '1');
                write(client, "/b/two", '2');
            }
            long[] damaged = new long[1];
            try (HmfsClient client = fixture.client()) {
                damaged[0] = client.stat("/a").id();
            }
            fixture.restartAfter(pool -> PoolEntries.store(pool, damaged[0], EntryRecord.ID_OFFSET, inner.id()));
            try (HmfsClient client = fixture.client()) {
                refused(() -> client.stat("/a/one"));
                refused(() -> client.stat("/a"));
                refused(() -> client.list("/a", ListingCursor.START, 10));
                assertEquals(600, client.stat("/b/two").size());
            }
        }
    }

    private static void refusedBecauseOf(String directory, Executable call) {
        HmfsException refused = assertThrows(HmfsException.class, call);
        assertEquals(ResultCode.DAMAGED, refused.code(), refused.getMessage());
        assertTrue(refused.reason().startsWith("an entry of " + directory + " is damaged"), refused.reason());
        assertTrue(refused.reason().contains("hmfs fsck"), refused.reason());
    }

    private static List<String> listed(HmfsClient client, String path) throws IOException {
        List<String> all = new ArrayList<>();
        TreeCursor at = TreeCursor.START;
        while (at != null) {
            TreePage page = client.trees().list(path, at, 3);
            page.entries().forEach(each -> all.add(each.name()));
            at = page.next();
        }
        return all;
    }

    /** The record of a directory says that it is another one: nothing goes down into that one, least of all the removal of a tree. */
    @Test
    void noWalkGoesIntoAnotherDirectory() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            FileInfo keep;
            FileInfo in;
            try (HmfsClient client = fixture.client()) {
                client.mkdir("/keep/deep", 0777, true);
                write(client, "/keep/file", '1');
                write(client, "/keep/deep/file", '2');
                client.mkdir("/t/u/in", 0777, true);
                write(client, "/t/u/in/file", '3');
                client.mkdir("/limited", 0777, false);
                client.trees().setQuota("/limited", 1_000, QuotaInfo.NONE);
                client.chmod("/", 0777);
                client.chmod("/t", 0777);
                client.chmod("/t/u", 0777);
                keep = client.stat("/keep");
                in = client.stat("/t/u/in");
            }
            fixture.restartAfter(pool -> PoolEntries.store(pool, in.id(), EntryRecord.ID_OFFSET, keep.id()));
            try (HmfsClient client = fixture.client();
                    HmfsClient eve = fixture.client("eve")) {
                assertEquals(List.of("deep", "deep/file", "file"), sorted(listed(client, "/keep")));
                refusedBecauseOf("/t/u", () -> listed(client, "/t"));
                refusedBecauseOf("/t/u", () -> client.trees().summary("/t"));
                refusedBecauseOf("/t/u", () -> eve.trees().remove("/t"));
                refused(() -> client.rename("/t", "/limited/t", false));
                ScrubStatus scrub = scrubbed(client);
                assertEquals(1, scrub.damaged());
                ScrubStatus.Damage damage = scrub.damages().getFirst();
                assertEquals(List.of("/t/u", 0L, 0L), List.of(damage.path(), damage.from(), damage.to()));
                assertEquals(2, scrub.files(), "those of /keep");
                client.trees().setQuota("/t", 1_000, QuotaInfo.NONE);
                client.mkdir("/t/new", 0755, false);
                refused(() -> client.rename("/t", "/limited/t", false)); // what its quota has counted is not all
                client.trees().setQuota("/t", QuotaInfo.NONE, QuotaInfo.NONE);
                // What is below a directory before the damaged entry is met first, and the entry once.
                client.mkdir("/t/u/before", 0755, false);
                write(client, "/t/u/before/file", '4');
                TreePage first = client.trees().list("/t", TreeCursor.START, 1_000);
                assertTrue(first.entries().stream().anyMatch(each -> each.name().equals("u/before/file")));
                ScrubStatus again = scrubbed(client);
                assertEquals(1, again.damaged());
                assertEquals(3, again.files());
                client.trees().remove("/t"); // a superuser's clearance looks at nothing: see TreeReaperTest
                assertEquals(List.of("deep", "deep/file", "file"), sorted(listed(client, "/keep")));
                assertEquals(600, client.stat("/keep/deep/file").size());
            }
        }
    }

    private static ScrubStatus scrubbed(HmfsClient client) throws Exception {
        client.beginScrub(0);
        Await.until("the scrub's end", () -> !client.scrub(0).isRunning());
        return client.scrub(0);
    }

    private static List<String> sorted(List<String> names) {
        return names.stream().sorted().toList();
    }

    /** A quota whose directory is damaged, for a time, is there again with it. */
    @Test
    void aQuotaStaysWithADamagedDirectory() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            FileInfo limited;
            try (HmfsClient client = fixture.client()) {
                client.mkdir("/q/limited", 0755, true);
                client.mkdir("/gone", 0755, true);
                client.trees().setQuota("/q/limited", 1, QuotaInfo.NONE);
                client.trees().setQuota("/gone", 1, QuotaInfo.NONE);
                limited = client.stat("/q/limited");
            }
            fixture.restartAfter(pool -> PoolEntries.store(pool, limited.id(), EntryRecord.PARENT_OFFSET, 1));
            try (HmfsClient client = fixture.client()) {
                client.trees().remove("/gone");
            }
            fixture.restartAfter(
                    pool -> PoolEntries.store(pool, limited.id(), EntryRecord.PARENT_OFFSET, limited.parentId()));
            try (HmfsClient client = fixture.client()) {
                HmfsException full = assertThrows(HmfsException.class, () -> client.mkdir("/q/limited/d", 0755, false));
                assertEquals(ResultCode.NAME_QUOTA_EXCEEDED, full.code());
                assertTrue(client.metrics().contains("\nhmfs_quota_directories 1.0\n"), client.metrics());
            }
        }
    }

    @Test
    void aServerThatAsksForACheckDoesNotServeAPoolThatTheMachineHasLeftOpen() throws IOException {
        try (ServerFixture fixture =
                new ServerFixture(directory, builder -> builder.set(ServerSetting.REFUSE_UNCHECKED, true))) {
            fixture.restart();
            PoolException refused =
                    assertThrows(PoolException.class, () -> fixture.restartAfter(DamagedPoolTest::leaveOpen));
            assertEquals(PoolException.Reason.NOT_CHECKED, refused.reason());
            fixture.restartAfter(pool ->
                    assertEquals(List.of(), Hmfs.check(pool, Progress.NONE).findings()));
            try (HmfsClient client = fixture.client()) {
                client.mkdir("/a", 0755, false);
            }
        }
    }

    private static void leaveOpen(Path pool) throws IOException {
        try (PoolFile file = PoolFiles.open(pool, Persistence.PROCESS, false)) {
            file.pmem().set(file.header() + PoolHeader.STATE_OFFSET, 0);
            long boot = file.header() + PoolHeader.BOOT_LOW_OFFSET;
            file.pmem().set(boot, file.pmem().get(boot) ^ 1);
        }
    }
}
