package io.hmfs.server;

import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * What a hostile user does to a server, again and again, in passes of some seconds. A pass may be refused, cut off or slowed at any
 * moment; what it must not get is what is not the user's.
 */
enum SiegeAttack {
    /** Frames that never end, which the server has to keep in part. */
    HALF_FRAMES {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            byte[] whole = RawPeer.padded(RawPeer.stat(1, new byte[] {'/'}), 2 << 20);
            for (int i = 0; i < 60 && !enemy.isOver(); i++) {
                enemy.known(i).send(Arrays.copyOf(whole, 1 << 20));
            }
            enemy.pause();
        }
    },

    /** Requests for long answers, which nobody takes. */
    DEAF {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            for (int i = 0; i < 24 && !enemy.isOver(); i++) {
                RawPeer peer = enemy.known(i);
                for (int page = 0; page < 40; page++) {
                    peer.send(RawPeer.list(100 + page, Siege.MANY));
                }
            }
            enemy.pause();
        }
    },

    /** As many connections as there are. */
    CONNECTIONS {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            for (int i = 0; i < 1_000 && !enemy.isOver(); i++) {
                enemy.known(i);
            }
            enemy.pause();
        }
    },

    /** Peers that never say who they are. */
    SILENCE {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            for (int i = 0; i < 200 && !enemy.isOver(); i++) {
                enemy.peer();
            }
            enemy.pause();
        }
    },

    /** Changes that fail, whose answers the server keeps. */
    ANSWERS {
        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            String name = "system." + "x".repeat(200);
            for (int client = 1; client < 40 && !enemy.isOver(); client++) {
                RawPeer peer = enemy.peer();
                if (peer.greet(enemy.user(), client, 1, 1).failure() != null) {
                    return;
                }
                for (int sequence = 1; sequence <= 1_024; sequence++) {
                    peer.send(RawPeer.setXattr(client, sequence, "/", name));
                    peer.readFailure();
                }
            }
        }
    },

    /** Leases, and files for them. */
    LEASES {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            long client = enemy.number();
            RawPeer peer = enemy.known(client);
            for (int i = 1; i < 30_000 && !enemy.isOver(); i += 64) {
                for (int each = i; each < i + 64; each++) {
                    peer.send(RawPeer.createLeased(client, each, enemy.home() + "/" + client + "-" + each, each));
                }
                for (int each = i; each < i + 64; each++) {
                    peer.read();
                }
            }
        }
    },

    /** Clients whose outcomes survive the server, of which it has room for few. */
    RINGS {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            for (int i = 0; i < 70 && !enemy.isOver(); i++) {
                enemy.peer().greet(enemy.user(), enemy.number(), 1, 1);
            }
            enemy.pause();
        }
    },

    /** Peers that say ever new names, whose groups are to be looked up. */
    NEWCOMERS {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            for (int i = 0; i < 300 && !enemy.isOver(); i++) {
                enemy.peer().send(RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "guest" + enemy.number()));
            }
            enemy.pause();
        }
    },

    /** Bytes that mean nothing, before and behind a handshake. */
    GARBAGE {
        @Override
        void pass(SiegeEnemy enemy) throws IOException, InterruptedException {
            for (int i = 0; i < 50 && !enemy.isOver(); i++) {
                RawPeer peer = enemy.random().nextBoolean() ? enemy.peer() : enemy.known(i);
                byte[] bytes = new byte[enemy.random().nextInt(1, 4_096)];
                enemy.random().nextBytes(bytes);
                peer.send(bytes);
            }
        }
    },

    /** Chains of directories, one hung below the other, and stats at their end. */
    CHAIN {
        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            HmfsClient client = enemy.client();
            String levels = "/d".repeat(900);
            for (String each : List.of("/a", "/b")) {
                try {
                    client.trees().remove(enemy.home() + each);
                } catch (HmfsException e) {
                    enemy.refused(e); // the pass before has left none
                }
            }
            client.mkdir(enemy.home() + "/a" + levels, 0755, true);
            for (int i = 0; i < 4; i++) {
                client.mkdir(enemy.home() + "/b" + levels, 0755, true);
                client.rename(enemy.home() + "/a", enemy.home() + "/b" + levels + "/a", false);
                client.rename(enemy.home() + "/b", enemy.home() + "/a", false);
            }
            for (int i = 0; i < 200 && !enemy.isOver(); i++) {
                client.stat(enemy.home() + "/a" + levels + "/a" + "/d".repeat(i));
            }
        }
    },

    /** Trees that are made and removed. */
    TREE {
        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            HmfsClient client = enemy.client();
            for (int i = 0; i < 300 && !enemy.isOver(); i++) {
                client.mkdir(enemy.home() + "/t/" + i % 10 + "/" + i + "/x/y/z", 0755, true);
            }
            client.trees().remove(enemy.home() + "/t");
        }
    },

    /** Access control lists with ever new names, which the pool keeps for ever. */
    NAMES {
        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            HmfsClient client = enemy.client();
            String path = enemy.home() + "/list" + enemy.number();
            client.create(path, Siege.PLAIN);
            for (int i = 0; i < 200 && !enemy.isOver(); i++) {
                List<String> entries = new ArrayList<>(List.of("user::rw-", "group::r--", "other::r--"));
                for (int each = 0; each < 25; each++) {
                    entries.add("user:nobody" + enemy.number() + ":r--");
                }
                client.acls().set(path, entries);
            }
        }
    },

    /** Files that claim more bytes than there are, far beyond what was written. */
    CLAIMS {
        @Override
        void pass(SiegeEnemy enemy) throws Exception {
            HmfsClient client = enemy.client();
            for (int i = 0; i < 50 && !enemy.isOver(); i++) {
                String path = enemy.home() + "/claims" + enemy.number();
                OpenedFile file = client.createAndOpen(
                        path, Siege.PLAIN.leased(client.leases().next()));
                long block = enemy.random().nextLong(Long.MAX_VALUE);
                try {
                    client.writeBlockAsync(file.grant(), file.info().id(), block, 0, new byte[1], 0, 1)
                            .get();
                } catch (ExecutionException e) {
                    enemy.refused(e.getCause());
                }
                long size = enemy.random().nextLong(Long.MAX_VALUE);
                try {
                    client.append(file.info(), size, file.grant(), true);
                } catch (HmfsException e) {
                    enemy.refused(e); // beyond the quota, or what there can be
                }
                client.delete(path);
            }
        }
    },

    /** Whole trees are counted, again and again. */
    CENSUS {
        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            for (int i = 0; i < 20 && !enemy.isOver(); i++) {
                enemy.client().trees().summary(Siege.OPEN);
            }
        }
    },

    /** A file of many short objects, which is cut to nothing and removed. */
    OBJECTS {
        @Override
        void pass(SiegeEnemy enemy) throws Exception {
            HmfsClient client = enemy.client();
            String path = enemy.home() + "/file" + enemy.number();
            OpenedFile file = client.createAndOpen(
                    path, Siege.PLAIN.leased(client.leases().next()));
            ArrayDeque<CompletableFuture<Void>> writes = new ArrayDeque<>();
            for (int block = 0; block < 1_000 && !enemy.isOver(); block++) {
                writes.add(client.writeBlockAsync(file.grant(), file.info().id(), block, 0, new byte[1], 0, 1));
                if (writes.size() > 32) {
                    writes.remove().get();
                }
            }
            for (CompletableFuture<Void> each : writes) {
                each.get();
            }
            client.append(file.info(), 1_000L * ServerChild.BLOCK_SIZE, file.grant(), true);
            client.truncate(path, 1);
            client.delete(path);
        }
    },

    /** Cursors of listings that the server has never given. */
    CURSORS {
        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            for (int i = 0; i < 200 && !enemy.isOver(); i++) {
                ListingCursor forged = new ListingCursor(
                        enemy.random().nextInt(3),
                        enemy.random().nextBoolean()
                                ? enemy.random().nextInt(1 << 20)
                                : enemy.random().nextLong(),
                        enemy.random().nextInt(3));
                try {
                    enemy.client().list(Siege.MANY, forged, 0);
                } catch (HmfsException e) {
                    enemy.refused(e.code());
                }
            }
        }
    },

    /** Grants that the server has never given, for whatever inodes there are. */
    GRANTS {
        @Override
        void pass(SiegeEnemy enemy) throws Exception {
            HmfsClient client = enemy.client();
            String path = enemy.home() + "/mine" + enemy.number();
            OpenedFile mine = client.createAndOpen(
                    path, Siege.PLAIN.leased(client.leases().next()));
            byte[] bytes = new byte[64];
            for (int i = 0; i < 500 && !enemy.isOver(); i++) {
                long inode = mine.info().id() + enemy.random().nextInt(-500, 500);
                Grant forged = enemy.random().nextBoolean()
                                && inode != mine.info().id()
                        ? mine.grant()
                        : new Grant(enemy.random().nextLong(), enemy.random().nextLong());
                boolean writes = enemy.random().nextBoolean();
                try {
                    if (writes) {
                        client.writeBlockAsync(forged, inode, 0, 0, bytes, 0, 8).get();
                    } else {
                        client.readBlockAsync(forged, inode, 0, 0, bytes, 0, 8).get();
                    }
                    throw new AssertionError("a forged grant on inode " + inode + " was good");
                } catch (ExecutionException e) {
                    enemy.refused(e.getCause());
                }
            }
            client.append(mine.info(), 0, mine.grant(), true);
            client.delete(path);
        }
    },

    /** What is others' alone. */
    FOREIGN {
        private static final Set<ResultCode> RIGHT = Set.of(ResultCode.ACCESS_DENIED, ResultCode.NOT_FOUND);

        @Override
        void pass(SiegeEnemy enemy) throws IOException {
            HmfsClient client = enemy.client();
            List<Change> changes = List.of(
                    () -> client.list("/bob", ListingCursor.START, 0),
                    () -> client.stat("/bob/0"),
                    () -> client.open("/bob/1", true, false),
                    () -> client.open("/bob/1", false, true),
                    () -> client.delete("/bob/1"),
                    () -> client.rename("/bob/1", enemy.home() + "/stolen", false),
                    () -> client.rename("/bob", enemy.home() + "/bob", false),
                    () -> client.chmod("/bob", 0777),
                    () -> client.chown("/bob", enemy.user(), null),
                    () -> client.truncate("/bob/1", 0),
                    () -> client.trees().remove("/bob"),
                    () -> client.trees().setQuota("/", 1, 1),
                    () -> client.create("/bob/new", Siege.PLAIN),
                    () -> client.create("/new", Siege.PLAIN),
                    () -> client.setSafeMode(true));
            for (int i = 0; i < changes.size(); i++) {
                try {
                    changes.get(i).run();
                } catch (HmfsException e) {
                    if (enemy.isOver() || e.code() == ResultCode.TIMEOUT) {
                        throw e; // of the pass's end, not of the change
                    }
                    if (!RIGHT.contains(e.code())) {
                        throw new AssertionError("number " + i + " of what is others' was refused with " + e, e);
                    }
                    enemy.refused(e.code());
                    continue;
                }
                throw new AssertionError("number " + i + " of what is others' was done");
            }
        }
    },

    /** Stats, as many as go. */
    FLOOD {
        @Override
        void pass(SiegeEnemy enemy) throws Exception {
            HmfsClient client = enemy.client();
            List<CompletableFuture<?>> all = new ArrayList<>();
            while (!enemy.isOver()) {
                for (int i = 0; i < 256; i++) {
                    all.add(client.statAsync(Siege.OPEN));
                }
                for (CompletableFuture<?> each : all) {
                    each.get();
                }
                all.clear();
            }
        }
    };

    /** One thing that is others' alone. */
    private interface Change {
        void run() throws IOException;
    }

    /** Goes on until it is done, fails, or the pass is over. An AssertionError says that the server gave what it must not. */
    abstract void pass(SiegeEnemy enemy) throws Exception;
}
