package io.hmfs.hadoop.namespace;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListDetail;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.PageEntries;
import io.hmfs.client.ResultCode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Deletes a directory with all that is below it: a loop over the replies of a bounded number of requests under way,
 * so that neither the tree's depth nor its width costs more than the pages in hand. Directories go after their
 * children. Entries that other clients create meanwhile are deleted too, within a bound; entries that other clients
 * delete meanwhile are no error.
 */
final class TreeDelete {
    /** Attempts to remove a directory that has got new children meanwhile. */
    private static final int ATTEMPTS_MAX = 16;

    /** A directory that is being deleted. */
    private static final class Node {
        final String path;
        final @Nullable Node parent;
        int pending; // children and listings not finished yet
        int attempts;

        Node(String path, @Nullable Node parent) {
            this.path = path;
            this.parent = parent;
        }
    }

    /** A request still to be sent. */
    private sealed interface Task {
        Node directory();

        record ListOn(Node directory, ListingCursor from) implements Task {}

        record DeleteFile(Node directory, String name) implements Task {}

        record RemoveDirectory(Node directory) implements Task {}
    }

    /** The end of a request. */
    private record Reply(
            Task task, @Nullable Object answer, @Nullable Throwable failure) {}

    private final HmfsClient client;
    private final int inFlightMax;
    private final int pageEntries;
    private final ArrayDeque<Task> removals = new ArrayDeque<>(); // first: they make room
    private final ArrayDeque<Task> listings = new ArrayDeque<>(); // a stack: depth first keeps it short
    private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
    private int inFlight;
    private boolean finished;
    private @Nullable IOException failure;

    TreeDelete(HmfsClient client, int inFlightMax, int pageEntries) {
        this.client = client;
        this.inFlightMax = inFlightMax;
        this.pageEntries = pageEntries;
    }

    /**
     * Deletes. After a failure some of the tree may be left; the first failure is thrown when no request is under
     * way. May be repeated.
     *
     * @throws HmfsException the server's refusal, not translated yet
     */
    void run(String root) throws IOException {
        Node top = new Node(root, null);
        listFromStart(top);
        while (!finished) {
            sendMore();
            if (inFlight == 0) {
                break;
            }
            take();
        }
        if (failure != null) {
            throw failure;
        }
        if (!finished) {
            throw new IOException("Deleting " + root + " stopped half way");
        }
    }

    private void sendMore() {
        while (failure == null && inFlight < inFlightMax) {
            Task next = removals.poll();
            if (next == null) {
                next = listings.poll();
            }
            if (next == null) {
                return;
            }
            send(next);
        }
    }

    private void send(Task task) {
        inFlight++;
        CompletableFuture<?> reply = start(task);
        var unused = reply.whenComplete((answer, failed) -> replies.add(new Reply(task, answer, failed)));
    }

    private CompletableFuture<?> start(Task task) {
        if (task instanceof Task.ListOn list) {
            return client.listAsync(list.directory.path, list.from, pageEntries, ListDetail.NAMES);
        }
        if (task instanceof Task.DeleteFile file) {
            return client.deleteAsync(child(file.directory.path, file.name));
        }
        return client.rmdirAsync(task.directory().path);
    }

    private void take() throws InterruptedIOException {
        Reply reply;
        try {
            reply = replies.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while deleting");
        }
        inFlight--;
        try {
            handle(reply);
        } catch (IOException e) {
            if (failure == null) {
                failure = e;
            }
        }
    }

    private void handle(Reply reply) throws IOException {
        ResultCode code = codeOf(reply);
        if (reply.task instanceof Task.ListOn list) {
            listed(list, code, reply);
        } else if (reply.task instanceof Task.DeleteFile file) {
            fileDeleted(file, code, reply);
        } else {
            directoryRemoved(reply.task.directory(), code, reply);
        }
    }

    private void listed(Task.ListOn list, ResultCode code, Reply reply) throws IOException {
        Node directory = list.directory;
        switch (code) {
            case OK -> {
                if (reply.answer instanceof ListPage page) {
                    if (page.next() != null) {
                        directory.pending++;
                        listings.push(new Task.ListOn(directory, page.next()));
                    }
                    PageEntries entries = page.read();
                    while (entries.next()) {
                        enter(directory, entries.name(), entries.directory());
                    }
                }
            }
            case NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY, UNRESOLVED_LINK -> {} // gone or replaced: rmdir will tell
            default -> throw failed(reply);
        }
        childFinished(directory);
    }

    private void enter(Node directory, String name, boolean isDirectory) {
        directory.pending++;
        if (isDirectory) {
            listFromStart(new Node(child(directory.path, name), directory));
        } else {
            removals.add(new Task.DeleteFile(directory, name));
        }
    }

    private void listFromStart(Node directory) {
        directory.pending++;
        listings.push(new Task.ListOn(directory, ListingCursor.START));
    }

    private void fileDeleted(Task.DeleteFile task, ResultCode code, Reply reply) throws IOException {
        switch (code) {
            case OK, NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY, UNRESOLVED_LINK -> {} // gone, by any client
            case IS_DIRECTORY -> { // the name has become a directory meanwhile
                listFromStart(new Node(child(task.directory.path, task.name), task.directory));
                return; // which finishes the child
            }
            default -> throw failed(reply);
        }
        childFinished(task.directory);
    }

    private void childFinished(Node directory) {
        if (--directory.pending == 0) {
            removals.addFirst(new Task.RemoveDirectory(directory));
        }
    }

    private void directoryRemoved(Node directory, ResultCode code, Reply reply) throws IOException {
        switch (code) {
            case OK, NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY, UNRESOLVED_LINK -> {
                if (directory.parent == null) {
                    finished = true;
                } else {
                    childFinished(directory.parent);
                }
            }
            case NOT_EMPTY -> {
                if (++directory.attempts == ATTEMPTS_MAX) {
                    throw failed(reply);
                }
                listFromStart(directory);
            }
            default -> throw failed(reply);
        }
    }

    private static ResultCode codeOf(Reply reply) throws IOException {
        Throwable failed = cause(reply.failure);
        if (failed == null) {
            return ResultCode.OK;
        }
        if (failed instanceof HmfsException refused) {
            return refused.code();
        }
        throw failed instanceof IOException io ? io : new IOException(failed);
    }

    private static IOException failed(Reply reply) {
        return cause(reply.failure) instanceof HmfsException refused
                ? refused
                : new IOException("The reply to " + reply.task + " has no answer");
    }

    private static @Nullable Throwable cause(@Nullable Throwable failed) {
        return failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
    }

    private static String child(String directory, String name) {
        return directory.equals("/") ? "/" + name : directory + "/" + name;
    }
}
