package io.hmfs.bench.load;

import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import java.io.IOException;
import java.nio.file.Path;

/**
 * How soon a pool serves after a crash, in a JVM that has just started. {@code fill POOL FILES MODE} creates files, says so and goes
 * on creating until it is killed; {@code open POOL FILE MODE} opens, asks for one file, tells the time from the call that opens to
 * the answer, and dies without closing.
 */
public final class CrashLoad {
    private CrashLoad() {}

    /** One of the two. */
    public static void main(String[] arguments) throws IOException {
        Path pool = Path.of(arguments[1]);
        long number = Long.parseLong(arguments[2]);
        Persistence mode = Persistence.valueOf(arguments[3]);
        if (arguments[0].equals("fill")) {
            fill(pool, number, mode);
        } else {
            open(pool, number, mode);
        }
    }

    private static void fill(Path pool, long files, Persistence mode) throws IOException {
        Bed.Hand hand = new Bed.Hand();
        try (Bed bed = Bed.make(pool, files + files / 4, 16, mode)) {
            for (long i = 0; i < files + files / 8; i++) {
                Bed.require(bed.namespace.create(Namespace.ROOT_ID, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
                if (i == files) {
                    System.out.println("filled");
                    System.out.flush();
                }
            }
        }
    }

    private static void open(Path pool, long file, Persistence mode) throws IOException {
        Name name = new Bed.Hand().name(file);
        long before = System.nanoTime();
        @SuppressWarnings("resource") // dies with this process
        Namespace namespace = Hmfs.open(pool, new OpenOptions(mode, mode == Persistence.PMEM));
        Bed.require(namespace.stat(Namespace.ROOT_ID, name, new Attributes()));
        System.out.println(System.nanoTime() - before);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
