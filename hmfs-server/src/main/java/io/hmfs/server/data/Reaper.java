package io.hmfs.server.data;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;

/** Removes the objects of removed files on a thread of its own. What it does not get to is in the journal for the next start. */
public final class Reaper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Reaper.class.getName());
    private static final Task END = new Task(0, 0, -1);
    private static final long CLOSE_TIMEOUT_MILLIS = 10_000;

    private record Task(long inode, long size, int slot) {}

    private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
    private final BlockStore store;
    private final IntentJournal journal;
    private final Thread thread;
    private volatile boolean stopping;

    public Reaper(BlockStore store, IntentJournal journal) {
        this.store = store;
        this.journal = journal;
        thread = Thread.ofPlatform().name("hmfs-reaper").daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Takes over the objects of a file that is gone from the namespace, and the journal's slot about it. */
    public void add(long inode, long size, int slot) {
        tasks.add(new Task(inode, size, slot));
    }

    /** Files whose objects are still to be removed. */
    public int backlog() {
        return tasks.size();
    }

    private void run() {
        try {
            for (Task task = tasks.take(); task.slot() != END.slot() && !stopping; task = tasks.take()) {
                remove(task);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove(Task task) {
        try {
            store.remove(task.inode(), task.size());
            journal.done(task.slot());
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "cannot remove the data of inode " + Long.toHexString(task.inode())
                            + "; the next start tries again",
                    e);
        }
    }

    /** Finishes what is queued, within a time limit; the rest is for the next start. */
    @Override
    public void close() {
        tasks.add(END);
        try {
            thread.join(CLOSE_TIMEOUT_MILLIS);
            stopping = true;
            thread.join(CLOSE_TIMEOUT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
