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
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.core.Hmfs;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Progress;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
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

    private static void store(Path pool, long id, long field, long value) throws IOException {
        try (PoolFile file = PoolFiles.open(pool, Persistence.PROCESS, false)) {
            file.pmem().set(entry(file, id) + field, value);
        }
    }

    private static long entry(PoolFile file, long id) {
        for (long word = file.header() + PoolHeader.REGION_TABLE_OFFSET;
                file.pmem().get(word) != 0;
                word += 8) {
            long region = file.pmem().get(word);
            if ((region & RegionKind.MASK) == RegionKind.ENTRY_SLOTS.code()) {
                long start = region & ~RegionKind.MASK;
                for (long at = start; at + EntryRecord.SIZE <= start + file.regionSize(); at += EntryRecord.SIZE) {
                    if (EntryRecord.state(file.pmem(), at) == SlotState.NORMAL
                            && EntryRecord.id(file.pmem(), at) == id) {
                        return at;
                    }
                }
            }
        }
        throw new AssertionError("no entry with id " + id);
    }

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
            fixture.restartAfter(pool -> store(pool, two.id(), EntryRecord.ID_OFFSET, one.id()));
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
                ListPage page = client.list("/a", ListingCursor.START, 10);
                assertEquals(2, page.entries().size());
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
            fixture.restartAfter(pool -> store(pool, damaged[0], EntryRecord.ID_OFFSET, inner.id()));
            try (HmfsClient client = fixture.client()) {
                refused(() -> client.stat("/a/one"));
                refused(() -> client.stat("/a"));
                refused(() -> client.list("/a", ListingCursor.START, 10));
                assertEquals(600, client.stat("/b/two").size());
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
