package io.hmfs.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.sim.SimPoolFile;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Goal: a principal's id is for ever, whatever dies when. Method: simulated memory that loses power before each event of an
 * addition; in each image the table loads, keeps what was told, and takes names on.
 */
final class PrincipalsTest {
    private static final long REGION = 8 << 10;
    private static final String LONG =
            "a name that is longer than a line, so that its parts may go separate ways: 0123456789";

    private static Principals open(SimPoolFile file) {
        return new Principals(file.pmem(), new Regions(file));
    }

    @Test
    void idsCountFromRootAndLastOverRestarts() {
        SimPoolFile file = new SimPoolFile(REGION, 1);
        Principals principals = open(file);
        assertEquals(0, principals.id("root"));
        assertEquals(1, principals.id("alice"));
        assertEquals(2, principals.id("ä".repeat(127)));
        assertEquals(1, principals.id("alice"));
        assertEquals(-1, principals.id(""));
        assertEquals(-1, principals.id("x".repeat(256)));
        Principals again = open(file.killed());
        assertEquals(2, again.id("ä".repeat(127)));
        assertEquals("alice", again.name(1));
        assertNull(again.name(3));
        assertNull(again.name(-1));
        assertEquals(3, again.id("bob"));
    }

    @Test
    void thereIsRoomForAsManyNamesAsItSays() {
        Principals principals = open(new SimPoolFile(REGION, 1));
        int room = principals.room();
        assertTrue(room > 2, "room: " + room);
        for (int i = 0; i < room; i++) {
            assertTrue(principals.id(i + "x".repeat(254 - Integer.toString(i).length())) > 0);
        }
        assertEquals(0, principals.room());
        assertEquals(-1, principals.id("y".repeat(255)));
    }

    @Test
    void everyImageOfAnAdditionKeepsTheOldNamesAndTakesNewOnes() {
        SimPoolFile file = new SimPoolFile(REGION, 1);
        Principals principals = open(file);
        assertEquals(1, principals.id("alice"));
        AtomicInteger images = new AtomicInteger();
        Runnable look = () -> file.pmem().images(64, 3, image -> {
            images.incrementAndGet();
            verify(file.crashed(image));
        });
        file.pmem().beforeEachEvent(look);
        assertEquals(2, principals.id(LONG));
        file.pmem().beforeEachEvent(null);
        look.run();
        assertTrue(images.get() > 100, "images: " + images);
        file.pmem()
                .images(
                        64,
                        3,
                        image -> assertEquals(LONG, open(file.crashed(image)).name(2), "it was told"));
    }

    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Or the id that the next process gave to files would be another one's. */
    @Test
    void aNameThatADeadProcessAddedIsThereAfterThePowerFailed() {
        int deaths = 0;
        for (boolean died = true; died; deaths++) {
            SimPoolFile file = new SimPoolFile(REGION, 1);
            open(file).id("alice");
            Principals dies = open(file);
            int[] left = {deaths};
            file.pmem().beforeEachEvent(() -> {
                if (left[0]-- == 0) {
                    throw new Death();
                }
            });
            try {
                dies.id(LONG);
                died = false;
            } catch (Death e) {
                // the next process sees what it stored
            }
            file.pmem().processDied();
            String seen = open(file).name(2);
            String when = "dead before event " + deaths;
            file.pmem().images(64, 1, image -> {
                Principals after = open(file.crashed(image));
                assertEquals("alice", after.name(1), when);
                assertEquals(seen, after.name(2), when);
            });
        }
        assertTrue(deaths > 10, "deaths: " + deaths);
    }

    /** A short name is added after the crash; the next start must not take what the long one left for a record. */
    private static void verify(SimPoolFile after) {
        Principals recovered = open(after);
        assertEquals(1, recovered.id("alice"));
        assertTrue(recovered.name(2) == null || LONG.equals(recovered.name(2)), () -> "half: " + recovered.name(2));
        int bob = recovered.id("bob");
        Principals again = open(after.killed());
        assertEquals("alice", again.name(1));
        assertEquals("bob", again.name(bob));
        assertNull(again.name(bob + 1));
        assertEquals(bob + 1, again.id("carol"));
    }

    @Test
    void aFullTableSaysSo() {
        SimPoolFile file = new SimPoolFile(REGION, 1, Persistence.PROCESS);
        Principals principals = open(file);
        int count = 1;
        while (principals.id("user" + count) == count) {
            count++;
        }
        assertEquals(-1, principals.id("user" + count));
        assertEquals(REGION / 16, count, "records of two words");
        assertEquals(count - 1, open(file.killed()).id("user" + (count - 1)));
    }
}
