package io.hmfs.bench.load;

import java.nio.file.Path;
import java.util.List;

/** What {@link EngineLoad} does; {@code pool} is replaced. */
public record EngineOptions(Path pool, int files, int rounds, int warmUp, int directories, Names names, LookUp lookUp) {
    /** What the files are called: numbers in order as a job names its parts, or names without order. */
    public enum Names {
        COUNTED,
        RANDOM
    }

    /** Which String the map is asked with: the one that is its key, or an equal one, because a caller has its own copy of a name. */
    public enum LookUp {
        SAME,
        EQUAL
    }

    public EngineOptions {
        if (files < 1 || rounds < 1 || warmUp < 0 || directories < 1) {
            throw new IllegalArgumentException("files, rounds and directories must be at least 1, warm-up 0");
        }
    }

    /** These options as {@link EngineLoad#main} takes them. */
    public List<String> arguments() {
        return List.of(
                pool.toString(),
                Integer.toString(files),
                Integer.toString(rounds),
                Integer.toString(warmUp),
                Integer.toString(directories),
                names.name(),
                lookUp.name());
    }

    static EngineOptions of(String[] arguments) {
        return new EngineOptions(
                Path.of(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Names.valueOf(arguments[5]),
                LookUp.valueOf(arguments[6]));
    }
}
