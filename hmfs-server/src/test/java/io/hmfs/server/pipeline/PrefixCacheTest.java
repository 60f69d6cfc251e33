package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.metrics.WorkerMeter.Tally;
import io.hmfs.server.path.PathValidation;
import io.hmfs.server.path.PrefixCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a path that was resolved before costs no look-up of its directories, and gives what it would give if it had not been, to each user
 * their own. Method: several users' connections on one worker; each answer beside what stands in the engine. One request at a time; for
 * what is under way see {@link PrefixCacheInterleaveTest}.
 */
class PrefixCacheTest {
    private static final String ADMIN = PathWorld.SUPERUSER;
    private static final int REQUESTS = 40_000;
    private static final int[] MODES = {0755, 0755, 0755, 0750, 0700, 0711, 0070, 0007, 0110, 0};

    @TempDir
    private Path directory;

    private PathWorld world;
    private PathWorld.Peer admin;
    private PathWorld.Peer user;
    private PathWorld.Peer other;

    @BeforeEach
    void open() throws IOException {
        world = new PathWorld(directory);
        admin = world.peer(ADMIN);
        user = admin.beside("u");
        other = admin.beside("v");
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static void done(String answer) {
        assertTrue(answer.equals("done") || Character.isDigit(answer.charAt(0)), answer);
    }

    private void assertTrueForAll(String path) {
        assertEquals(world.truth("u", path), user.stat(path), path);
        assertEquals(world.truth("v", path), other.stat(path), path);
        assertEquals(world.truth(ADMIN, path), admin.stat(path), path);
    }

    private long looksFor(String path) {
        long before = world.looks();
        assertEquals(world.truth("u", path), user.stat(path), path);
        return world.looks() - before;
    }

    @Test
    void aKnownPathCostsNoLookUpHoweverDeep() {
        String path = "/level".repeat(10);
        done(admin.mkdir(path, 0755, true));
        done(admin.create(path + "/f"));
        done(user.stat(path + "/f"));
        long hits = world.tally(Tally.PATH_HITS);
        long misses = world.tally(Tally.PATH_MISSES);
        assertEquals(0, looksFor(path + "/f"));
        assertEquals(0, looksFor("/level/level"));
        assertEquals(hits + 2, world.tally(Tally.PATH_HITS));
        assertEquals(misses, world.tally(Tally.PATH_MISSES));
    }

    @Test
    void whatIsNotKnownIsLookedUpFromTheDeepestKnownDirectoryOn() {
        done(admin.mkdir("/a/b", 0755, true));
        done(admin.create("/a/b/f"));
        user = world.peer("u"); // whose thread knows nothing yet
        assertEquals(2, looksFor("/a/f"), "the root and a");
        long misses = world.tally(Tally.PATH_MISSES);
        assertEquals(0, looksFor("/a/b"));
        assertEquals(misses, world.tally(Tally.PATH_MISSES));
        assertEquals(1, looksFor("/a/b/f"), "b");
        assertEquals(misses + 1, world.tally(Tally.PATH_MISSES));
    }

    @Test
    void aChangeForgetsWhatIsBelowItAndNothingElse() {
        done(admin.mkdir("/a/b", 0755, true));
        done(admin.mkdir("/c/d", 0755, true));
        for (String path : List.of("/a/b/f", "/c/d/f")) {
            user.stat(path);
        }
        long invalidations = world.tally(Tally.PATH_INVALIDATIONS);
        done(admin.chmod("/a", 0711));
        assertEquals(0, looksFor("/c/d/f"));
        assertEquals(invalidations, world.tally(Tally.PATH_INVALIDATIONS));
        assertEquals(2, looksFor("/a/b/f"), "a and b");
        assertEquals(invalidations + 2, world.tally(Tally.PATH_INVALIDATIONS), "of /a and /a/b");
    }

    @Test
    void whatOneMayDoIsNoHelpToAnother() {
        done(admin.mkdir("/a/b/c", 0755, true));
        done(admin.create("/a/b/c/f"));
        for (String restricted : List.of("/a", "/a/b", "/a/b/c")) {
            for (int mode : MODES) {
                for (String owner : List.of("u", "v", ADMIN)) {
                    for (String group : List.of("staff", "wheel", "nobody's")) {
                        done(admin.chmod(restricted, mode));
                        done(admin.chown(restricted, owner, group));
                        assertTrueForAll("/a/b/c/f");
                        assertTrueForAll("/a/b/c/f");
                    }
                }
            }
            done(admin.chmod(restricted, 0755));
        }
    }

    @Test
    void aUserThatHasLeftAGroupIsLetThroughNoMore() {
        done(admin.mkdir("/a/b", 0755, true));
        done(admin.create("/a/b/f"));
        done(admin.chmod("/a", 0710));
        done(admin.chown("/a", ADMIN, "wheel"));
        done(user.stat("/a/b/f"));
        world.regroup("u", "staff");
        assertEquals("ACCESS_DENIED", user.stat("/a/b/f"));
        world.regroup("u", "wheel");
        done(user.stat("/a/b/f"));
    }

    /** Each refuses another user, so that each is needed; and there are more than are kept. */
    @Test
    void allRestrictedDirectoriesAreAsked() {
        List<String> ways = new ArrayList<>();
        StringBuilder way = new StringBuilder();
        for (int i = 0; i < PathValidation.RESTRICTED_MAX + 3; i++) {
            way.append("/d").append(i);
            done(admin.mkdir(way.toString(), 0755, false));
            ways.add(way.toString());
        }
        done(admin.create(way + "/f"));
        String[][] owners = {{"u", "staff"}, {"v", "staff"}, {"v", "wheel"}, {ADMIN, "staff"}, {"u", "wheel"}};
        for (int i = 0; i < ways.size(); i++) {
            done(admin.chown(ways.get(i), owners[i % owners.length][0], owners[i % owners.length][1]));
            done(admin.chmod(ways.get(i), i < owners.length ? 0110 : 0550)); // all may pass, by one class or another
        }
        assertEquals(world.truth(ADMIN, way + "/f"), user.stat(way + "/f"));
        for (String restricted : ways) {
            for (int mode : new int[] {0100, 0010, 0001, 0}) {
                done(admin.chmod(restricted, mode));
                assertTrueForAll(way + "/f");
                assertTrueForAll(way + "/f");
            }
            done(admin.chmod(restricted, 0111));
            assertTrueForAll(way + "/f");
        }
    }

    @Test
    void aDeepPathAndALongOneAreTrueToTheEnd() {
        for (String name : List.of("n", "name-of-forty-bytes-which-makes-long-paths")) {
            StringBuilder way = new StringBuilder();
            List<String> ways = new ArrayList<>();
            int depth = name.length() == 1 ? PathValidation.NAMES_MAX + 7 : PrefixCache.PATH_MAX / name.length() + 7;
            for (int i = 0; i < depth; i++) {
                way.append('/').append(name);
                done(admin.mkdir(way.toString(), 0755, false));
                ways.add(way.toString());
            }
            for (String above : ways) {
                assertTrueForAll(way.toString());
                done(admin.chmod(above, 0700));
                assertTrueForAll(way.toString());
                done(admin.chmod(above, 0755));
            }
            for (int i = ways.size() - 2; i >= 0; i--) {
                done(admin.rename(ways.get(i), "/elsewhere", false));
                assertTrueForAll(way.toString());
                done(admin.rename("/elsewhere", ways.get(i), false));
                assertTrueForAll(way.toString());
            }
        }
    }

    /** More directories than places, with paths of one length: those that meet in a place must not be taken for each other. */
    @Test
    void directoriesThatShareAPlaceAreToldApart() {
        int count = 3 * PrefixCache.PLACES;
        for (int i = 0; i < count; i++) {
            done(admin.mkdir("/d%05d".formatted(i), 0755, false));
            done(admin.create("/d%05d/f".formatted(i)));
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < count; i++) {
                String path = "/d%05d/f".formatted(i);
                assertEquals(world.truth("u", path), user.stat(path), path);
            }
        }
    }

