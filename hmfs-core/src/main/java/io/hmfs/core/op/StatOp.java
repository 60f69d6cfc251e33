package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;

/**
 * stat: one index look-up, no lock, nothing allocated. A stat waits for two misses of the cache one after the other, the bucket and then
 * the object that it names; in a batch the misses of all names are under way together. What is asked for ahead decides nothing: each
 * name is looked up as by itself, in memory that is near by then.
 */
final class StatOp {
    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final AttributeReader reader;

    private final ThreadLocal<Notes> notes = ThreadLocal.withInitial(Notes::new);

    StatOp(Engine engine, Recovery recovery, AttributeReader reader) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.reader = reader;
    }

    /** Notes on one batch, by the number of a name; one for each thread, reused. A single name needs none. */
    private static final class Notes {
        long[] hashes = {};
        long[] matches = {};

        void reserve(int size) {
            if (size > hashes.length) {
                hashes = new long[size];
                matches = new long[size];
            }
        }
    }

    /** Answers every name of a batch. */
    void run(StatBatch batch) {
        Notes work = notes.get();
        work.reserve(batch.size());
        // From before the first match to the last answer: no slot that a match names is reused in between (I5).
        int pin = engine.epochs.pin();
        try {
            hash(batch, work);
            match(batch, work);
            for (int i = 0; i < batch.size(); i++) {
                Name name = batch.name(i);
                Status status = name.isOrphans()
                        ? Status.NOT_FOUND
                        : run(work.hashes[i], work.matches[i], batch.directory(i), name, batch.attributes(i));
                batch.answer(i, status);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private void hash(StatBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            work.hashes[i] = engine.keys.ofEntry(batch.directory(i), batch.name(i));
            engine.index.prefetch(work.hashes[i]);
        }
    }

    private void match(StatBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            long hash = work.hashes[i];
            work.matches[i] = engine.index.match(engine.index.segment(hash), hash, 0);
            if (work.matches[i] >= 0) {
                // The line of the fate, that of the attributes, and those of the name.
                pmem.prefetch(
                        HashIndex.object(work.matches[i]),
                        EntryRecord.filledSize(batch.name(i).length()));
            }
        }
    }

    Status run(long parent, Name name, Attributes out) {
        return name.isOrphans() ? Status.NOT_FOUND : runUnchecked(parent, name, out);
    }

    /** A stat that finds the directory of orphans too. */
    Status runUnchecked(long parent, Name name, Attributes out) {
        long hash = engine.keys.ofEntry(parent, name);
        int pin = engine.epochs.pin();
        try {
            long first = engine.index.match(engine.index.segment(hash), hash, 0);
            return run(hash, first, parent, name, out);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /**
     * Looks a name up from the first match of its hash in the index, or -1, had since the caller pinned the epoch. How old the match is
     * does not matter: what it leads to is read now.
     */
    private Status run(long hash, long match, long parent, Name name, Attributes out) {
        return findsNormal(hash, match, parent, name, out) ? Status.OK : find(hash, parent, name, out);
    }

    /** A stat of a caller that has pinned the epoch and goes on from the object, which then stands in the first of {@code seen}. */
    Status find(long parent, Name name, Attributes out) {
        return name.isOrphans() ? Status.NOT_FOUND : find(engine.keys.ofEntry(parent, name), parent, name, out);
    }

    private Status find(long hash, long parent, Name name, Attributes out) {
        Engine.Scratch scratch = engine.scratch();
        for (; ; ) {
            long[] seen = scratch.seen;
            int count = engine.index.candidates(hash, seen);
            switch (look(hash, seen, count, parent, name, out)) {
                case FOUND -> {
                    return Status.OK;
                }
                case ABSENT -> {
                    // [stat.2] † Not found only if a second look sees the same index words: else a rename that
                    // replaces
                    // could be seen with its successor not there yet and its victim gone already.
                    if (sameWords(hash, scratch, count)) {
                        return Status.NOT_FOUND;
                    }
                }
                case DAMAGED -> {
                    return Status.DAMAGED;
                }
                case RECOVERED -> {}
                case AGAIN -> engine.locks.awaitOthers();
            }
        }
    }

    /** stat of a directory by its id. */
    Status runById(long directory, Attributes out) {
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                long content = engine.findContent(directory);
                if (content == Pmem.NULL) {
                    return Status.NO_SUCH_DIRECTORY;
                }
                long access = DirContentRecord.access(pmem, content);
                long status = EntryRecord.status(pmem, access);
                long successor = EntryRecord.link(pmem, access);
                if (EntryRecord.state(status) == SlotState.DELETED && engine.isAccessOf(successor, directory)) {
                    access = successor; // just moved; the content is told in a moment
                    status = EntryRecord.status(pmem, access);
                }
                // After the step above: a crash may have kept DELETED of the origin and lost NORMAL of the successor.
                if (engine.isStale(access, status)) {
                    recovery.recover(access);
                    continue;
                }
                boolean ours = EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY
                        && EntryRecord.id(pmem, access) == directory;
                int state = EntryRecord.state(status);
                if (engine.isDamaged(access, status)) {
                    return Status.DAMAGED;
                }
                if (ours && state == SlotState.CREATING) {
                    return Status.NO_SUCH_DIRECTORY;
                }
                boolean replaced = state == SlotState.REPLACED && isReplaced(access);
                if (ours && state != SlotState.DELETED && state != SlotState.FREE && !replaced) {
                    reader.read(access, status, out);
                    if (EntryRecord.status(pmem, access) == status) {
                        return Status.OK;
                    }
                } else if (engine.findContent(directory) == content
                        && DirContentRecord.access(pmem, content) == access
                        && EntryRecord.status(pmem, access) == status) {
                    return Status.NO_SUCH_DIRECTORY;
                }
                engine.locks.awaitOthers();
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** By then the name shows the successor, and a directory that was replaced must be gone by its id, too. */
    private boolean isReplaced(long at) {
        return EntryRecord.state(pmem, EntryRecord.link(pmem, at)) != SlotState.CREATING;
    }

    /**
     * Nearly every stat: the first object with this key that is NORMAL, and was all the while it was read. A match is a match
     * wherever and however it was found; all else is looked at again, with care.
     */
    private boolean findsNormal(long hash, long first, long parent, Name name, Attributes out) {
        for (long match = first;
                match >= 0;
                match = engine.index.match(engine.index.segment(hash), hash, HashIndex.place(match) + 1)) {
            long at = HashIndex.object(match);
            long status = EntryRecord.status(pmem, at);
            if (EntryRecord.state(status) == SlotState.NORMAL && EntryRecord.hasKey(pmem, at, status, parent, name)) {
                return EntryRecord.fits(pmem, at, status, hash) && read(at, status, out) == Look.FOUND;
            }
        }
        return false;
    }

    /** Reads an object twice over: still the same object in the same state, hence it was it all the while. */
    private Look read(long at, long status, Attributes out) {
        long birth = EntryRecord.birth(pmem, at);
        boolean whole = reader.read(at, status, out);
        boolean still = EntryRecord.status(pmem, at) == status && EntryRecord.birth(pmem, at) == birth;
        return !still ? Look.AGAIN : whole ? Look.FOUND : Look.DAMAGED;
    }

    private enum Look {
        FOUND,
        ABSENT,
        /** What the record says is not believed, and what is there is not known. */
        DAMAGED,
        /** Something was settled here: no thread is waited for. */
        RECOVERED,
        AGAIN
    }

    /** [stat.1] What is in flight: CREATING does not exist yet, DELETING still does, MOVING and REPLACED until their successor is. */
    private Look look(long hash, long[] seen, int count, long parent, Name name, Attributes out) {
        long creating = Pmem.NULL;
        boolean strange = false;
        for (int i = 0; i < count; i++) {
            long at = seen[i];
            long status = EntryRecord.status(pmem, at);
            int state = EntryRecord.state(status);
            if (state == SlotState.FREE || !EntryRecord.hasKey(pmem, at, status, parent, name)) {
                strange |= engine.isStrange(at, status);
                continue;
            }
            if (engine.isDamaged(at, status, hash)) {
                return Look.DAMAGED;
            }
            if (engine.isStale(at, status)) {
                recovery.recover(at);
                status = EntryRecord.status(pmem, at); // the pin keeps it the same object
                state = EntryRecord.state(status);
                if (state != SlotState.NORMAL || engine.isDamaged(at, status, hash)) {
                    return Look.RECOVERED;
                }
            }
            if (state == SlotState.DELETED) {
                continue;
            }
            if (state == SlotState.CREATING) {
                // If there are two, one came after the other: the first was undone, or went again and its
                // word with it, so the second look at the words differs.
                creating = at;
                continue;
            }
            if (state == SlotState.MOVING || state == SlotState.REPLACED) {
                long successor = EntryRecord.link(pmem, at);
                if (EntryRecord.state(pmem, successor) != SlotState.CREATING) {
                    if (!engine.isSameRename(at, status, successor) || state == SlotState.REPLACED) {
                        return Look.AGAIN; // the successor stands under this key: the next look finds it
                    }
                    continue;
                }
            }
            Look read = read(at, status, out);
            // An inode changes by its other names too, also after this name has gone with the successor's last step.
            boolean went = EntryRecord.isIndirect(status)
                    && state != SlotState.NORMAL
                    && state != SlotState.DELETING
                    && EntryRecord.state(pmem, EntryRecord.link(pmem, at)) != SlotState.CREATING;
            seen[0] = at;
            return went ? Look.AGAIN : read;
        }
        // [stat.3] What did not exist yet must not exist now either: as the successor of one that was looked at
        // later, and was gone by then, it could have come meanwhile, and both would be missed.
        boolean came = creating != Pmem.NULL && EntryRecord.state(pmem, creating) != SlotState.CREATING;
        return came ? Look.AGAIN : strange ? Look.DAMAGED : Look.ABSENT;
    }

    private boolean sameWords(long hash, Engine.Scratch scratch, int count) {
        if (engine.index.candidates(hash, scratch.again) != count) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (scratch.again[i] != scratch.seen[i]) {
                return false;
            }
        }
        return true;
    }
}
