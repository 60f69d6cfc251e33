package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.QuotaInfo;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: whatever many do at once, what the server has counted is what is there, and never more than a quota allows.
 * Method: threads of two users make random changes in a tree with quotas in quotas, which move and come and go too; after each round the
 * server's count of each is compared with a sum of its tree, and once more after a restart. {@code -Dhmfs.seed} repeats a choice of changes.
 */
@Timeout(240)
class QuotaSimulationTest extends UsersOfOneServer {
    private static final int THREADS = 6;
    private static final int ROUNDS = Integer.getInteger("hmfs.rounds", 12);
    private static final int CHANGES = 120;
    private static final long LOWERED = 15; // a limit that comes when there may be more already
    private static final String[] PLACES = {"/s", "/s/a", "/s/a/x", "/s/b", "/s/b/y", "/s/c", "/s/a/x/d", "/s/b/d"};
    private static final String[] NAMES = {"d", "e", "x", "y", "f", "g", "h", "i"};
    private static final Set<ResultCode> EXPECTED = EnumSet.of(
            ResultCode.NOT_FOUND,
            ResultCode.EXISTS,
            ResultCode.NOT_EMPTY,
            ResultCode.NOT_DIRECTORY,
            ResultCode.IS_DIRECTORY,
            ResultCode.NO_SUCH_DIRECTORY,
            ResultCode.LOOP,
            ResultCode.INVALID_ARGUMENT, // a size for a symbolic link
            ResultCode.STALE,
            ResultCode.ACCESS_DENIED, // what is the other one's
            ResultCode.UNRESOLVED_LINK,
            ResultCode.NAME_QUOTA_EXCEEDED,
            ResultCode.SPACE_QUOTA_EXCEEDED);

    private final long seed = Long.getLong("hmfs.seed", System.nanoTime());

    private static String path(Random random) {
        return PLACES[random.nextInt(PLACES.length)] + "/" + NAMES[random.nextInt(NAMES.length)];
    }

    private static CreateOptions options(Random random) {
        return new CreateOptions(0666, random.nextBoolean(), random.nextBoolean(), 0777);
    }

    private static void change(HmfsClient client, Random random) throws IOException {
        String path = path(random);
        switch (random.nextInt(12)) {
            case 0, 1 -> client.create(path, options(random));
            case 2 -> client.mkdir(path, 0777, random.nextBoolean());
            case 3 -> client.symlink(path, "f", options(random));
            case 4 -> client.delete(path);
            case 5 -> client.rmdir(path);
            case 6, 7 -> client.rename(path, path(random), random.nextBoolean());
            case 8 -> {
                OpenedFile file = client.open(path, false, true);
                client.append(file.info(), random.nextInt(400), file.grant());
            }
            case 9 -> client.truncate(path, random.nextInt(400));
            case 10 -> client.trees().remove(path);
            default -> createMany(client, path, random);
        }
    }

    /** At once, so that they join. */
    private static void createMany(HmfsClient client, String path, Random random) throws IOException {
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            creates.add(client.createAsync(path + random.nextInt(20), new CreateOptions(0666, false, false, 0777)));
        }
        for (CompletableFuture<FileInfo> each : creates) {
            try {
                each.join();
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof HmfsException refused) || !EXPECTED.contains(refused.code())) {
                    throw e;
                }
            }
        }
    }

    private void changes(HmfsClient client, Random random) throws IOException {
        for (int i = 0; i < CHANGES; i++) {
            try {
                if (client == admin && random.nextInt(20) == 0) {
                    admin.trees().setQuota("/s/c", random.nextBoolean() ? LOWERED : QuotaInfo.NONE, QuotaInfo.NONE);
                } else {
                    change(client, random);
                }
            } catch (HmfsException e) {
                if (!EXPECTED.contains(e.code())) {
                    throw e;
                }
            }
        }
    }

    /** How many directories have a quota here. */
    private int check(String path) throws IOException {
        QuotaInfo quota = admin.trees().quota(path);
        if (quota.isSet()) {
            TreeSummary sum = admin.trees().summary(path);
            assertEquals(
                    List.of(sum.files() + sum.directories(), sum.bytes()),
                    List.of(quota.names(), quota.bytes()),
                    path + ", seed " + seed);
            assertTrue(
                    quota.nameQuota() == QuotaInfo.NONE
                            || quota.nameQuota() == LOWERED
                            || quota.names() <= quota.nameQuota(),
                    path + " has " + quota + ", seed " + seed);
            assertTrue(
                    quota.spaceQuota() == QuotaInfo.NONE || quota.bytes() <= quota.spaceQuota(),
                    path + " has " + quota + ", seed " + seed);
        }
        int found = quota.isSet() ? 1 : 0;
        for (FileInfo each : admin.list(path, ListingCursor.START, 0).entries()) {
            found += each.directory() ? check(path + "/" + each.name()) : 0;
        }
        return found;
    }

    /** Unless there is more already: a directory without a quota of its own may have come here with it. */
    private void limit(String path, long names, long bytes) throws IOException {
        try {
            admin.mkdir(path, 0777, true);
            TreeSummary sum = admin.trees().summary(path);
            if (sum.files() + sum.directories() <= names && (bytes == QuotaInfo.NONE || sum.bytes() <= bytes)) {
                admin.trees().setQuota(path, names, bytes);
            }
        } catch (HmfsException e) {
            assertTrue(EXPECTED.contains(e.code()), e.toString()); // a file has its name, or there is no room
        }
    }

    @Test
    void whatIsCountedIsThere() throws Exception {
        Random all = new Random(seed);
        admin.mkdir("/s", 0777, false);
        admin.chown("/s", "bob", "staff");
        int met = 0;
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                limit("/s", 70, 6000);
                limit("/s/a", 30, 2500);
                limit("/s/a/x", 12, QuotaInfo.NONE);
                limit("/s/b", 24, 1500);
                limit("/s/b/y", 8, 700);
                limit("/s/c", LOWERED, QuotaInfo.NONE);
                List<Future<?>> threads = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    HmfsClient client = i % 2 == 0 ? admin : bob;
                    Random random = new Random(all.nextLong());
                    threads.add(pool.submit(() -> {
                        changes(client, random);
                        return null;
                    }));
                }
                for (Future<?> each : threads) {
                    each.get();
                }
                met += check("/s");
            }
        }
        assertTrue(met >= 2 * ROUNDS, met + " quotas, seed " + seed);
        fixture.restart();
        check("/s");
    }
}
