package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.Census;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.gc.BuiltinObjects;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import io.hmfs.client.gc.StoredObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: whatever goes on while orphans are being removed, nothing of a live file is, and what the reaper will remove is left to it.
 * Method: threads that write, move, replace and delete; every file that is left is read in the end. Removals that last or fail.
 */
@Timeout(180)
class OrphansMeanwhileTest extends PlantedObjects {
    @Test
    void filesOfATreeThatIsBeingRemovedBelongToTheReaper() throws Exception {
        for (int i = 0; i < 300; i++) {
            write(admin, "/tree/f" + i, bytes(i, 10));
            write(admin, "/left/d" + i % 10 + "/f" + i, bytes(i, 10));
        }
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) { // what was made last goes first
            creates.add(admin.createAsync("/tree/late" + i, FILE));
        }
        creates.forEach(CompletableFuture::join);
        admin.trees().remove("/tree");
        for (int i = 0; i < 100; i++) {
            var _ = admin.deleteAsync("/left/d" + i % 10 + "/f" + i);
        }
        Orphans orphans = look(options(0, true, false), Orphans.Listener.NONE);
        assertEquals(0, orphans.found(Kind.ORPHAN).objects());
        for (int i = 100; i < 300; i++) {
            assertHolds("/left/d" + i % 10 + "/f" + i, bytes(i, 10));
        }
    }

    @Test
    void whatIsRemovedWhileTheDirectoriesAreReadDoesNotCountAsGone() throws Exception {
        List<Path> going = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            going.add(written(write(admin, "/tree/f" + i, bytes(i, 10)).id(), 0));
        }
        write(admin, "/live", bytes(9, 10));
        Census census = new Census(admin);
        try (BuiltinObjects store = new BuiltinObjects(census)) {
            ObjectStore removing = new ObjectStore() {
                private boolean listed;

                @Override
                public void list(Visitor visitor) throws IOException {
                    store.list(visitor);
                    if (!listed) {
                        listed = true;
                        removeTree();
                    }
                }

                private void removeTree() throws IOException {
                    admin.trees().remove("/tree");
                    try {
                        Await.until(
                                "the tree's objects go", () -> going.stream().noneMatch(Files::exists));
                    } catch (Exception e) {
                        throw new IOException(e);
                    }
                }

                @Override
                public List<StoredObject> remove(List<StoredObject> objects) throws IOException {
                    return store.remove(objects);
                }

                @Override
                public void close() {
                    // the other one is
                }
            };
            Orphans orphans = new Orphans(census, removing, options(0, true, false), Orphans.Listener.NONE);
            orphans.run();
            assertEquals(0, orphans.removed().objects());
            assertEquals(6, orphans.objects());
        }
    }

    @Test
    void whatTheReaperCouldNotRemoveIsLeftToIt() throws Exception {
        write(admin, "/live", bytes(1, 10));
        FileInfo file = write(admin, "/going", bytes(2, 3 * ServerFixture.BLOCK_SIZE));
        Path second = written(file.id(), 1);
        Files.delete(second);
        Files.createDirectories(second.resolve("in the way"));
        admin.delete("/going");
        Await.until("the last object goes, which is the first to go", () -> !Files.exists(written(file.id(), 2)));
        Orphans orphans = look(options(0, true, false), Orphans.Listener.NONE);
        assertEquals(0, orphans.found(Kind.ORPHAN).objects());
        assertTrue(Files.exists(written(file.id(), 0)));
    }

    /** The property: under everything that moves, replaces and removes, the files that stay keep all their data. */
    @Test
    void whateverGoesOnMeanwhileNothingOfALiveFileIsRemoved() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Map<String, byte[]> kept = new ConcurrentHashMap<>();
        int planted = 0;
        for (int round = 0; round < 30; round++) {
            write(admin, "/base/d" + round + "/f", bytes(round, 50));
        }
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                all.add(threads.submit((Callable<Void>) () -> work(number, ended, kept)));
            }
            all.add(threads.submit((Callable<Void>) () -> shuffle(ended)));
            long until = System.nanoTime() + 8_000_000_000L;
            int runs = 0;
            try {
                while (System.nanoTime() < until || runs < 5) {
                    plant(GONE + planted++, 0, 1);
                    Orphans orphans = look(options(0, true, false), Orphans.Listener.NONE);
                    assertEquals(1, orphans.removed().objects(), "orphans removed where one was planted");
                    runs++;
                }
            } finally {
                ended.set(true);
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertTrue(kept.size() > 20, kept.size() + " files kept");
        for (Map.Entry<String, byte[]> each : kept.entrySet()) {
            assertHolds(each.getKey(), each.getValue());
        }
        int bases = 0;
        for (var entry :
                admin.list("/base", io.hmfs.client.ListingCursor.START, 0).entries()) {
            int round = Integer.parseInt(entry.name().substring(1));
            assertHolds("/base/" + entry.name() + "/f", bytes(round, 50));
            bases++;
        }
        for (var entry :
                admin.list("/other", io.hmfs.client.ListingCursor.START, 0).entries()) {
            int round = Integer.parseInt(entry.name().substring(1));
            assertHolds("/other/" + entry.name() + "/f", bytes(round, 50));
            bases++;
        }
        assertEquals(30, bases);
    }

    /** Moves directories from one place to the other and back, so that a walk by paths would miss what is in them. */
    private Void shuffle(AtomicBoolean ended) throws IOException {
        Random random = new Random(9);
        try (HmfsClient client = fixture.client()) {
            client.mkdir("/other", 0755, true);
            boolean[] there = new boolean[30];
            while (!ended.get()) {
                int i = random.nextInt(30);
                String from = (there[i] ? "/other/d" : "/base/d") + i;
                String to = (there[i] ? "/base/d" : "/other/d") + i;
                client.rename(from, to, false);
                there[i] = !there[i];
            }
        }
        return null;
    }

    private Void work(int number, AtomicBoolean ended, Map<String, byte[]> kept) throws IOException {
        Random random = new Random(number);
        try (HmfsClient client = fixture.client()) {
            client.mkdir("/w" + number + "/in", 0755, true);
            for (int i = 0; !ended.get(); i++) {
                String base = "/w" + number;
                String path = base + "/in/f" + i;
                byte[] data = bytes(i, random.nextInt(2_000) + 1);
                write(client, path, data);
                switch (random.nextInt(6)) {
                    case 0 -> client.delete(path);
                    case 1 -> {
                        client.rename(path, base + "/moved" + i, false);
                        kept.put(base + "/moved" + i, data);
                    }
                    case 2 -> {
                        client.rename(path, base + "/replaced", true);
                        kept.put(base + "/replaced", data);
                    }
                    case 3 -> {
                        write(client, base + "/tree" + i + "/x/f", data);
                        client.trees().remove(base + "/tree" + i);
                        kept.put(path, data);
                    }
                    case 4 -> {
                        client.rename(base + "/in", base + "/elsewhere", false);
                        client.mkdir(base + "/new", 0755, false);
                        client.rename(base + "/elsewhere", base + "/in", false);
                        client.rmdir(base + "/new");
                        kept.put(path, data);
                    }
                    default -> kept.put(path, data);
                }
            }
        }
        return null;
    }
}
