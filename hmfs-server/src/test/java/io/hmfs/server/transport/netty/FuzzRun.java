package io.hmfs.server.transport.netty;

import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code bin/dev fuzz}: sessions of a seed, half of the time over TCP's pipeline and half of it over RDMA, or one that is given as
 * {@link FuzzSession} writes it.
 */
public final class FuzzRun {
    private FuzzRun() {}

    public static void main(String[] arguments) throws IOException {
        System.setProperty("io.netty.leakDetection.acquireAndReleaseOnly", "true");
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        Path directory = Fuzz.place();
        LogWatch log = new LogWatch();
        Fuzz pipeline = new Fuzz(directory, log, FuzzCheck::new);
        Fuzz rdma = new Fuzz(directory, log, FuzzRdmaCheck::new);
        String wrong;
        if (arguments[0].equals("replay")) {
            FuzzSession session = FuzzSession.parse(arguments[1]);
            wrong = session.isRdma() ? null : pipeline.replay(session);
            wrong = wrong == null ? rdma.replay(session) : wrong;
        } else {
            long half = TimeUnit.MINUTES.toNanos(Long.parseLong(arguments[0])) / 2;
            long seed = Long.parseLong(arguments[1]);
            wrong = run(pipeline, seed, half);
            wrong = wrong == null ? run(rdma, seed, half) : wrong;
        }
        Fuzz.remove(directory);
        System.out.println(wrong == null ? "nothing wrong" : wrong);
        System.exit(wrong == null ? 0 : 1);
    }

    private static @Nullable String run(Fuzz fuzz, long seed, long nanos) throws IOException {
        long end = System.nanoTime() + nanos;
        String wrong = fuzz.run(seed, 0, number -> System.nanoTime() < end);
        System.out.println(fuzz.done());
        return wrong;
    }
}
