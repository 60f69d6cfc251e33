package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a path that was resolved before gives in every instant what one that is resolved anew gives: no wrong object, no wrong access,
 * also while the change is under way. Method: a look-up and the requests that change its path, on threads that are run step by step, in
 * <em>every</em> order of their steps; a step ends before and after each call of the engine that looks up or changes a directory of the
 * path. In each order and after each step a third connection looks too and must be told what stands in the engine; at the end so must be
 * the connection that looked meanwhile, and one that knew the path from the beginning.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PrefixCacheInterleaveTest {
    private static final String USER = "u";
    private static final int SCHEDULES_MIN = 20;

    @TempDir
    private Path directory;

    private PathWorld world;
    private final SteppedWork looking = new SteppedWork(true);
    private final List<SteppedWork> changing = List.of(new SteppedWork(false), new SteppedWork(false));
    private PathWorld.Peer looker;
    private PathWorld.Peer observer;
    private PathWorld.Peer knower;
    private PathWorld.Peer admin;
    private List<PathWorld.Peer> changers = List.of();
    private int trees;

    private static final String TREE = "/r";
    private static final String FILE = TREE + "/a/b/f";

    /** Requests of one connection, about what is below a directory. */
    interface Requests {
        void send(PathWorld.Peer peer, String tree);
    }

    /**
     * A case: what is there, and the requests that change it, each client's on a thread of its own.
     *
     * @param user the user that changes it
     * @param settles whether the look-up is answered another thing in the end than in the beginning
     */
    record Case(String name, Requests before, String user, boolean settles, List<Requests> changes) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case by(String user, String name, Requests before, Requests... changes) {
        return new Case(name, before, user, true, List.of(changes));
    }

    private static Case of(String name, Requests before, Requests... changes) {
        return by(PathWorld.SUPERUSER, name, before, changes);
    }

    private static void done(String answer) {
        assertTrue(answer.equals("done") || Character.isDigit(answer.charAt(0)), answer);
    }

    private static void plain(PathWorld.Peer admin, String tree) {
        done(admin.mkdir(tree + "/a/b", 0755, true));
        done(admin.create(tree + "/a/b/f"));
    }

    private static void empty(PathWorld.Peer admin, String tree) {
        done(admin.mkdir(tree + "/a/b", 0755, true));
        done(admin.mkdir(tree + "/n", 0755, false));
        done(admin.create(tree + "/n/f"));
    }

    private static void closed(PathWorld.Peer admin, String tree) {
        plain(admin, tree);
        done(admin.chmod(tree + "/a", 0700));
    }

    private static void shutOut(PathWorld.Peer peer, String directory) {
        done(peer.setAcl(directory, "user::rwx", "user:" + USER + ":rw-", "group::r-x", "other::r-x"));
    }

    private static void letIn(PathWorld.Peer peer, String tree) {
        done(peer.setAcl(tree + "/a", "user::rwx", "user:" + USER + ":--x", "group::---", "other::---"));
    }

    /** Only its owner may pass. */
    private static void owned(PathWorld.Peer admin, String tree) {
        closed(admin, tree);
        done(admin.chown(tree + "/a", USER, ""));
    }

    private static void sticky(PathWorld.Peer admin, String tree) {
        empty(admin, tree);
        done(admin.chmod(tree + "/a", 01777));
        done(admin.chown(tree + "/a/b", USER, ""));
    }

    private static void shut(PathWorld.Peer admin, String tree) {
        empty(admin, tree);
        done(admin.chmod(tree + "/a/b", 0700));
    }

    private static void again(PathWorld.Peer peer, String tree) {
        done(peer.rmdir(tree + "/a/b"));
        done(peer.mkdir(tree + "/a/b", 0755, false));
        done(peer.create(tree + "/a/b/f"));
    }

    static Stream<Case> cases() {
        Requests plain = PrefixCacheInterleaveTest::plain;
        Requests empty = PrefixCacheInterleaveTest::empty;
        Requests closes = (peer, tree) -> done(peer.chmod(tree + "/a", 0700));
        Requests opens = (peer, tree) -> done(peer.chmod(tree + "/a", 0755));
        Requests away = (peer, tree) -> done(peer.rename(tree + "/a", tree + "/z", false));
        return Stream.of(
                of("chmod of a directory on the way", plain, closes),
                of("chmod of the last directory", plain, (peer, tree) -> done(peer.chmod(tree + "/a/b", 0700))),
                of("chmod that opens", PrefixCacheInterleaveTest::closed, opens),
                by(
                        USER,
                        "chmod by the owner",
                        PrefixCacheInterleaveTest::owned,
                        (peer, tree) -> done(peer.chmod(tree + "/a", 0))),
                of("an ACL that shuts one user out", plain, (peer, tree) -> shutOut(peer, tree + "/a")),
                of("the same of the last directory", plain, (peer, tree) -> shutOut(peer, tree + "/a/b")),
                of(
                        "an ACL that lets one user in",
                        PrefixCacheInterleaveTest::closed,
                        (peer, tree) -> letIn(peer, tree)),
                of(
                        "an ACL that goes",
                        (peer, tree) -> {
                            closed(peer, tree);
                            letIn(peer, tree);
                        },
                        (peer, tree) -> done(peer.setAcl(tree + "/a"))),
                of("chmod of the root", plain, (peer, _) -> done(peer.chmod("/", 0700))),
                of(
                        "chown",
                        PrefixCacheInterleaveTest::owned,
                        (peer, tree) -> done(peer.chown(tree + "/a", PathWorld.SUPERUSER, ""))),
                of("rename of a directory on the way", plain, away),
                of(
                        "rename of the last directory",
                        plain,
                        (peer, tree) -> done(peer.rename(tree + "/a/b", tree + "/z", false))),
                of("rename away, and another one there", PrefixCacheInterleaveTest::empty, (peer, tree) -> {
                    done(peer.rename(tree + "/a/b", tree + "/z", false));
                    done(peer.rename(tree + "/n", tree + "/a/b", false));
                }),
                of(
                        "rename over an empty directory",
                        empty,
                        (peer, tree) -> done(peer.rename(tree + "/n", tree + "/a/b", true))),
                of(
                        "rmdir of one that lets no user in",
                        PrefixCacheInterleaveTest::shut,
                        (peer, tree) -> done(peer.rmdir(tree + "/a/b"))),
                of("rmdir, mkdir, create", empty, PrefixCacheInterleaveTest::again),
                by(
                        USER,
                        "the same by the owner, sticky",
                        PrefixCacheInterleaveTest::sticky,
                        PrefixCacheInterleaveTest::again),
                new Case("two chmods", plain, PathWorld.SUPERUSER, false, List.of(closes, opens)),
                new Case(
                        "rename and chmod",
                        plain,
                        PathWorld.SUPERUSER,
                        true,
                        List.of(away, (peer, tree) -> peer.chmod(tree + "/a/b", 0700))));
    }

    @BeforeEach
    void open() throws IOException {
        world = new PathWorld(directory);
        admin = world.peer(PathWorld.SUPERUSER);
        done(admin.chmod("/", 0777));
        looker = world.peer(USER);
        observer = world.peer(USER);
        knower = world.peer(USER);
        done(looker.create("/number")); // now the user has one
    }

    @AfterEach
    void close() {
        looking.close();
        changing.forEach(SteppedWork::close);
        world.close();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatWasResolvedIsTrueInEveryOrder(Case one) throws Exception {
        changers = List.of(world.peer(one.user()), world.peer(one.user()));
        world.lookedUp = one.changes().size() == 1 ? Set.of("", "a", "b") : Set.of("a");
        List<Integer> choices = new ArrayList<>();
        List<Integer> alternatives = new ArrayList<>();
        int schedules = 0;
        do {
            alternatives.clear();
            run(one, choices, alternatives);
            schedules++;
        } while (next(choices, alternatives));
        assertTrue(schedules >= SCHEDULES_MIN, schedules + " orders");
    }

    /**
     * The next order in which there was a choice left; false if none is. A tree has ids of its own: where two of its names share a version, an
     * order has a step more than in the tree before, or in the one that comes next.
     */
    private static boolean next(List<Integer> choices, List<Integer> alternatives) {
        for (int i = choices.size() - 1; i >= 0; i--) {
            int choice = choices.removeLast() + 1;
            if (i < alternatives.size() && choice < alternatives.get(i)) {
                choices.add(choice);
                return true;
            }
        }
        return false;
    }

    private void run(Case one, List<Integer> choices, List<Integer> alternatives) throws Exception {
        done(admin.chmod("/", 0777)); // each look-up begins at the root
        one.before().send(admin, TREE);
        String first = world.truth(USER, FILE);
        assertEquals(first, knower.stat(FILE));

        String[] answer = new String[1];
        looking.begin(() -> answer[0] = looker.stat(FILE));
        List<SteppedWork> running = new ArrayList<>(List.of(looking));
        for (int i = 0; i < one.changes().size(); i++) {
            Requests requests = one.changes().get(i);
            PathWorld.Peer changer = changers.get(i);
            changing.get(i).begin(() -> requests.send(changer, TREE));
            running.add(changing.get(i));
        }
        Set<String> possible = new HashSet<>();
        for (int step = 0; !running.isEmpty(); step++) {
            String truth = world.truth(USER, FILE);
            assertEquals(truth, observer.stat(FILE), () -> "in the order " + choices);
            boolean looks = !looking.hasEnded();
            if (step == choices.size()) {
                choices.add(0);
            }
            List<SteppedWork> able =
                    running.stream().filter(each -> !each.waits()).toList();
            alternatives.add(able.size());
            SteppedWork next = able.get(Math.min(choices.get(step), able.size() - 1));
            next.step();
            if (next.hasEnded()) {
                running.remove(next);
                if (changing.contains(next)) { // there are two at most, so the other one has the lock now
                    running.forEach(SteppedWork::goOn);
                }
            }
            if (looks) {
                possible.addAll(List.of(truth, world.truth(USER, FILE)));
            }
        }
        String last = world.truth(USER, FILE);
        if (one.settles()) {
            assertNotEquals(first, last);
        }
        assertTrue(possible.contains(answer[0]), answer[0] + " and not of " + possible + " in the order " + choices);
        assertEquals(last, observer.stat(FILE), () -> "told to the observer after the order " + choices);
        assertEquals(last, looker.stat(FILE), () -> "told to a client that looked, after the order " + choices);
        assertEquals(last, knower.stat(FILE), () -> "told to a client that knew the path, after the order " + choices);
        done(admin.rename(TREE, "/old" + trees++, false));
    }
}
