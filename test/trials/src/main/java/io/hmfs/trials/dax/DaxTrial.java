package io.hmfs.trials.dax;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Steps of the trial of pools on DAX memory, each a run of its own, between which a script changes the memory. A step prints {@code ok NAME} or {@code
 * FAIL NAME} for each thing that it looks at.
 *
 * <pre>
 *   life POOL BYTES BACKING MEMORY   makes a pool, whatever stood there, changes it in mode pmem, and opens it again
 *   crash POOL                       changes it, and ends without a word
 *   after POOL                       looks for what crash was told is done
 *   opens POOL MEMORY                opens it in mode pmem
 *   format POOL BYTES                makes a pool
 *   refused POOL WORDS [SIZE-MAX]    opens it in mode pmem, which must fail with these words
 *   full POOL BYTES WORDS            makes a pool, which must fail with these words
 * </pre>
 */
public final class DaxTrial {
    private static final int FILES = 2000;
    private static final OpenOptions PMEM = new OpenOptions(Persistence.PMEM, false);

    private final Path pool;
    private boolean failed;

    private DaxTrial(Path pool) {
        this.pool = pool;
    }

    public static void main(String[] args) throws IOException {
        DaxTrial trial = new DaxTrial(Path.of(args[1]));
        switch (args[0]) {
            case "life" -> trial.life(Long.parseLong(args[2]), backing(args[3]), args[4]);
            case "crash" -> trial.crash();
            case "after" -> trial.after();
            case "opens" -> trial.opens(args[2]);
            case "format" -> trial.format(Long.parseLong(args[2]), Backing.MAPPED, true);
            case "refused" -> {
                long sizeMax = args.length > 3 ? Long.parseLong(args[3]) : 0;
                trial.refused(
                        "open",
                        args[2],
                        () -> Hmfs.open(trial.pool, PMEM.growingTo(sizeMax)).close());
            }
            case "full" ->
                trial.refused("format", args[3], () -> trial.format(Long.parseLong(args[2]), Backing.MAPPED, true));
            default -> throw new IllegalArgumentException("no step is called " + args[0]);
        }
        System.exit(trial.failed ? 1 : 0);
    }

    private static Backing backing(String name) {
        return Backing.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private interface Step {
        void run() throws IOException;
    }

    private void told(boolean good, String name, String found) {
        failed |= !good;
        System.out.println((good ? "ok " : "FAIL ") + name + (good ? "" : ": " + found));
    }

    private void format(long size, Backing backing, boolean overwrite) throws IOException {
        Hmfs.format(pool, new FormatOptions(size, backing, overwrite));
    }

    private void refused(String what, String words, Step step) throws IOException {
        try {
            step.run();
            told(false, what + " is refused: " + words, "it went well");
        } catch (PoolException e) {
            String message = String.valueOf(e.getMessage());
            told(message.contains(words) && message.lines().count() == 1, what + " is refused: " + words, message);
        }
    }

    private void life(long size, Backing backing, String memory) throws IOException {
        format(size, backing, true);
        refused("format", "already", () -> format(size, backing, false));
        try (Namespace names = Hmfs.open(pool, PMEM)) {
            told(
                    names.poolStatus().persistence().equals("pmem"),
                    "mode pmem",
                    names.poolStatus().persistence());
            told(
                    names.poolStatus().memory().contains(memory),
                    "memory " + memory,
                    names.poolStatus().memory());
            told(isMappedInSync(), "mapped with MAP_SYNC", "no flag sf in smaps");
            refused("a second open", "is in use", () -> Hmfs.open(pool, PMEM).close());
            make(names, "life");
        }
        sound(true, 1, FILES);
        try (Namespace names = Hmfs.open(pool, PMEM)) {
            look(names, "life");
        }
    }

    private void crash() throws IOException {
        Namespace names = Hmfs.open(pool, PMEM); // never closed
        make(names, "crash");
        System.out.flush();
        Runtime.getRuntime().halt(137);
    }

    private void after() throws IOException {
        sound(false, 2, 2 * FILES);
        try (Namespace names = Hmfs.open(pool, PMEM)) {
            look(names, "life");
            look(names, "crash");
        }
        sound(true, 2, 2 * FILES);
    }

    private void opens(String memory) throws IOException {
        try (Namespace names = Hmfs.open(pool, PMEM)) {
            told(
                    names.poolStatus().memory().contains(memory),
                    "memory " + memory,
                    names.poolStatus().memory());
            Attributes out = new Attributes();
            Name name = Name.of("once");
            Status made = names.mkdir(Namespace.ROOT_ID, name, 0755, 0, 0, out);
            told(
                    made == Status.OK && names.rmdir(Namespace.ROOT_ID, name) == Status.OK,
                    "it can be changed",
                    "" + made);
        }
    }

    private void make(Namespace names, String directory) {
        Attributes out = new Attributes();
        Status status = names.mkdir(Namespace.ROOT_ID, Name.of(directory), 0755, 0, 0, out);
        long parent = out.id;
        for (int i = 0; i < FILES && status == Status.OK; i++) {
            status = names.create(parent, Name.of("file" + i), 0644, 0, 0, out);
        }
        told(status == Status.OK, FILES + " files are made", "" + status);
    }

    private void look(Namespace names, String directory) {
        Attributes out = new Attributes();
        Status status = names.stat(Namespace.ROOT_ID, Name.of(directory), out);
        long parent = out.id;
        for (int i = 0; i < FILES && status == Status.OK; i++) {
            status = names.stat(parent, Name.of("file" + i), out);
        }
        told(status == Status.OK, "all that was made in " + directory + " is there", "" + status);
    }

    private void sound(boolean closed, long directories, long files) throws IOException {
        CheckReport report = Hmfs.check(pool, Progress.NONE);
        boolean counted = report.counted().getOrDefault("directories", 0L) == directories + 1
                && report.counted().getOrDefault("files", 0L) == files;
        told(
                report.isSound() && report.wasClosed() == closed && counted,
                "sound, " + (closed ? "closed" : "not closed") + ", with " + files + " files",
                report.toString());
    }

    /** A device is mapped so, or else not in mode pmem, but the kernel shows the flag of both. */
    private boolean isMappedInSync() throws IOException {
        boolean within = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.endsWith(" " + pool)) {
                within = true;
            } else if (within && line.startsWith("VmFlags:")) {
                return line.contains(" sf");
            }
        }
        return false;
    }
}
