package io.hmfs.server.transport.netty;

import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@code bin/dev fuzz}: sessions of a seed for some minutes, or one that is given as {@link FuzzSession} writes it. */
public final class FuzzRun {
    private FuzzRun() {}

    public static void main(String[] arguments) throws IOException {
        System.setProperty("io.netty.leakDetection.acquireAndReleaseOnly", "true");
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        Path directory = Fuzz.place();
        Fuzz fuzz = new Fuzz(directory, new LogWatch());
        String wrong;
        if (arguments[0].equals("replay")) {
            wrong = fuzz.replay(FuzzSession.parse(arguments[1]));
        } else {
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(Long.parseLong(arguments[0]));
            wrong = fuzz.run(Long.parseLong(arguments[1]), number -> System.nanoTime() < end);
            System.out.println(fuzz.done());
        }
        Fuzz.remove(directory);
        System.out.println(wrong == null ? "nothing wrong" : wrong);
        System.exit(wrong == null ? 0 : 1);
    }
}
