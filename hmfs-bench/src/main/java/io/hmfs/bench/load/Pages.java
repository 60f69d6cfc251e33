package io.hmfs.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** By which pages this process has a file mapped, as the kernel tells it. */
public final class Pages {
    static final long SMALL = 4096;
    static final long HUGE = 2L << 20;

    private static final Path SMAPS = Path.of("/proc/self/smaps");

    /** KiB that are mapped at all, and by huge pages. */
    private final long present;

    private final long huge;

    private Pages(long present, long huge) {
        this.present = present;
        this.huge = huge;
    }

    /** Reads the mappings of a file; all zeros where there is no such table. */
    static Pages of(Path file) throws IOException {
        long present = 0;
        long huge = 0;
        boolean ours = false;
        if (Files.isReadable(SMAPS)) {
            for (String line : Files.readAllLines(SMAPS)) {
                String[] words = line.split("\\s+", -1);
                if (words.length > 3 || !words[0].endsWith(":")) { // a mapping's first line; else "Rss:  4 kB"
                    ours = words[0].endsWith(":") ? ours : line.endsWith(file.toString());
                } else if (ours && words[0].equals("Rss:")) {
                    present += Long.parseLong(words[1]);
                } else if (ours && words[0].endsWith("PmdMapped:")) {
                    huge += Long.parseLong(words[1]);
                }
            }
        }
        return new Pages(present, huge);
    }

    /** Bytes of a page, for more than half of the file. */
    long size() {
        return 2 * huge > present ? HUGE : SMALL;
    }

    /** How much of what is mapped is in huge pages. */
    double percentHuge() {
        return present == 0 ? 0 : 100.0 * huge / present;
    }
}
