package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.MachineBoot;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.recovery.MachineEnd;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a pool that was open when the machine ended is not opened by a server that asks for a check first, until one has found no damage; nor is it forgotten
 * by starts in between. Method: pools left open or closed, in whose superblock another boot is stored, as the one that has ended.
 */
final class MachineEndTest {
    private static final OpenOptions CHECKED = OpenOptions.process().refusingUnchecked(true);

    @TempDir
    Path directory;

    private Path pool;

    @BeforeEach
    void format() throws IOException {
        pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
    }

    private interface Look {
        void at(PoolFile file);
    }

    private void look(Look look) throws IOException {
        try (PoolFile file = PoolFiles.open(pool, Persistence.PROCESS, false)) {
            look.at(file);
        }
    }

    private void store(long offset, long value) throws IOException {
        look(file -> file.pmem().setRelease(file.header() + offset, value));
    }

    private long load(long offset) throws IOException {
        long[] value = new long[1];
        look(file -> value[0] = file.pmem().get(file.header() + offset));
        return value[0];
    }

    private void useAndClose() throws IOException {
        try (Namespace namespace = Hmfs.open(pool, CHECKED)) {
            Status status = namespace.create(1, Name.of("file"), 0644, 0, 0, new Attributes());
            assertTrue(status == Status.OK || status == Status.EXISTS, status.toString());
        }
    }

    /** As a process that dies leaves it. */
    private void die() throws IOException {
        store(PoolHeader.STATE_OFFSET, 0);
    }

    /** After which the machine starts anew. */
    private void end() throws IOException {
        die();
        store(PoolHeader.BOOT_LOW_OFFSET, load(PoolHeader.BOOT_LOW_OFFSET) ^ 1);
    }

    private void assertRefused() {
        PoolException refused = assertThrows(PoolException.class, () -> Hmfs.open(pool, CHECKED));
        assertEquals(PoolException.Reason.NOT_CHECKED, refused.reason());
        assertTrue(String.valueOf(refused.getMessage()).contains("hmfs fsck " + pool), refused.getMessage());
    }

    @Test
    void anOpenStoresTheBootOfTheMachine() throws IOException {
        useAndClose();
        UUID boot = MachineBoot.id();
        look(file -> assertEquals(boot, PoolHeader.boot(file.pmem(), file.header())));
        assertEquals(0, load(PoolHeader.UNCHECKED_OFFSET));
    }

    @Test
    void anEndOfTheProcessIsNoEndOfTheMachine() throws IOException {
        useAndClose();
        die();
        useAndClose();
    }

    @Test
    void aPoolThatWasClosedNeedsNoCheck() throws IOException {
        useAndClose();
        store(PoolHeader.BOOT_LOW_OFFSET, 7);
        useAndClose();
    }

    @Test
    void anEndOfTheMachineIsRefusedUntilACheckFindsNoDamage() throws IOException {
        useAndClose();
        end();
        assertRefused();
        assertEquals(0, Hmfs.check(pool, Progress.NONE).damage());
        assertEquals(0, load(PoolHeader.BOOT_HIGH_OFFSET) | load(PoolHeader.BOOT_LOW_OFFSET));
        useAndClose();
    }

    @Test
    void aStartThatDoesNotAskDoesNotForget() throws IOException {
        useAndClose();
        end();
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            assertEquals(Status.OK, namespace.stat(1, Name.of("file"), new Attributes()));
        }
        assertEquals(1, load(PoolHeader.UNCHECKED_OFFSET));
        assertRefused();
        die();
        assertRefused();
        Hmfs.check(pool, Progress.NONE);
        useAndClose();
    }

    @Test
    void aCheckThatFindsDamageDoesNotLetItOpenAndARepairDoes() throws IOException {
        useAndClose();
        end();
        look(file -> {
            long root = file.pmem().get(file.header() + PoolHeader.REGION_TABLE_OFFSET);
            for (long at = 8; (root & 63) != 2; at += 8) {
                root = file.pmem().get(file.header() + PoolHeader.REGION_TABLE_OFFSET + at);
            }
            long entry = (root & ~63L) + EntryRecord.ID_OFFSET;
            file.pmem().set(entry, file.pmem().get(entry) ^ 4);
        });
        assertTrue(Hmfs.check(pool, Progress.NONE).damage() > 0);
        assertRefused();
        assertEquals(0, Hmfs.repair(pool, Progress.NONE).damage());
        useAndClose();
    }

    /** A check may take long: what it has found is told, whatever comes behind it. */
    @Test
    void aCheckThatCannotBeNotedSaysThatThePoolIsSound() throws IOException {
        useAndClose();
        end();
        IOException failed = assertThrows(
                IOException.class,
                () -> Hmfs.check(pool, (_, _, _) -> assertTrue(pool.toFile().delete() || !Files.exists(pool))));
        assertTrue(String.valueOf(failed.getMessage()).startsWith(pool + " is sound, but"), failed.getMessage());
    }

    /** A pool of an older HMFS has no boot: nothing is known of its end. */
    @Test
    void aPoolWithoutABootIsOpened() throws IOException {
        useAndClose();
        die();
        store(PoolHeader.BOOT_HIGH_OFFSET, 0);
        store(PoolHeader.BOOT_LOW_OFFSET, 0);
        useAndClose();
    }

    /** Whatever a power failure leaves of a start behind an end: it is known that no check was made. */
    @Test
    void aStartThatIsCutOffForgetsNothing() throws PoolException {
        SimPoolFile before = new SimPoolFile(64 << 10, 16, Persistence.PMEM);
        Superblock.format(Path.of("sim"), before, new UUID(3, 4), 11, 2);
        before.pmem().set(before.header() + PoolHeader.BOOT_HIGH_OFFSET, 1);
        before.pmem().set(before.header() + PoolHeader.BOOT_LOW_OFFSET, 2);
        before.pmem().persist(before.header() + PoolHeader.BOOT_HIGH_OFFSET, 16);
        SimPoolFile started = before.killed();
        MachineEnd.record(started.pmem(), started.header());
        int[] images = {0};
        assertTrue(started.pmem().images(1000, 0, image -> {
            SimPoolFile crashed = started.crashed(image);
            assertTrue(
                    MachineEnd.isUnchecked(crashed),
                    () -> crashed.pmem().get(PoolHeader.UNCHECKED_OFFSET) + ", boot "
                            + PoolHeader.boot(crashed.pmem(), crashed.header()));
            images[0]++;
        }));
        assertTrue(images[0] > 2, images[0] + " images");
    }
}
