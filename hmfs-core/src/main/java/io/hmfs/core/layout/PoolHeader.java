package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import java.util.zip.CRC32C;

/**
 * Superblock: the first page of a pool, then the region table; little-endian, format v1 (docs/format.md#superblock).
 *
 * <pre>
 *   0        8        16       24       32       40       48       56       64
 *   | magic  | version| uuid hi| uuid lo| size   | region | seed   | crc32c |   written once, checksummed
 *   64       72       80       88       96       104                        128
 *   | clock  | ids    | starts | state  | grown  | unchecked | boot         |   leases
 *   128                                                                    1024
 *   | index root                                                            |
 *   1024                                        1152                       4096
 *   | summary of the free slots, by a clean close | reserved, zero          |
 *   4096                                                          4096 + 8·65536
 *   | region table: one word a region, offset | kind; 0 ends it             |
 * </pre>
 *
 * The magic is written last, so that a format cut short leaves no pool. A lease is durable before anything below it is used.
 */
public final class PoolHeader {
    /** The format that this code writes and reads; a pool of any other one is refused. */
    public static final int VERSION = 1;

    /** "HMFSPOOL", little-endian. */
    public static final long MAGIC = 0x4C4F4F5053464D48L;

    public static final long SIZE = 4096;
    public static final long MAGIC_OFFSET = 0;
    public static final long VERSION_OFFSET = 8;
    public static final long UUID_HIGH_OFFSET = 16;
    public static final long UUID_LOW_OFFSET = 24;
    public static final long POOL_SIZE_OFFSET = 32;
    public static final long REGION_SIZE_OFFSET = 40;
    public static final long SEED_OFFSET = 48;
    public static final long CHECKSUM_OFFSET = 56;
    /** First timestamp, in nanoseconds, that may not be issued yet. */
    public static final long CLOCK_LEASE_OFFSET = 64;
    /** First id that may not be issued yet. */
    public static final long ID_LEASE_OFFSET = 72;

    public static final long STARTS_OFFSET = 80;
    /** {@link #CLEAN} after a clean close, {@link #REPAIRING} during a repair, else 0. */
    public static final long STATE_OFFSET = 88;

    /** Bytes of the pool since it has grown, 0 before. */
    public static final long GROWN_OFFSET = 96;

    /** 1 from the first start after the machine ended with the pool open, until a check finds no damage. */
    public static final long UNCHECKED_OFFSET = 104;

    /** The boot of the machine that has the pool open, or had it last; 0: none since a check. */
    public static final long BOOT_HIGH_OFFSET = 112;

    public static final long BOOT_LOW_OFFSET = 120;

    public static final long INDEX_ROOT_OFFSET = 128;
    public static final long INDEX_ROOT_SIZE = 896;
    /** See {@link SummaryRecord}. */
    public static final long SUMMARY_OFFSET = 1024;

    public static final long REGION_TABLE_OFFSET = 4096;
    public static final int REGIONS_MAX = 65536;

    public static final long CLEAN = 1;

    /** The state while a repair is under way; a pool whose repair was cut short does not open. */
    public static final long REPAIRING = 2;

