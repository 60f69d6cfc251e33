package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * create, mkdir and symlink (HMFS §3.3.2): the writer locks of the keys, no lock of a parent, two fences for a batch of any size. All
 * objects and index words go out under the first; then one compare-and-swap for each directory links the chain of its new children, and
 * the second makes the directories durable. To recovery each is a create of its own: it is on its list or it is not.
 *
 * <p>A batch is executed in passes. The key locks of a pass are taken together, in ascending order, and nothing is waited for under
 * them. What has to wait for another thread's change or for a recovery, and the later of two creates of one key, are left to the next
 * pass.
 */
final class CreateOp {
    private static final int TARGET_MAX = 4095;
    private static final int SYMLINK_MODE = 0777;
    private static final int ORPHANS_MODE = 0700;
    private static final long ROOT_ID = 1;

    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final AttributeReader reader;
    private final ThreadLocal<Notes> notes = ThreadLocal.withInitial(Notes::new);

    CreateOp(Engine engine, ChildList lists, Recovery recovery, AttributeReader reader) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.reader = reader;
    }

    /** Notes on one batch, by the number of a create or, of the chains, by their own; one for each thread, reused. */
    private static final class Notes {
        /** Carries a single create. */
        final CreateBatch one = CreateBatch.ofOne();

        /** The target of a single symbolic link. */
        byte @Nullable [] target;

        final BatchLocks locks = new BatchLocks();

        /** Creates that take part in this pass. */
        boolean[] batched = {};

        long[] hashes = {};
        long[] contents = {};

        /** Objects: filled, then made; NULL if there is none. */
        long[] objects = {};

        /** What must be recovered before a create can go on; NULL: nothing. */
        long[] stale = {};

        /** Creates in the order of their chains, and where each chain ends. */
        int[] chained = {};

        int[] chainEnds = {};
        long[] heads = {};
        long[] mtimes = {};
        boolean[] settled = {};
        int chains;

        /** The objects of the chains, in their order. */
        long[] links = {};

        void reserve(int size) {
            if (size > hashes.length) {
                batched = new boolean[size];
                hashes = new long[size];
                contents = new long[size];
                objects = new long[size];
                stale = new long[size];
                chained = new int[size];
                chainEnds = new int[size];
                heads = new long[size];
                mtimes = new long[size];
                settled = new boolean[size];
                links = new long[size];
            }
            Arrays.fill(objects, 0, size, Pmem.NULL);
        }
    }

    /** Executes the creates of a batch that have no answer yet. */
    void run(CreateBatch batch) {
        Notes work = notes.get();
        work.target = null;
        execute(batch, work, true);
    }

    /** A file or a directory, with an ACL if that has entries. */
    Status run(
            FileType type,
            long parent,
            Name name,
            int mode,
            int uid,
            int gid,
            long[] acl,
            Change change,
            Attributes out) {
        return runOne(type, parent, name, mode, uid, gid, acl, null, change, out);
    }

    /** A symbolic link is an object that has a chain from the start. */
    Status symlink(long parent, Name name, byte[] target, int uid, int gid, Change change, Attributes out) {
        if (target.length > TARGET_MAX) {
            return Status.NAME_TOO_LONG;
        }
        for (byte each : target) {
            if (each == 0) {
                return Status.INVALID_ARGUMENT;
            }
        }
        if (target.length == 0) {
            return Status.INVALID_ARGUMENT;
        }
        return runOne(FileType.SYMLINK, parent, name, SYMLINK_MODE, uid, gid, Acl.NONE, target, change, out);
    }

    /** A mkdir of the one directory whose name no caller can give. */
    Status orphans(Attributes out) {
        Notes work = notes.get();
        work.target = null;
        work.one.borrowOne(FileType.DIRECTORY, ROOT_ID, Name.orphans(), ORPHANS_MODE, 0, 0, Acl.NONE, Change.NONE, out);
        execute(work.one, work, false);
        return work.one.status(0);
    }

    private Status runOne(
            FileType type,
            long parent,
            Name name,
            int mode,
            int uid,
            int gid,
            long[] acl,
            byte @Nullable [] target,
            Change change,
            Attributes out) {
        Notes work = notes.get();
        work.target = target;
        work.one.borrowOne(type, parent, name, mode, uid, gid, acl, change, out);
        execute(work.one, work, true);
        return work.one.status(0);
    }

    private static Status check(CreateBatch batch, int number) {
        Status valid = batch.name(number).check();
        int mode = batch.mode(number);
        boolean invalid = mode < 0
                || mode > Ctime.MODE_MAX
                || batch.gid(number) < 0
                || batch.uid(number) < 0
                || !Acl.isValid(batch.acl(number));
        return valid == Status.OK && invalid ? Status.INVALID_ARGUMENT : valid;
    }

    /** {@code checks}: whether the arguments can be wrong. */
    private void execute(CreateBatch batch, Notes work, boolean checks) {
        work.reserve(batch.size());
        int pin = engine.epochs.pin();
        try {
            do {
                prepare(batch, work, checks);
                boolean twins = work.locks.choose(engine.locks, work.hashes, work.batched, batch.size());
                work.locks.lockWrite(engine.locks);
                if (twins) {
                    BatchLocks.leaveOutTwins(work.hashes, work.batched, batch.size());
                }
                make(batch, work);
                order(batch, work);
                link(batch, work);
                work.locks.unlockWrite(engine.locks);
            } while (!isSettled(batch, work));
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Before the locks: arguments, slots, directories. A closed directory is waited for. */
    private void prepare(CreateBatch batch, Notes work, boolean checks) {
        for (int i = 0; i < batch.size(); i++) {
            Status valid = checks && !batch.isAnswered(i) ? check(batch, i) : Status.OK;
            if (valid != Status.OK) {
                batch.answer(i, valid);
            }
            work.stale[i] = Pmem.NULL;
            work.batched[i] = !batch.isAnswered(i);
            if (work.batched[i]) {
                long directory = batch.directory(i);
                work.hashes[i] = engine.keys.ofEntry(directory, batch.name(i));
                // On its way during all that comes before the look-up: in a batch the misses of all are under way
                // together.
                engine.index.prefetch(work.hashes[i]);
                if (work.objects[i] == Pmem.NULL) {
                    work.objects[i] = fill(batch, i);
                }
                boolean same = i > 0 && work.batched[i - 1] && batch.directory(i - 1) == directory;
                work.contents[i] = same ? work.contents[i - 1] : recovery.openContent(directory);
                if (work.contents[i] == Pmem.NULL) {
                    refuse(batch, work, i, Status.NO_SUCH_DIRECTORY);
                }
            }
        }
    }

    /** Key and attributes in a slot that is FREE to all other threads; NULL if there is none. */
    private long fill(CreateBatch batch, int number) {
        Name name = batch.name(number);
        long at = engine.slotsFor(EntryRecord.sizeFor(name.length())).allocate();
        if (at != Pmem.NULL) {
            long owner = Owner.of(batch.uid(number), batch.gid(number));
            EntryRecord.fill(pmem, at, batch.directory(number), name, engine.clock.next(), batch.mode(number), owner);
        }
        return at;
    }

    /** Answers a create that comes to nothing; its slot, filled and still FREE, goes back. */
    private void refuse(CreateBatch batch, Notes work, int number, Status status) {
        long at = work.objects[number];
        if (at != Pmem.NULL) {
            engine.slotsFor(EntryRecord.sizeFor(batch.name(number).length())).release(at);
        }
        work.batched[number] = false;
        batch.answer(number, status);
    }

    /**
     * Under the locks: answers names that are taken, makes objects of what was filled and puts them into the index, all written back, not
     * fenced, not linked. What must be recovered first is left to the next pass.
     */
    private void make(CreateBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                long found = engine.findLocked(work.hashes[i], batch.directory(i), batch.name(i));
                if (found == Engine.DAMAGED) {
                    refuse(batch, work, i, Status.DAMAGED);
                } else if (found > 0) {
                    // What has the name cannot change under the key's lock.
                    reader.read(found, EntryRecord.status(pmem, found), batch.attributes(i));
                    refuse(batch, work, i, Status.EXISTS);
                } else if (found < 0) {
                    work.stale[i] = -found;
                    work.batched[i] = false;
                } else if (work.objects[i] == Pmem.NULL || !enter(batch, work, i)) {
                    work.batched[i] = false;
                    batch.answer(i, Status.NO_SPACE);
                }
            }
        }
    }

    private boolean enter(CreateBatch batch, Notes work, int number) {
        long at = work.objects[number];
        Name name = batch.name(number);
        int kind = kind(batch.type(number));
        // [create.1] CREATING after all else: no reader takes a half filled object for one. Under the lock†: a word
        // that an earlier start left may lead here, and the thread that holds the lock takes CREATING for cut off.
        long id = engine.ids.next();
        int check = EntryRecord.check(work.hashes[number], id);
        EntryRecord.create(pmem, at, kind, id, check, name.length());
        byte[] blob = blob(batch, work, number);
        boolean made = blob == null || makeChain(at, kind, blob);
        // The first line goes out when it has its place on the list.
        pmem.writeBack(at + Pmem.LINE, EntryRecord.filledSize(name.length()) - Pmem.LINE);
        made &= kind != EntryRecord.KIND_DIRECTORY || makeContent(at);
        // [create.2] The index word goes out with the first fence, in link.
        if (!made || !engine.index.insert(work.hashes[number], at)) {
            dropContentOf(at);
            retire(at);
            return false;
        }
        engine.outcomes.made(batch.change(number), at);
        return true;
    }

    /** What the chain of an object holds from the start: a target or an ACL; null: it has none. */
    private static byte @Nullable [] blob(CreateBatch batch, Notes work, int number) {
        byte[] target = work.target;
        if (target != null) {
            return BlobEdit.with(BlobEdit.EMPTY, BlobRecord.TYPE_TARGET, BlobEdit.NO_NAME, target);
        }
        long[] acl = batch.acl(number);
        return acl.length == 0
                ? null
                : BlobEdit.with(BlobEdit.EMPTY, BlobRecord.TYPE_ACL, BlobEdit.NO_NAME, BlobRecord.ofAcl(acl));
    }

    private static int kind(FileType type) {
        return switch (type) {
            case FILE -> EntryRecord.KIND_FILE;
            case DIRECTORY -> EntryRecord.KIND_DIRECTORY;
            case SYMLINK -> EntryRecord.KIND_SYMLINK;
        };
    }

    /** [mkdir.1] The content is durable before the access object is linked, so that recovery never has to make one. */
    private boolean makeContent(long access) {
        long content = engine.contentSlots.allocate();
        if (content == Pmem.NULL) {
            return false;
        }
        long id = EntryRecord.id(pmem, access);
        DirContentRecord.init(pmem, content, id, access, EntryRecord.birth(pmem, access));
        pmem.writeBack(content, DirContentRecord.SIZE);
        if (!engine.index.insert(engine.keys.ofContent(id), content)) {
            engine.dropContent(content, id);
            return false;
        }
        return true;
    }

    /** [symlink.1] A target or an ACL goes out with the first fence, in link; a crash before the commit leaves it without an owner. */
    private boolean makeChain(long at, int kind, byte[] blob) {
        long head = engine.chains.make(at, blob);
        if (head == Pmem.NULL) {
            return false;
        }
        boolean symlink = kind == EntryRecord.KIND_SYMLINK;
        if (symlink) {
            pmem.set(at + EntryRecord.LENGTH_OFFSET, (long) blob.length - BlobRecord.HEAD_SIZE);
        }
        long links = EntryRecord.withChain(EntryRecord.links(pmem, at), head);
        pmem.set(at + EntryRecord.LINKS_OFFSET, EntryRecord.markAcl(links, !symlink));
        return true;
    }

    /** Puts what was made into one chain for each directory, in the order of the batch. */
    private void order(CreateBatch batch, Notes work) {
        int placed = 0;
        work.chains = 0;
        for (int first = 0; first < batch.size(); first++) {
            if (!work.batched[first]) {
                continue;
            }
            for (int i = first; i < batch.size(); i++) {
                if (work.batched[i] && work.contents[i] == work.contents[first]) {
                    work.links[placed] = work.objects[i];
                    work.chained[placed++] = i;
                    work.batched[i] = i == first; // placed; the first still names its directory
                }
            }
            work.batched[first] = false;
            work.settled[work.chains] = false;
            work.chainEnds[work.chains++] = placed;
        }
    }

    /**
     * Links every chain: places those that are not on their list yet, and tries again with those whose list has changed meanwhile. One
     * method, too long for the compiler to inline it into the pass: there, the stores to the pool would be past its limit and be calls.
     */
    private void link(CreateBatch batch, Notes work) {
        int open = work.chains;
        while (open > 0) {
            for (int chain = 0; chain < work.chains; chain++) {
                if (work.settled[chain]) {
                    continue;
                }
                int from = chain == 0 ? 0 : work.chainEnds[chain - 1];
                long content = work.contents[work.chained[from]];
                // mtime before head: if either moves after this, the commit fails.
                long mtime = DirContentRecord.mtime(pmem, content);
                long head = DirContentRecord.childHead(pmem, content);
                if (head == DirContentRecord.CLOSED) {
                    for (int i = from; i < work.chainEnds[chain]; i++) {
                        abandon(batch, work, work.chained[i]);
                        work.links[i] = Pmem.NULL;
                    }
                    work.settled[chain] = true;
                    open--;
                    continue;
                }
                lists.chain(work.links, from, work.chainEnds[chain], head, mtime);
                work.heads[chain] = head;
                work.mtimes[chain] = mtime;
            }
            if (open > 0) {
                // [create.3] I2: every object and index word of the batch is durable before it is reachable.
                pmem.fence();
            }
            for (int chain = 0; chain < work.chains; chain++) {
                if (!work.settled[chain]) {
                    int last = work.chainEnds[chain] - 1;
                    long content = work.contents[work.chained[last]];
                    long newest = work.links[last];
                    work.settled[chain] = lists.linkChain(content, work.heads[chain], work.mtimes[chain], newest);
                    open -= work.settled[chain] ? 1 : 0;
                }
            }
        }
        if (work.chains > 0) {
            // [create.4] The directories are durable before an answer, and before an object is shown.
            pmem.fence();
        }
        int linked = work.chains == 0 ? 0 : work.chainEnds[work.chains - 1];
        for (int i = 0; i < linked; i++) {
            if (work.links[i] != Pmem.NULL) {
                show(work.links[i], batch.attributes(work.chained[i]));
                batch.answer(work.chained[i], Status.OK);
            }
        }
    }

    /** What a linked object is, from when it is durably on its list. */
    private void show(long at, Attributes out) {
        reader.read(at, EntryRecord.status(pmem, at), out);
        // [create.5] Shown from here on; after a crash recovery finds it linked and says so again, hence no write-back.
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
    }

    /** Undoes an object that was made and met a closed directory. */
    private void abandon(CreateBatch batch, Notes work, int number) {
        long at = work.objects[number];
        engine.outcomes.forget(batch.change(number));
        dropContentOf(at);
        engine.index.remove(work.hashes[number], at);
        retire(at);
        work.objects[number] = Pmem.NULL;
    }

    private void dropContentOf(long at) {
        if (EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_DIRECTORY) {
            long content = engine.findContent(EntryRecord.id(pmem, at));
            if (content != Pmem.NULL) {
                engine.dropContent(content, EntryRecord.id(pmem, at));
            }
        }
    }

    private void retire(long at) {
        engine.retire(at, engine.slotsFor(Engine.slotSize(EntryRecord.status(pmem, at))));
    }

    /** After a pass, without its locks: waits for what the creates without an answer have met. Whether there was none. */
    private boolean isSettled(CreateBatch batch, Notes work) {
        boolean settled = true;
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.isAnswered(i)) {
                if (work.stale[i] != Pmem.NULL) {
                    recovery.recover(work.stale[i]);
                } else if (work.objects[i] == Pmem.NULL && !recovery.awaitClosed(batch.directory(i))) {
                    batch.answer(i, Status.NO_SUCH_DIRECTORY);
                }
                settled &= batch.isAnswered(i);
            }
        }
        return settled;
    }
}
