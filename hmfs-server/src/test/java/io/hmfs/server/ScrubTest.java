package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ScrubStatus;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a scrub finds all damage below the sizes of files, and nothing else; it runs when asked, or by itself, one at a time and no faster
 * than told. Method: real client and server; objects are damaged from outside.
 */
@Timeout(300)
class ScrubTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, true, 0755);
    private static final int BLOCK = ServerFixture.BLOCK_SIZE;

    @TempDir
    private Path directory;

    private ServerFixture fixture(Duration interval) throws IOException {
        return new ServerFixture(
                directory,
                builder -> builder.set(ServerSetting.SCRUB_INTERVAL, interval).set(ServerSetting.SCRUB_RATE, 1L << 30));
    }

    private static FileInfo file(HmfsClient client, String path, int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        OpenedFile file = LeasedFiles.create(client, path, PLAIN);
        for (int at = 0; at < length; at += BLOCK) {
            byte[] part = Arrays.copyOfRange(bytes, at, Math.min(length, at + BLOCK));
            LeasedFiles.write(client, file, at / BLOCK, 0, part);
        }
        return LeasedFiles.close(client, file, length);
    }

    private static Path object(ServerFixture fixture, long inode, int block) throws IOException {
        String name = Long.toHexString(inode) + "-" + block + ".v1";
        try (Stream<Path> all = Files.walk(fixture.dataDirectory())) {
            return all.filter(each -> each.getFileName().toString().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Changes a byte that stands so many bytes before an object's end. */
    private static void damage(Path object, int beforeEnd) throws IOException {
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length - beforeEnd] ^= 1;
        Files.write(object, bytes);
    }

    private static ScrubStatus scrubbed(HmfsClient client) throws Exception {
        long number = client.beginScrub(0).number();
        Await.until("the scrub's end", () -> !client.scrub(0).isRunning());
        ScrubStatus found = client.scrub(0);
        assertEquals(number, found.number());
        assertTrue(found.isWhole());
        return found;
    }

    private static Set<String> damages(ScrubStatus of) {
        return of.damages().stream()
                .map(each -> each.path() + " " + each.inode() + " " + each.from() + " to " + each.to())
                .collect(Collectors.toSet());
    }

    @Test
    void whatIsDamagedBelowASizeIsFound() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ZERO);
                HmfsClient client = fixture.client()) {
            assertEquals(0, client.scrub(0).number());
            FileInfo large = file(client, "/d/e/large", 2 * BLOCK + 1_000);
            FileInfo small = file(client, "/small", 100);
            file(client, "/sound", BLOCK + 7);
            client.mkdir("/d/empty", 0755, false);
            client.truncate("/sound", 5L * BLOCK); // a hole
            OpenedFile open = LeasedFiles.append(client, "/small");
            LeasedFiles.write(client, open, 0, 100, new byte[5_000]); // and not committed
            ScrubStatus sound = scrubbed(client);
            assertEquals(List.of(), sound.damages());
            assertEquals(0, sound.damaged());
            assertEquals(3, sound.files());
            assertEquals(6, sound.objects());
            assertEquals(3L * BLOCK + 1_000 + 100 + 7, sound.bytes());
            damage(object(fixture, large.id(), 1), BLOCK - 600); // two chunks side by side are one part
            damage(object(fixture, large.id(), 1), BLOCK - 1_030);
            damage(object(fixture, large.id(), 1), 1);
            damage(object(fixture, large.id(), 2), 1);
            damage(object(fixture, small.id(), 0), 1_000); // what no size covers
            ScrubStatus found = scrubbed(client);
            String name = "/d/e/large " + large.id() + " ";
            assertEquals(
                    Set.of(
                            name + (BLOCK + 512) + " to " + (BLOCK + 1_536),
                            name + (2 * BLOCK - 512) + " to " + 2 * BLOCK,
                            name + (2 * BLOCK + 512) + " to " + (2 * BLOCK + 1_000)),
                    damages(found));
            assertEquals(3, found.damaged());
            assertTrue(client.metrics().contains("\nhmfs_scrub_damaged_total 3.0\n"), client.metrics());
            assertTrue(client.metrics().contains("\nhmfs_scrub_objects_total 12.0\n"), client.metrics());
        }
    }

    @Test
    void ofVeryMuchDamageTheFirstIsToldInPartsAndTheRestIsCounted() throws Exception {
        String path = "/" + "n".repeat(100);
        int blocks = 5;
        try (ServerFixture fixture = fixture(Duration.ZERO);
                HmfsClient client = fixture.client()) {
            FileInfo file = file(client, path, blocks * BLOCK);
            for (int block = 0; block < blocks; block++) {
                Path object = object(fixture, file.id(), block);
                byte[] bytes = Files.readAllBytes(object);
                for (int at = 0; at < BLOCK; at += 1_024) { // each second chunk
                    bytes[bytes.length - BLOCK + at] ^= 1;
                }
                Files.write(object, bytes);
            }
            ScrubStatus found = scrubbed(client);
            assertEquals(blocks * BLOCK / 1_024, found.damaged());
            int told = 0;
            int parts = 0;
            for (int from = 0; told == 0 || from > 0; parts++) {
                ScrubStatus part = client.scrub(from);
                for (ScrubStatus.Damage each : part.damages()) {
                    assertEquals(new ScrubStatus.Damage(path, file.id(), told * 1_024L, told * 1_024L + 512), each);
                    told++;
                }
                assertTrue(part.damages().size() * path.length() < 70_000, "one reply has it all");
                from = part.next();
            }
            assertEquals(1_000, told);
            assertTrue(parts > 1);
        }
    }

    @Test
    void anObjectThatCannotBeOpenedIsCountedAndTheOthersAreRead() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ZERO)) {
            FileInfo file;
            try (HmfsClient client = fixture.client()) {
                file = file(client, "/f", 3 * BLOCK);
            }
            fixture.restart(); // no object is open
            Path object = object(fixture, file.id(), 1);
            Files.delete(object);
            Files.createDirectory(object);
            try (HmfsClient client = fixture.client()) {
                ScrubStatus found = scrubbed(client);
                assertEquals(1, found.unread());
                assertEquals(2, found.objects());
                assertEquals(2L * BLOCK, found.bytes());
                assertEquals(0, found.damaged());
            }
        }
    }

    @Test
    void anObjectWhoseHeaderIsDamagedIsDamagedAsAWhole() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ZERO)) {
            FileInfo file;
            try (HmfsClient client = fixture.client()) {
                file = file(client, "/f", 2 * BLOCK + 1_000);
            }
            fixture.restart(); // no object is open
            Path object = object(fixture, file.id(), 1);
            byte[] bytes = Files.readAllBytes(object);
            Arrays.fill(bytes, 0, 2_048, (byte) 9);
            Files.write(object, bytes);
            try (HmfsClient client = fixture.client()) {
                assertEquals(Set.of("/f " + file.id() + " " + BLOCK + " to " + 2 * BLOCK), damages(scrubbed(client)));
            }
        }
    }

    /** What was written and is not there is damage; a hole is none. */
    @Test
    void whatIsLostOfADenseFileIsFound() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ZERO)) {
            FileInfo dense;
            FileInfo holes;
            try (HmfsClient client = fixture.client()) {
                dense = file(client, "/d/dense", LeasedFiles::closeDense);
                holes = file(client, "/d/holes", LeasedFiles::close);
                OpenedFile huge =
                        LeasedFiles.create(client, "/huge", PLAIN); // of more blocks than are asked for one by one
                LeasedFiles.write(client, huge, 0, 0, new byte[BLOCK]);
                LeasedFiles.write(client, huge, 3, 0, new byte[BLOCK]);
                LeasedFiles.closeDense(client, huge, 2_000L * BLOCK);
                OpenedFile shorter = LeasedFiles.create(client, "/shorter", PLAIN);
                LeasedFiles.write(client, shorter, 0, 0, new byte[700]);
                LeasedFiles.closeDense(client, shorter, 900);
                assertTrue(client.stat("/d/dense").dense());
                assertFalse(client.stat("/d/holes").dense());
            }
            fixture.restart(); // no object is open
            for (FileInfo each : List.of(dense, holes)) {
                Files.delete(object(fixture, each.id(), 1));
                Files.delete(object(fixture, each.id(), 3));
            }
            try (HmfsClient client = fixture.client()) {
                long huge = client.stat("/huge").id();
                long shorter = client.stat("/shorter").id();
                assertEquals(
                        Set.of(
                                "/d/dense " + dense.id() + " " + BLOCK + " to " + 2 * BLOCK,
                                "/d/dense " + dense.id() + " " + 3 * BLOCK + " to " + (3 * BLOCK + 100),
                                "/huge " + huge + " " + BLOCK + " to " + 3 * BLOCK,
                                "/huge " + huge + " " + 4 * BLOCK + " to " + 2_000L * BLOCK,
                                "/shorter " + shorter + " 700 to 900"),
                        damages(scrubbed(client)));
            }
        }
    }

    /** How a test commits what it has written. */
    private interface Close {
        FileInfo close(HmfsClient client, OpenedFile file, long size) throws IOException;
    }

    private static FileInfo file(HmfsClient client, String path, Close close) throws IOException {
        OpenedFile file = LeasedFiles.create(client, path, PLAIN);
        for (int block = 0; block < 4; block++) {
            LeasedFiles.write(client, file, block, 0, new byte[block < 3 ? BLOCK : 100]);
        }
        return close.close(client, file, 3L * BLOCK + 100);
    }

    @Test
    void oneRunsAtATimeAndAsFastAsAsked() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ZERO);
                HmfsClient client = fixture.client()) {
            file(client, "/f", 20 * BLOCK);
            ScrubStatus slow = client.beginScrub(64 << 10); // takes over a minute
            assertTrue(slow.isRunning());
            assertEquals(1, client.beginScrub(64 << 10).number());
            Await.until("something to be read", () -> client.scrub(0).bytes() > 0);
            assertTrue(client.scrub(0).isRunning());
            assertEquals(1, client.beginScrub(1L << 30).number()); // the same, faster
            Await.until("its end", () -> !client.scrub(0).isRunning());
            assertEquals(20L * BLOCK, client.scrub(0).bytes());
            client.beginScrub(64 << 10); // the server's end does not wait for this one
        }
    }

    @Test
    void itBeginsByItselfAgainAndAgain() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ofMillis(1));
                HmfsClient client = fixture.client()) {
            Await.until("a third scrub", () -> client.scrub(0).number() > 2);
            assertTrue(client.metrics().contains("\nhmfs_scrub_completed_seconds 1."), client.metrics());
        }
    }

    @Test
    void onlySuperusersAreTold() throws Exception {
        try (ServerFixture fixture = fixture(Duration.ZERO);
                HmfsClient bob = HmfsClient.connect(
                        "127.0.0.1", fixture.port(), ClientOptions.defaults().withUser("bob"))) {
            for (boolean begins : new boolean[] {true, false}) {
                HmfsException refused = assertThrows(HmfsException.class, () -> {
                    ScrubStatus _ = begins ? bob.beginScrub(0) : bob.scrub(0);
                });
                assertEquals(ResultCode.ACCESS_DENIED, refused.code());
            }
        }
    }
}