    static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("version"),
                    u64("uuidHigh"),
                    u64("uuidLow"),
                    u64("poolSize"),
                    u64("regionSize"),
                    u64("seed"),
                    u64("checksum"),
                    u64("clockLease"),
                    u64("idLease"),
                    u64("starts"),
                    u64("state"),
                    u64("grown"),
                    u64("unchecked"),
                    u64("bootHigh"),
                    u64("bootLow"),
                    paddingLayout(INDEX_ROOT_SIZE).withName("indexRoot"),
                    paddingLayout(SummaryRecord.SIZE).withName("summary"),
                    paddingLayout(SIZE - SUMMARY_OFFSET - SummaryRecord.SIZE))
            .withByteAlignment(64)
            .withName("PoolHeader");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "magic", MAGIC_OFFSET);
        Layouts.pin(LAYOUT, "version", VERSION_OFFSET);
        Layouts.pin(LAYOUT, "uuidHigh", UUID_HIGH_OFFSET);
        Layouts.pin(LAYOUT, "uuidLow", UUID_LOW_OFFSET);
        Layouts.pin(LAYOUT, "poolSize", POOL_SIZE_OFFSET);
        Layouts.pin(LAYOUT, "regionSize", REGION_SIZE_OFFSET);
        Layouts.pin(LAYOUT, "seed", SEED_OFFSET);
        Layouts.pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        Layouts.pin(LAYOUT, "clockLease", CLOCK_LEASE_OFFSET);
        Layouts.pin(LAYOUT, "idLease", ID_LEASE_OFFSET);
        Layouts.pin(LAYOUT, "starts", STARTS_OFFSET);
        Layouts.pin(LAYOUT, "state", STATE_OFFSET);
        Layouts.pin(LAYOUT, "grown", GROWN_OFFSET);
        Layouts.pin(LAYOUT, "unchecked", UNCHECKED_OFFSET);
        Layouts.pin(LAYOUT, "bootHigh", BOOT_HIGH_OFFSET);
        Layouts.pin(LAYOUT, "bootLow", BOOT_LOW_OFFSET);
        Layouts.pin(LAYOUT, "indexRoot", INDEX_ROOT_OFFSET);
        Layouts.pin(LAYOUT, "summary", SUMMARY_OFFSET);
    }

    private PoolHeader() {}

    /** Fills in the first line except the magic, which {@link #seal} writes when the pool is complete. */
    public static void init(Pmem pmem, long at, UUID uuid, long poolSize, long regionSize, long seed) {
        pmem.set(at + VERSION_OFFSET, VERSION);
        pmem.set(at + UUID_HIGH_OFFSET, uuid.getMostSignificantBits());
        pmem.set(at + UUID_LOW_OFFSET, uuid.getLeastSignificantBits());
        pmem.set(at + POOL_SIZE_OFFSET, poolSize);
        pmem.set(at + REGION_SIZE_OFFSET, regionSize);
        pmem.set(at + SEED_OFFSET, seed);
    }

    /** Makes the pool a pool: everything else in it is durable before its magic is. */
    public static void seal(Pmem pmem, long at) {
        pmem.set(at + CHECKSUM_OFFSET, checksum(pmem, at));
        pmem.fence();
        pmem.setRelease(at + MAGIC_OFFSET, MAGIC);
        pmem.persist(at, Pmem.LINE);
    }

    /** CRC32C of the written-once words, the magic's value included. */
    public static long checksum(Pmem pmem, long at) {
        return checksum(offset -> pmem.get(at + offset));
    }

    /** The same of words that stand elsewhere, by their offset in the header. */
    public static long checksum(LongUnaryOperator word) {
        ByteBuffer bytes = ByteBuffer.allocate((int) CHECKSUM_OFFSET).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(MAGIC);
        for (long offset = VERSION_OFFSET; offset < CHECKSUM_OFFSET; offset += 8) {
            bytes.putLong(word.applyAsLong(offset));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        return crc.getValue();
    }

    /** Bytes of the pool: what it was made with, or has grown to. */
    public static long size(Pmem pmem, long at) {
        long grown = pmem.get(at + GROWN_OFFSET);
        return grown != 0 ? grown : pmem.get(at + POOL_SIZE_OFFSET);
    }

    /** The boot of the machine that has had the pool open last. */
    public static UUID boot(Pmem pmem, long at) {
        return new UUID(pmem.get(at + BOOT_HIGH_OFFSET), pmem.get(at + BOOT_LOW_OFFSET));
    }

    public static UUID uuid(Pmem pmem, long at) {
        return new UUID(pmem.get(at + UUID_HIGH_OFFSET), pmem.get(at + UUID_LOW_OFFSET));
    }
}
