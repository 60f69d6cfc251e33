package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: what was committed is read back after any end of the process or of the machine, and the next writer can go on.
 * Method: seeded writers, with pieces in any order and pieces that come again, syncs and cuts on a simulated file that ends in any call.
 * After the loss of power a writer begins at the committed size with other bytes.
 */
class CheckedObjectCrashTest {
    private static final int BLOCK = 16 << 10;

    /** The form with the smaller file, as thousands of them are copied; the other one is another place for the data. */
    private static final ObjectFormat FORMAT = ObjectFormat.packed(BLOCK);

    private static final int ROUNDS = Integer.getInteger("hmfs.object.rounds", 3_000);
    private static final int LIVES = 8;

    private final Scratch scratch = new Scratch();

    /** One object through several starts, and what its writers know. */
    private final class World {
        final Random random;
        final boolean durable;
        SimObjectFile file;
        CheckedObject object;
        long stamp;
        byte[] written = new byte[BLOCK]; // answered
        int answered; // bytes of it
        int committed;
        int cutTo = -1; // a cut that has begun
        boolean isLost; // what the last sync was for; a sync that comes again without its bytes may be refused

        World(long seed, boolean durable) {
            random = new Random(seed);
            this.durable = durable;
            file = new SimObjectFile(random);
            object = open();
        }

        CheckedObject open() {
            return new CheckedObject(file, 7, 3, FORMAT, durable, ++stamp);
        }

        void live() throws IOException {
            file.callsLeft = random.nextInt(60);
            try {
                if (cutTo >= 0) {
                    cut(cutTo);
                }
                if (random.nextInt(4) == 0) {
                    answered = committed; // another writer, whose bytes are others
                }
                while (true) {
                    step();
                }
            } catch (SimObjectFile.EndedException e) {
                boolean isKill = !durable || random.nextBoolean();
                file = isKill ? file.afterKill() : file.afterPowerLoss();
                if (!isKill) {
                    answered = committed;
                    isLost = true;
                }
                object = open();
            }
        }

        void step() throws IOException {
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> commit();
                case 3 -> again();
                case 4 -> cut(random.nextInt(committed + 1));
                case 5 -> pieces();
                case 6 -> object = reopened();
                default -> append(random.nextInt(1, 1400));
            }
        }

        /** The handle was closed and is opened once more, by the same server. */
        CheckedObject reopened() {
            return new CheckedObject(file, 7, 3, FORMAT, durable, stamp);
        }

        byte[] fresh(int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }

        void write(int at, byte[] bytes, int from, int length) throws IOException {
            int there = durable ? Math.min(committed, at + from) : 0; // else a crash may take what was committed
            object.write(
                    at + from,
                    there,
                    ByteBuffer.wrap(bytes).limit(from + length).position(from),
                    scratch);
        }

        void append(int length) throws IOException {
            byte[] bytes = fresh(Math.min(length, BLOCK - answered));
            write(answered, bytes, 0, bytes.length);
            took(bytes);
        }

        void took(byte[] bytes) {
            System.arraycopy(bytes, 0, written, answered, bytes.length);
            answered += bytes.length;
            isLost = bytes.length == 0 && isLost;
        }

        /** Two pieces, the latter first; but an object of which nothing is left begins with its first byte. */
        void pieces() throws IOException {
            byte[] bytes = fresh(Math.min(1 + random.nextInt(3000), BLOCK - answered));
            int first = committed == 0 ? 0 : random.nextInt(bytes.length + 1);
            try {
                write(answered, bytes, first, bytes.length - first);
            } catch (CorruptObjectException e) {
                if (!isLost) {
                    throw e;
                }
                first = bytes.length; // what power loss left there may refuse it, until the writer's first piece has
                // come
            }
            write(answered, bytes, 0, first);
            took(bytes);
        }

        /** A piece that was answered comes again. */
        void again() throws IOException {
            int from = random.nextInt(answered + 1);
            int length = random.nextInt(answered - from + 1);
            write(0, written, from, length);
        }

        void commit() throws IOException {
            if (durable && !isLost) {
                object.sync(scratch);
            }
            committed = answered;
        }

        void cut(int to) throws IOException {
            cutTo = to;
            committed = Math.min(committed, to); // the size is committed first
            answered = committed;
            object.truncate(to, scratch);
            cutTo = -1;
        }

        void check(String when) throws IOException {
            byte[] wanted = Arrays.copyOf(written, answered);
            int from = random.nextInt(answered + 1);
            byte[] found = new byte[answered - from];
            int count;
            try {
                count = object.read(from, ByteBuffer.wrap(found), scratch);
            } catch (CorruptObjectException e) {
                throw new AssertionError(when + ": damaged, " + e.position() + " of " + answered, e);
            }
            assertEquals(found.length, Math.max(0, count), when);
            assertTrue(Arrays.equals(wanted, from, answered, found, 0, found.length), when + ": other bytes");
        }
    }

    private void run(boolean durable) throws IOException {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            World world = new World(seed, durable);
            for (int life = 0; life < LIVES; life++) {
                String when = "seed " + seed + ", life " + life;
                try {
                    world.live();
                } catch (CorruptObjectException e) {
                    throw new AssertionError(when + ": refused, " + e.position() + " of " + world.answered, e);
                }
                world.check(when);
            }
        }
    }

    @Test
    void noLossOfPowerAndNoKillTakesWhatWasCommitted() throws IOException {
        run(true);
    }

    @Test
    void noKillTakesWhatWasAnsweredWithoutASync() throws IOException {
        run(false);
    }
}