    @Test
    void aPathFromAnotherDirectoryIsNotOneFromTheRoot() {
        done(admin.mkdir("/a/b", 0755, true));
        done(admin.mkdir("/b", 0755, true));
        done(admin.create("/a/b/f"));
        done(admin.create("/b/f"));
        long base = Long.parseLong(admin.stat("/a"));
        for (PathWorld.Peer peer : List.of(user, admin)) {
            for (int round = 0; round < 2; round++) {
                assertEquals(world.truth(ADMIN, "/a/b/f"), peer.stat(base, "b/f"));
                assertEquals(world.truth(ADMIN, "/b/f"), peer.stat("b/f"));
            }
        }
    }

    /** Random requests of the superuser on a small tree, on two workers; after each, all users look somewhere. */
    @Test
    void randomChangesAreAllSeen() {
        Random random = new Random(Long.getLong("hmfs.seed", 11));
        PathWorld.Peer elsewhere = world.peer(ADMIN);
        int found = 0;
        for (int i = 0; i < REQUESTS; i++) {
            PathWorld.Peer changer = random.nextBoolean() ? admin : elsewhere;
            String path = path(random);
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> changer.mkdir(path, MODES[random.nextInt(MODES.length)], random.nextBoolean());
                case 3 -> changer.create(path);
                case 4 -> changer.chmod(path, MODES[random.nextInt(MODES.length)]);
                case 5 ->
                    changer.chown(path, random.nextBoolean() ? "u" : "v", random.nextBoolean() ? "staff" : "wheel");
                case 6 -> changer.rename(path, path(random), random.nextBoolean());
                case 7 -> changer.rmdir(path);
                case 8 -> changer.chmod("/", random.nextInt(4) == 0 ? 0700 : 0755);
                default -> {} // what is known now is asked for again
            }
            String looked = path(random);
            assertTrueForAll(looked);
            found += Character.isDigit(world.truth("u", looked).charAt(0)) ? 1 : 0;
        }
        assertTrue(found > REQUESTS / 50, found + " found");
        assertTrue(world.tally(Tally.PATH_HITS) > REQUESTS, "hardly a hit");
        assertTrue(world.tally(Tally.PATH_INVALIDATIONS) > REQUESTS / 20, "hardly a change that matters");
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        int depth = 1 + random.nextInt(5);
        for (int i = 0; i < depth; i++) {
            path.append('/').append((char) ('a' + random.nextInt(3)));
        }
        return path.toString();
    }
}
