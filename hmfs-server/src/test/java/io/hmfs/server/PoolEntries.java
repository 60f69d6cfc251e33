package io.hmfs.server;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Damages records of a pool that no server has open. */
public final class PoolEntries {
    private PoolEntries() {}

    /** Stores a word of the record of the object with this id. */
    public static void store(Path pool, long id, long field, long value) throws IOException {
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
}
