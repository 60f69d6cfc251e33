package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: nothing is misled by what comes to stand in a slot: no thread that has read the object before it, nor what it was renamed to, and no directory
 * whose content led there. Method: a reader stops before each of its loads from the slots in question; there another thread, which frees them
 * and would like to use them again, comes to each of its events; then both end. A scan dies before each of its events.
 */
final class SlotReuseTest extends CutOffCreates {
    /** Two names of one length whose second words are equal: a hash of the one read halfway while the other is stored is that of the first. */
    private static final Name CUT_OFF = Name.of("cut off of equal end");

    private static final Name NEXT = Name.of("another of equal end");
    private static final Name NEWEST = Name.of("newest");
    private static final Name MOVED = Name.of("moved to an equal end");

    private static final int SMALL_REGION = 16 << 10;

    /** So often in a row no thread comes any further, if it is for ever. A thread that has slept may take a while to wake up. */
    private static final int TURNS_MAX = 10_000_000;

    @BeforeEach
    void smallPool() throws PoolException {
        file = new SimPoolFile(SMALL_REGION, 14);
        format();
    }

    private static boolean isIn(long slot, long at) {
        return at >= slot && at < slot + EntryRecord.SIZE;
    }

    /** One race: the reader stands before its load {@code load} of the slot while the other thread comes to its event {@code event}. */
    private final class Race {
        private final SimPoolFile copy = file.killed();
        private final PoolNamespace on = new PoolNamespace("sim", copy, false);

        /** Whether the reader has such a load, and whether the other thread has such an event. */
        private boolean there;

        private boolean overtaken;

        void run(Stepper reader, Stepper other, long directory, long slot, int load, int event) {
            SimPmem pmem = copy.pmem();
            pmem.beforeEachEvent(other::event);
            pmem.beforeEachLoadOf(at -> {
                if (isIn(slot, at)) {
                    reader.event();
                }
            });
            reader.begin(() -> assertEquals(Status.NOT_FOUND, on.stat(directory, CUT_OFF, new Attributes())));
            reader.runTo(load);
            there = !reader.isDone();
            other.begin(() -> {
                assertEquals(Status.NOT_FOUND, on.stat(directory, CUT_OFF, new Attributes()));
                assertEquals(Status.OK, on.create(directory, NEXT, 0644, 0, 0, new Attributes()));
            });
            other.runTo(event);
            overtaken = other.events() == event; // not done, nor waiting for the reader
            // Whichever thread waits for the other gets on when that has ended.
            for (int turn = 0; turn < TURNS_MAX && !(reader.isDone() && other.isDone()); turn++) {
                reader.finish();
                other.finish();
            }
            assertTrue(reader.isDone() && other.isDone(), "one of them never ends");
            pmem.beforeEachEvent(null);
            pmem.beforeEachLoadOf(null);
        }
    }

    /** Two threads undo a create that was cut off; the one that comes second must not undo the create that follows. */
    @Test
    void aCreateThatIsUndoneByTwoThreadsTakesNoOtherWithIt() {
        long directory = mkdir("directory");
        create(directory, name(0));
        create(directory, CUT_OFF);
        long slot = children(directory).getFirst();
        unlink(directory, 1);
        kill();
        int races = 0;
        try (Stepper reader = new Stepper();
                Stepper other = new Stepper()) {
            boolean there = true;
            for (int load = 0; there; load++) {
                boolean overtaken = true;
                for (int event = 1; overtaken && there; event++) {
                    Race race = new Race();
                    race.run(reader, other, directory, slot, load, event);
                    there = race.there;
                    overtaken = race.overtaken;
                    String moment = "load " + load + ", event " + event;
                    assertEquals(Status.OK, race.on.stat(directory, NEXT, out), moment);
                    assertEquals(List.of(), race.on.problems(), moment);
                    races++;
                }
            }
        }
        assertTrue(races > 100, "races: " + races);
    }

