package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the disk of the other tests keeps what was synced, may lose all else, and lies as it is told. Method: files are written through it,
 * its power is cut with many seeds, and what is left is compared.
 */
@Timeout(120)
class LyingDiskTest {
    private static final int SECTOR = 512;
    private static final int SEEDS = 60;
    private static final String NAME = "f";

    @TempDir
    private Path directory;

    private static void fill(FileChannel file, int value, long at, int count) throws IOException {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) value);
        file.write(ByteBuffer.wrap(bytes), at);
    }

    private static FileChannel open(LyingDisk disk) throws IOException {
        return FileChannel.open(
                disk.path().resolve(NAME),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Test
    void whatWasNotSyncedStaysOrGoesBySectors() throws Exception {
        Set<String> seen = new TreeSet<>();
        try (LyingDisk disk = LyingDisk.mount(directory, 1)) {
            for (int seed = 0; seed < SEEDS; seed++) {
                try (FileChannel file = open(disk)) {
                    file.truncate(0);
                    fill(file, 1, 0, 10 * SECTOR);
                    file.force(false);
                    sync(disk.path());
                    fill(file, 2, 2 * SECTOR, 10 * SECTOR);
                    fill(file, 3, 4 * SECTOR, 2 * SECTOR);
                }
                disk.cut(seed);
                disk.powerOn();
                byte[] left = Files.readAllBytes(disk.path().resolve(NAME));
                StringBuilder text = new StringBuilder();
                for (int at = 0; at < left.length; at += SECTOR) {
                    byte[] sector = Arrays.copyOfRange(left, at, at + SECTOR);
                    byte[] expected = new byte[SECTOR];
                    Arrays.fill(expected, sector[0]);
                    assertArrayEquals(expected, sector, "a sector is not torn");
                    text.append(sector[0]);
                }
                assertTrue(text.toString().matches("11[12]{2}[123]{2}[12]{4}([02]{2})?"), text::toString);
                seen.add(text.toString());
            }
        }
        assertTrue(seen.contains("1111111111"), "all of it lost");
        assertTrue(seen.contains("112233222222"), "nothing lost");
        assertTrue(seen.size() > SEEDS / 4, seen::toString);
    }

    @Test
    void namesThatWereNotSyncedComeBack() throws Exception {
        Set<Set<String>> seen = new HashSet<>();
        try (LyingDisk disk = LyingDisk.mount(directory, 1)) {
            for (int seed = 0; seed < SEEDS; seed++) {
                Path at = Files.createDirectory(disk.path().resolve("d" + seed));
                sync(disk.path());
                Files.writeString(at.resolve("old"), "old");
                Files.writeString(at.resolve("other"), "other");
                disk.command("settle");
                Files.delete(at.resolve("old"));
                Files.move(at.resolve("other"), at.resolve("old"), StandardCopyOption.ATOMIC_MOVE);
                Files.writeString(at.resolve("new"), "new");
                disk.cut(seed);
                disk.powerOn();
                Set<String> left = new TreeSet<>();
                try (var files = Files.list(at)) {
                    for (Path each : files.toList()) {
                        String text = Files.readString(each);
                        left.add(each.getFileName() + "=" + (text.isEmpty() ? "" : text.charAt(0)));
                    }
                }
                seen.add(left);
            }
            assertTrue(seen.contains(Set.of("old=o", "other=o")), seen::toString);
            assertFalse(seen.contains(Set.of()), seen::toString);
            assertTrue(seen.size() >= 3, seen::toString);
        }
    }

    @Test
    void aSyncThatFailedOrLiedLosesWhatWasWritten() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, 1)) {
            for (String how : new String[] {LyingDisk.EIO, LyingDisk.LIE}) {
                Set<Long> sizes = new TreeSet<>();
                for (int seed = 0; seed < SEEDS; seed++) {
                    disk.rule(how, "sync", "/" + NAME, 1, 1);
                    try (FileChannel file = open(disk)) {
                        file.truncate(0);
                        file.force(true);
                        sync(disk.path());
                        fill(file, 1, 0, SECTOR);
                        if (how.equals(LyingDisk.EIO)) {
                            assertThrows(IOException.class, () -> file.force(true));
                        } else {
                            file.force(true);
                        }
                    }
                    disk.cut(seed);
                    disk.powerOn();
                    sizes.add(Files.size(disk.path().resolve(NAME)));
                }
                assertEquals(Set.of(0L, (long) SECTOR), sizes, how);
            }
        }
    }

    @Test
    void readsAndWritesThatAreShortOrFlipped() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, 1);
                FileChannel file = open(disk)) {
            fill(file, 1, 0, 100_000);
            disk.rule(LyingDisk.SHORT, "read", "/*", 1, 1);
            assertEquals(1000, file.read(ByteBuffer.allocate(1000), 0));
            assertTrue(file.read(ByteBuffer.allocate(1000), 0) < 1000);
            disk.rule(LyingDisk.SHORT, "write", "/*", 0, 1);
            assertTrue(file.write(ByteBuffer.allocate(1000), 200_000) < 1000);
            disk.rule(LyingDisk.FLIP, "read", "/*", 0, 1);
            ByteBuffer bytes = ByteBuffer.allocate(1000);
            file.read(bytes, 0);
            int differing = 0;
            for (byte each : bytes.array()) {
                differing += Integer.bitCount(each ^ 1);
            }
            assertEquals(1, differing);
            disk.rule(LyingDisk.EIO, "read", "/" + NAME, 0, 1);
            assertThrows(IOException.class, () -> file.read(ByteBuffer.allocate(1), 0));
            assertEquals(4, disk.lies());
            disk.command("room 10");
            long end = file.size();
            assertEquals(10, file.write(ByteBuffer.allocate(100), end));
            assertThrows(IOException.class, () -> file.write(ByteBuffer.allocate(100), end + 10));
        }
    }

    @Test
    void whatComesAfterTheFreezeIsNeverAnswered() throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, 1);
                FileChannel file = open(disk)) {
            fill(file, 1, 0, SECTOR);
            file.force(true);
            disk.freeze(1);
            fill(file, 2, SECTOR, SECTOR);
            CompletableFuture<Void> sync = CompletableFuture.runAsync(() -> {
                try {
                    file.force(true);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Await.until("the sync is there", disk::isFrozen);
            assertFalse(sync.isDone());
            disk.cut(1);
            assertThrows(CompletionException.class, sync::join);
        }
    }
}
