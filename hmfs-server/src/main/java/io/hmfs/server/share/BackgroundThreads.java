package io.hmfs.server.share;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads for what takes long, or goes on behind the requests. While all processors are busy each of them gets about a tenth of the time of
 * a thread that serves requests, and so does a process that it starts (nice 10); otherwise as much as any other.
 */
public final class BackgroundThreads {
    private static final int NICE = 10;
    private static final int PRIO_PROCESS = 0;
    private static final int THIS_THREAD = 0; // on Linux, where a thread has a niceness of its own

    private static final MethodHandle SET_PRIORITY = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("setpriority"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));

    private BackgroundThreads() {}

    /** Starts a thread of this name. */
    public static Thread start(String name, Runnable task) {
        Thread thread = unstarted(name, task);
        thread.start();
        return thread;
    }

    /** Makes threads of this name, with a number behind it. */
    public static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> unstarted(name + "-" + count.incrementAndGet(), task);
    }

    private static Thread unstarted(String name, Runnable task) {
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            lowerPriority();
            task.run();
        });
    }

    /** Refused, it would be served as any other: that is no reason not to work. */
    private static void lowerPriority() {
        try {
            int _ = (int) SET_PRIORITY.invokeExact(PRIO_PROCESS, THIS_THREAD, NICE);
        } catch (Throwable e) {
            throw e instanceof Error error ? error : new AssertionError(e);
        }
    }
}