    /** Ends a scan where the process dies. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /**
     * The power failed between a sweep's unlink and its fence: the content of a directory that moved leads to its old entry, which is on no list any
     * more, and the scan frees that. The process dies before each event of the scan.
     */
    @Test
    void aDirectoryThatMovedOutlivesTheEntryFromWhichItMoved() {
        long directory = mkdir("directory");
        create(directory, name(0));
        long old = children(ROOT).getFirst();
        Name moved = Name.of("moved");
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("directory"), ROOT, moved, true, out));
        long successor = children(ROOT).getFirst();
        pmem().set(successor + EntryRecord.SIBLING_OFFSET, EntryRecord.sibling(pmem(), old));
        pmem().set(successor + EntryRecord.LINK_OFFSET, old);
        pmem().set(contentOf(directory) + DirContentRecord.ACCESS_OFFSET, old);
        kill();
        int deaths = 0;
        for (boolean dies = true; dies; deaths++) {
            SimPoolFile copy = file.killed();
            dies = diesInScan(copy, deaths);
            PoolNamespace next = new PoolNamespace("sim", copy.killed(), false);
            String moment = "dead before event " + deaths;
            assertEquals(Status.OK, next.statDirectory(directory, out), moment);
            assertEquals(Status.OK, next.list(directory, new ListCursor(), (_, _) -> true), moment);
            next.scanInBackground();
            assertEquals(Status.OK, next.statDirectory(directory, out), moment);
            assertEquals(Status.OK, next.stat(directory, name(0), out), moment);
            assertEquals(List.of(), next.problems(), moment);
        }
        assertTrue(deaths > 5, "deaths: " + deaths);
    }

    private static boolean diesInScan(SimPoolFile file, int event) {
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            namespace.scanInBackground();
            return false;
        } catch (Death e) {
            file.pmem().processDied();
            return true;
        }
    }

    /**
     * A rename that comes to nothing, its target directory being removed, and then another one of the same object, which gives it the same status
     * again: the slot of the first one's successor is free by then, and says nothing of the object.
     */
    @ParameterizedTest
    @EnumSource
    void anObjectIsSeenThatIsRenamedInVainAndThenAgain(Sight sight) {
        long directory = mkdir("directory");
        create(directory, name(0));
        create(directory, CUT_OFF);
        create(directory, NEWEST);
        long object = children(directory).get(1);
        long target = mkdir("target");
        kill();
        int races = 0;
        try (Stepper reader = new Stepper();
                Stepper mover = new Stepper();
                Stepper remover = new Stepper()) {
            boolean there = true;
            for (int load = 0; there; load++) {
                boolean overtaken = true;
                for (int events = 1; overtaken && there; events++) {
                    RenamedTwice race = new RenamedTwice(directory, target, object, mover, remover);
                    String moment = "load " + load + ", events " + events;
                    race.run(reader, sight, load, events, moment);
                    there = race.there;
                    overtaken = race.overtaken;
                    races++;
                }
            }
        }
        assertTrue(races > 100, "races: " + races);
    }

    /** How a reader looks for an object that is renamed. */
    enum Sight {
        STAT,
        PATH,
        LISTING,
        /** The listing meets the object's old place, from where it moved ahead of the listing before all that. */
        LISTING_OF_ONE_THAT_MOVED
    }

    /** The mover's event before which the target is removed, once it is known: the same in each race of one sight. */
    private int removedBefore;

    private final class RenamedTwice {
        private final SimPoolFile copy = file.killed();
        private final SimPmem pmem = copy.pmem();
        private final PoolNamespace on = new PoolNamespace("sim", copy, false);
        private final long directory;
        private final long target;
        private final long object;
        private final Stepper mover;
        private final Stepper remover;
        private volatile @Nullable Thread moverThread;
        private volatile boolean removed;
        private boolean there;
        private boolean overtaken;
        private volatile boolean seen;

        RenamedTwice(long directory, long target, long object, Stepper mover, Stepper remover) {
            this.directory = directory;
            this.target = target;
            this.object = object;
            this.mover = mover;
            this.remover = remover;
        }

        /**
         * The first rename comes to where it can only fail. From then on the reader stops before its loads from the object and from that rename's
         * successor.
         */
        private void renameInVain(Stepper reader, long slot, Name name) {
            pmem.beforeEachEvent(() -> {
                boolean moves =
                        Thread.currentThread().equals(moverThread) && EntryRecord.state(pmem, slot) == SlotState.MOVING;
                if (moves && !removed) {
                    removed = true;
                    remover.begin(() -> assertEquals(Status.OK, on.rmdir(ROOT, Name.of("target"))));
                    remover.finish();
                }
                mover.event();
            });
            mover.begin(() -> {
                moverThread = Thread.currentThread();
                assertEquals(
                        Status.NO_SUCH_DIRECTORY, on.rename(directory, name, target, NEXT, true, new Attributes()));
                assertEquals(Status.OK, on.rename(directory, name, directory, NEXT, true, new Attributes()));
            });
            mover.runTo(removedBefore);
            while (!removed) {
                mover.runTo(++removedBefore);
            }
            long successor = EntryRecord.link(pmem, slot);
            pmem.beforeEachLoadOf(at -> {
                if (isIn(slot, at) || isIn(successor, at)) {
                    reader.event();
                }
            });
        }

        /** The reader stands before a load while the mover passes so many events. */
        void run(Stepper reader, Sight sight, int load, int events, String moment) {
            if (sight != Sight.LISTING_OF_ONE_THAT_MOVED) {
                renameInVain(reader, object, CUT_OFF);
            }
            reader.begin(() -> seen = look(reader, sight));
            reader.runTo(load);
            there = !reader.isDone();
            mover.runTo(removedBefore + events);
            overtaken = mover.events() == removedBefore + events;
            reader.finish();
            if (reader.isDone() && !seen) {
                assertEquals(Status.OK, on.stat(directory, NEXT, new Attributes()), moment);
            }
            for (int turn = 0; turn < TURNS_MAX && !(reader.isDone() && mover.isDone()); turn++) {
                mover.finish();
                reader.finish();
            }
            assertTrue(reader.isDone() && mover.isDone(), "one of them never ends");
            assertTrue(seen || sight == Sight.STAT || sight == Sight.PATH, moment);
            pmem.beforeEachEvent(null);
            pmem.beforeEachLoadOf(null);
        }

        private boolean look(Stepper reader, Sight sight) {
            return switch (sight) {
                case STAT -> on.stat(directory, CUT_OFF, new Attributes()) == Status.OK;
                case PATH -> on.path(directory, EntryRecord.id(pmem, object), new StringBuilder()) == Status.OK;
                case LISTING -> lists(_ -> {});
                case LISTING_OF_ONE_THAT_MOVED ->
                    lists(name -> {
                        if (name.equals(NEWEST.toString())) {
                            assertEquals(
                                    Status.OK, on.rename(directory, CUT_OFF, directory, MOVED, true, new Attributes()));
                            renameInVain(reader, EntryRecord.link(pmem, object), MOVED);
                        }
                    });
            };
        }

        private boolean lists(Consumer<String> visitor) {
            Set<String> shown = new HashSet<>();
            Status status = on.list(directory, new ListCursor(), (name, _) -> {
                visitor.accept(name.toString());
                return shown.add(name.toString());
            });
            assertEquals(Status.OK, status);
            return Stream.of(CUT_OFF, MOVED, NEXT).anyMatch(name -> shown.contains(name.toString()));
        }
    }
}
