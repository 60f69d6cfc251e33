package io.hmfs.bench.load;

import io.hmfs.core.pmem.Persistence;
import java.nio.file.Path;
import java.util.List;

/** What {@link OperationLoad} measures: all of it, or the parts that need no large pool. */
public record OperationOptions(Path pool, long files, int threads, Persistence mode, int rounds) {
    public OperationOptions {
        if (files < 1000 || threads < 1 || rounds < 1) {
            throw new IllegalArgumentException("at least 1000 files, 1 thread and 1 round");
        }
    }

    /** These options as {@link OperationLoad#main} takes them. */
    public List<String> arguments() {
        return List.of(
                pool.toString(),
                Long.toString(files),
                Integer.toString(threads),
                mode.name(),
                Integer.toString(rounds));
    }

    static OperationOptions of(String[] arguments) {
        return new OperationOptions(
                Path.of(arguments[0]),
                Long.parseLong(arguments[1]),
                Integer.parseInt(arguments[2]),
                Persistence.valueOf(arguments[3]),
                Integer.parseInt(arguments[4]));
    }
}
