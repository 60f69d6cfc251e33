package io.hmfs.core;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.GroupCommit;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.recovery.BackgroundScan;
import io.hmfs.core.space.Growth;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What an open pool tells about itself. */
final class PoolReports {
    private PoolReports() {}

    static PoolStatus status(String path, PoolFile file, Engine engine, Growth growth, BackgroundScan scan) {
        return new PoolStatus(
                path,
                file.backing().name().toLowerCase(Locale.ROOT),
                file.memory(),
                file.pmem().persistence().name().toLowerCase(Locale.ROOT),
                PoolHeader.uuid(file.pmem(), file.header()),
                engine.ids.mayRepeat(),
                (int) file.pmem().get(file.header() + PoolHeader.VERSION_OFFSET),
                PoolHeader.size(file.pmem(), file.header()),
                Math.max(file.fileSize(), file.sizeMax()),
                growth.problem(),
                engine.regions.count(),
                engine.regions.max(),
                !scan.isDone(),
                engine.summary.found().text(),
                engine.recovered.get());
    }

    /** Nothing here reads the pool's memory: it may be asked for when that is gone. */
    static PoolFigures figures(Engine engine, GroupCommit groupCommit) {
        Map<String, Long> used = new TreeMap<>();
        for (RegionKind kind : RegionKind.values()) {
            used.put(kind.name().toLowerCase(Locale.ROOT), engine.regions.count(kind) * engine.regions.size());
        }
        return new PoolFigures(used, groupCommit.figures());
    }
}
