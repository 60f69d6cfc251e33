package io.hmfs.core;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The daemon threads of one open pool. */
final class Background {
    private final Consumer<Throwable> onFailure;
    private final List<Thread> threads = new ArrayList<>();

    Background(Consumer<Throwable> onFailure) {
        this.onFailure = onFailure;
    }

    void start(String name, Runnable work) {
        Thread thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                onFailure.accept(e);
            }
        });
        threads.add(thread);
        thread.start();
    }

    /** Interrupts all and waits until they have ended, so that no thread touches the pool afterwards. */
    void stop() {
        threads.forEach(Thread::interrupt);
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
