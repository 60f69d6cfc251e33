package io.hmfs.server.history;

import io.hmfs.client.FileInfo;
import io.hmfs.client.ResultCode;
import org.jspecify.annotations.Nullable;

/** One call of a client: what it asked for, when, and what it heard. Moments are numbers of one clock that counts. */
final class HistoryCall {
    static final long NEVER = Long.MAX_VALUE;

    enum Verb {
        CREATE,
        MKDIR,
        DELETE,
        RMDIR,
        RENAME,
        /** A rename that may replace a file. */
        REPLACE,
        STAT,
        CHMOD,
        TRUNCATE,
        /** Means a file by its directory's id, its name and its own id. */
        APPEND
    }

    /** A name in a directory that stays where it is for the whole history; or, with a child, a name in a directory that has that name. */
    record Place(long directory, String name, String child) {
        boolean isDeep() {
            return !child.isEmpty();
        }

        /** The last component. */
        String last() {
            return isDeep() ? child : name;
        }

        HistoryTree.Spot top() {
            return new HistoryTree.Spot(directory, name);
        }

        @Override
        public String toString() {
            return directory + "/" + name + (isDeep() ? "/" + child : "");
        }
    }

    /** What a reply says of an object. */
    record Seen(long id, long parent, boolean directory, int mode, long size) {
        static Seen of(FileInfo info) {
            return new Seen(info.id(), info.parentId(), info.directory(), info.mode(), info.size());
        }
    }

    final int client;
    final Verb verb;
    final Place at;

    /** Where a rename goes. */
    final @Nullable Place to;

    /** The mode or the size that is asked for. */
    final int number;

    /** The file that an append means. */
    final @Nullable Seen file;

    long begun;
    long ended;
    ResultCode answer = ResultCode.OK;

    /** What the answer tells of the object. */
    @Nullable
    Seen seen;

    /** The file that was removed, as the answer tells; 0: none. */
    long removed;

    /** If the answer does not say what became of it: it has happened before this moment or never. */
    long lost = NEVER;

    HistoryCall(int client, Verb verb, Place at, @Nullable Place to, int number, @Nullable Seen file) {
        this.client = client;
        this.verb = verb;
        this.at = at;
        this.to = to;
        this.number = number;
        this.file = file;
    }

    /** Whether it is unknown what became of it. */
    boolean isOpen() {
        return answer == ResultCode.OUTCOME_UNKNOWN || answer == ResultCode.TIMEOUT;
    }

    boolean isRename() {
        return verb == Verb.RENAME || verb == Verb.REPLACE;
    }

    /** Whether it leaves everything as it is, whenever it happens. */
    boolean isRead() {
        return verb == Verb.STAT || (answer != ResultCode.OK && !isOpen());
    }

    /** The directory that the object was seen in; 0 if the answer does not tell. */
    long parentSeen() {
        return seen == null ? 0 : seen.parent();
    }

    @Override
    public String toString() {
        return "[%d, %s] client %d %s %s%s%s%s: %s%s%s"
                .formatted(
                        begun,
                        isOpen() ? "lost " + (lost == NEVER ? "-" : lost) : Long.toString(ended),
                        client,
                        verb,
                        at,
                        to == null ? "" : " to " + to,
                        number == 0 ? "" : " " + number,
                        file == null ? "" : " of " + file.id() + " in " + file.parent(),
                        answer,
                        seen == null ? "" : " " + seen,
                        removed == 0 ? "" : " removed " + removed);
    }
}
