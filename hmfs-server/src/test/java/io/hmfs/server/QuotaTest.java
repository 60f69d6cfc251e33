package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.QuotaInfo;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: no change takes a tree over its quota, each is refused in HDFS's words, and what is counted is what is there.
 * Method: a real server; each change of the client's API at a limit, below and above it; what is counted is compared with a sum of the tree.
 */
class QuotaTest extends UsersOfOneServer {
    private static final long NONE = QuotaInfo.NONE;
    private static final CreateOptions OVER = new CreateOptions(0640, true, false, 0755);
    private static final CreateOptions WITH_PARENTS = new CreateOptions(0640, false, true, 0755);

    private static String refused(ResultCode code, Executable change) {
        HmfsException thrown = assertThrows(HmfsException.class, change);
        assertEquals(code, thrown.code(), thrown.getMessage());
        return thrown.reason();
    }

    private static String names(String path, long quota, long count) {
        return "The NameSpace quota (directories and files) of directory " + path + " is exceeded: quota=" + quota
                + " file count=" + count;
    }

    private static void assertNamesFull(String path, long quota, long count, Executable change) {
        assertEquals(names(path, quota, count), refused(ResultCode.NAME_QUOTA_EXCEEDED, change));
    }

    private void assertUsage(String path, long names, long bytes) throws IOException {
        QuotaInfo quota = admin.trees().quota(path);
        assertEquals(List.of(names, bytes), List.of(quota.names(), quota.bytes()), path);
        TreeSummary sum = admin.trees().summary(path);
        assertEquals(List.of(sum.files() + sum.directories(), sum.bytes()), List.of(names, bytes), path);
    }

    private void assertDirectories(int count) throws IOException {
        String metrics = admin.metrics();
        assertTrue(metrics.contains("\nhmfs_quota_directories " + count + ".0\n"), metrics);
    }

    private FileInfo put(String path, long size) throws IOException {
        FileInfo file = admin.create(path, PLAIN);
        admin.append(file, size);
        return file;
    }

    @Test
    void nothingIsMadeBeyondTheNames() throws IOException {
        admin.mkdir("/q", 0755, false);
        admin.trees().setQuota("/q", 4, QuotaInfo.KEEP);
        admin.create("/q/file", PLAIN);
        admin.mkdir("/q/dir", 0755, false);
        admin.symlink("/q/link", "file", PLAIN);
        assertUsage("/q", 4, 0);
        assertNamesFull("/q", 4, 5, () -> admin.create("/q/more", PLAIN));
        assertNamesFull("/q", 4, 5, () -> admin.mkdir("/q/more", 0755, false));
        assertNamesFull("/q", 4, 5, () -> admin.mkdir("/q/dir/more", 0755, false));
        assertNamesFull("/q", 4, 5, () -> admin.symlink("/q/more", "file", PLAIN));
        assertNamesFull("/q", 4, 5, () -> admin.mkdir("/q/dir/x/y", 0755, true));
        assertNamesFull("/q", 4, 5, () -> admin.create("/q/x/y", WITH_PARENTS));
        assertEquals(List.of(), admin.list("/q/dir", ListingCursor.START, 0).entries());
        admin.create("/beside", PLAIN);
        assertUsage("/q", 4, 0);
    }

    @Test
    void whatIsThereAlreadyIsSoAtTheLimitToo() throws IOException {
        admin.mkdir("/q/dir", 0755, true);
        put("/q/file", 10);
        admin.trees().setQuota("/q", 3, 10);
        refused(ResultCode.EXISTS, () -> admin.create("/q/file", PLAIN));
        refused(ResultCode.EXISTS, () -> admin.mkdir("/q/dir", 0755, false));
        admin.mkdir("/q/dir", 0755, true);
        admin.create("/q/file", OVER);
        assertUsage("/q", 3, 0);
        admin.rename("/q/file", "/q/dir/file", false);
        admin.rename("/q/dir", "/q/dir2", false);
        assertUsage("/q", 3, 0);
    }

    @Test
    void whatIsRemovedMakesRoom() throws IOException {
        admin.mkdir("/q", 0755, false);
        admin.trees().setQuota("/q", 2, 100);
        put("/q/file", 100);
        admin.delete("/q/file");
        assertUsage("/q", 1, 0);
        admin.mkdir("/q/dir", 0755, false);
        admin.rmdir("/q/dir");
        admin.symlink("/q/link", "dir", PLAIN);
        admin.delete("/q/link");
        put("/q/file", 100);
        admin.truncate("/q/file", 10);
        assertUsage("/q", 2, 10);
    }

    @Test
    void noFileGrowsBeyondTheBytes() throws IOException {
        admin.mkdir("/q", 0755, false);
        admin.trees().setQuota("/q", QuotaInfo.KEEP, 3 << 10);
        FileInfo one = put("/q/one", 1 << 10);
        FileInfo two = put("/q/two", 2 << 10);
        assertEquals(
                "The DiskSpace quota of /q is exceeded: quota = 3072 B = 3 KB but diskspace consumed = 3073 B = 3.00 KB",
                refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> admin.append(one, (1 << 10) + 1)));
        refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> admin.truncate("/q/one", 2 << 10));
        assertEquals(1 << 10, admin.stat("/q/one").size());
        admin.append(one, 10); // which never shrinks
        admin.create("/q/empty", PLAIN);
        assertUsage("/q", 4, 3 << 10);
        admin.truncate("/q/two", 1 << 10);
        admin.append(one, 2 << 10);
        admin.append(two, 1 << 10);
        assertUsage("/q", 4, 3 << 10);
    }

    @Test
    void aLimitBelowWhatIsThereOnlyStopsGrowth() throws IOException {
        admin.mkdir("/q", 0755, false);
        FileInfo file = put("/q/file", 100);
        put("/q/other", 100);
        admin.trees().setQuota("/q", 1, 0);
        assertNamesFull("/q", 1, 4, () -> admin.create("/q/more", PLAIN));
        refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> admin.append(file, 101));
        admin.rename("/q/file", "/q/renamed", false);
        admin.truncate("/q/renamed", 50);
        admin.delete("/q/other");
        assertUsage("/q", 2, 50);
        admin.trees().setQuota("/q", NONE, 60);
        admin.create("/q/more", PLAIN);
        admin.trees().setQuota("/q", 5, NONE);
        assertEquals(new QuotaInfo(5, NONE, 3, 50), admin.trees().quota("/q"));
        admin.trees().setQuota("/q", QuotaInfo.KEEP, 70);
        assertEquals(new QuotaInfo(5, 70, 3, 50), admin.trees().quota("/q"));
        admin.trees().setQuota("/q", NONE, NONE);
        assertEquals(new QuotaInfo(NONE, NONE, 0, 0), admin.trees().quota("/q"));
        put("/q/x", 1000);
    }

    @Test
    void eachDirectoryAboveHasItsSay() throws IOException {
        admin.mkdir("/a/b/c", 0755, true);
        admin.trees().setQuota("/a", 4, 100);
        admin.trees().setQuota("/a/b/c", 10, 50);
        put("/a/b/c/f", 50);
        assertNamesFull("/a", 4, 5, () -> admin.create("/a/b/c/g", PLAIN));
        FileInfo file = admin.stat("/a/b/c/f");
        assertTrue(refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> admin.append(file, 51))
                .contains(" of /a/b/c is exceeded: quota = 50 B = 50 B but diskspace consumed = 51 B = 51 B"));
        admin.trees().setQuota("/", 100, 1000);
        assertUsage("/a", 4, 50);
        assertUsage("/a/b/c", 2, 50);
        assertUsage("/", 4 + 3, 50);
        TreeSummary sum = admin.trees().summary("/a/b/c");
        assertEquals(List.of(10L, 50L), List.of(sum.nameQuota(), sum.spaceQuota()));
        assertEquals(NONE, admin.trees().summary("/a/b").nameQuota());
    }

    /** Sizes are what clients say: their sum can be more than a number holds, and must not come out as little. */
    @Test
    void noSumOfClaimedSizesIsLittle() throws IOException {
        long most = (1L << 62) - 1;
        admin.mkdir("/names", 0755, false);
        admin.trees().setQuota("/names", 100, NONE);
        admin.mkdir("/bytes", 0755, false);
        admin.trees().setQuota("/bytes", NONE, 1 << 20);
        for (int i = 0; i < 5; i++) { // three are more than 2^63, four 2^64 - 4, five as much as one
            admin.mkdir("/t/d", 0755, true);
            put("/t/d/f" + i, most);
            for (String each : List.of("/names", "/bytes")) {
                if (i > 0 || each.equals("/bytes")) {
                    refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> admin.rename("/t", each + "/t", false));
                }
            }
            assertEquals(
                    i < 2 ? (i + 1) * most : Long.MAX_VALUE,
                    admin.trees().summary("/t").bytes());
        }
        put("/names/one", most);
        refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> put("/names/two", 1));
        admin.truncate("/names/one", most - 1);
        put("/names/three", 1);
        assertUsage("/names", 4, most);
        // A quota that comes when it is too late.
        admin.trees().setQuota("/t", 100, NONE);
        assertUsage("/t", 7, Long.MAX_VALUE);
        refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> put("/t/d/more", 1));
        for (int i = 0; i < 4; i++) {
            admin.delete("/t/d/f" + i);
        }
        refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> put("/t/d/another", 1));
        admin.trees().setQuota("/t", 100, NONE);
        assertUsage("/t", 5, most);
        admin.delete("/t/d/f4");
        assertUsage("/t", 4, 0);
        admin.mkdir("/t/gone", 0755, false);
        put("/t/gone/f", most);
        admin.trees().remove("/t/gone");
        assertUsage("/t", 4, 0);
        put("/t/d/last", most);
    }

    @Test
    void whatMovesIsCountedWhereItComesTo() throws IOException {
        admin.mkdir("/a/in", 0755, true);
        admin.mkdir("/b", 0755, false);
        admin.trees().setQuota("/a", 10, 1000);
        admin.trees().setQuota("/b", 3, 100);
        put("/a/in/f", 60);
        put("/a/in/g", 60);
        assertNamesFull("/b", 3, 4, () -> admin.rename("/a/in", "/b/in", false));
        admin.rename("/a/in/f", "/b/f", false);
        refused(ResultCode.SPACE_QUOTA_EXCEEDED, () -> admin.rename("/a/in/g", "/b/g", false));
        assertUsage("/a", 3, 60);
        assertUsage("/b", 2, 60);
        admin.rename("/a/in/g", "/b/f", true);
        assertUsage("/a", 2, 0);
        assertUsage("/b", 2, 60);
        refused(ResultCode.EXISTS, () -> admin.rename("/a/in", "/b/f", false));
        refused(ResultCode.IS_DIRECTORY, () -> admin.rename("/b/f", "/a/in", true));
        refused(ResultCode.NOT_FOUND, () -> admin.rename("/a/none", "/b/x", true));
        assertUsage("/b", 2, 60);
        admin.rename("/b/f", "/out", false);
        assertUsage("/b", 1, 0);
        admin.mkdir("/b/sub", 0755, false);
        admin.trees().setQuota("/b/sub", 5, NONE);
        put("/b/sub/x", 7);
        admin.rename("/b/sub", "/a/sub", false);
        assertUsage("/a", 4, 7);
        assertUsage("/b", 1, 0);
        assertUsage("/a/sub", 2, 7);
        assertEquals(5, admin.trees().quota("/a/sub").nameQuota());
        admin.rename("/a/sub/x", "/a/sub/y", false);
        admin.rename("/a/sub/y", "/a/sub/y", false);
        put("/a/sub/z", 5);
        admin.rename("/a/sub/z", "/a/sub/y", true);
        assertUsage("/a", 4, 5);
    }

    @Test
    void aTreeThatIsRemovedMakesRoomAtOnce() throws IOException {
        for (HmfsClient client : List.of(admin, bob)) {
            admin.trees().setQuota("/home", 9, 1000);
            client.mkdir("/home/bob/t/u/v", 0755, true);
            FileInfo file = client.create("/home/bob/t/u/f", PLAIN);
            admin.append(file, 500);
            admin.trees().setQuota("/home/bob/t/u", 20, NONE);
            assertUsage("/home", 6, 500);
            client.trees().remove("/home/bob/t");
            assertUsage("/home", 2, 0);
            assertDirectories(1);
        }
    }

    @Test
    void aRemovalThatIsRefusedLeavesTheCountAsItWas() throws IOException {
        admin.trees().setQuota("/home", 20, 1000);
        bob.mkdir("/home/bob/t", 0755, true);
        admin.mkdir("/home/bob/t/hers/inner", 0700, true);
        denied(() -> bob.trees().remove("/home/bob/t"));
        assertUsage("/home", 5, 0);
        bob.mkdir("/home/bob/t/more", 0755, false);
        assertUsage("/home", 6, 0);
    }

    @Test
    void manyAtOnceMakeAsManyAsThereIsRoomFor() throws IOException {
        admin.mkdir("/q/in", 0755, true);
        admin.create("/q/first", PLAIN);
        admin.trees().setQuota("/q", 50, NONE);
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            creates.add((i % 2 == 0 ? admin : bob).createAsync((i % 2 == 0 ? "/q/" : "/q/in/") + i, PLAIN));
        }
        admin.chmod("/q", 0777);
        int made = 0;
        for (CompletableFuture<FileInfo> create : creates) {
            try {
                create.join();
                made++;
            } catch (CompletionException e) {
                ResultCode code =
                        assertInstanceOf(HmfsException.class, e.getCause()).code();
                assertTrue(code == ResultCode.NAME_QUOTA_EXCEEDED || code == ResultCode.ACCESS_DENIED, code.toString());
            }
        }
        assertEquals(47, made);
        assertUsage("/q", 50, 0);
    }

    @Test
    void aRestartKeepsTheLimitsAndCountsAnew() throws IOException {
        admin.mkdir("/q/in", 0755, true);
        admin.trees().setQuota("/", 1000, NONE);
        admin.trees().setQuota("/q", 4, 100);
        admin.trees().setQuota("/q/in", 4, NONE);
        put("/q/in/f", 100);
        admin.mkdir("/gone", 0755, false);
        admin.trees().setQuota("/gone", 1, 1);
        fixture.restart();
        assertEquals(new QuotaInfo(4, 100, 3, 100), admin.trees().quota("/q"));
        fixture.restart();
        admin.create("/q/g", PLAIN); // the first to need the count
        assertNamesFull("/q", 4, 5, () -> admin.create("/q/in/h", PLAIN));
        assertUsage("/q/in", 2, 100);
        assertUsage("/", 8, 100);
        admin.rmdir("/gone");
        admin.trees().setQuota("/q/in", NONE, NONE);
        fixture.restart();
        assertFalse(admin.trees().quota("/q/in").isSet());
        assertDirectories(2);
    }

    @Test
    void onlySuperusersSetThemAndUsersThatMayListSeeThem() throws IOException {
        assertEquals(
                "Access denied for user bob. Superuser privilege is required",
                denied(() -> bob.trees().setQuota("/home/bob", 1, 1)));
        admin.trees().setQuota("/home/bob", 1, NONE);
        assertEquals(1, eve.trees().quota("/home/bob").names());
        assertNamesFull("/home/bob", 1, 2, () -> bob.create("/home/bob/f", PLAIN));
        denied(() -> eve.create("/home/bob/f", PLAIN));
        admin.chmod("/home/bob", 0700);
        denied(() -> eve.trees().quota("/home/bob"));
        admin.create("/file", PLAIN);
        refused(ResultCode.NOT_DIRECTORY, () -> admin.trees().setQuota("/file", 1, 1));
        refused(ResultCode.NOT_FOUND, () -> admin.trees().setQuota("/none", 1, 1));
        for (long[] wrong : new long[][] {{0, 1}, {-2, 1}, {1, -2}}) {
            assertEquals(
                    "Invalid values for quota : " + wrong[0] + " and " + wrong[1],
                    refused(ResultCode.INVALID_ARGUMENT, () -> admin.trees().setQuota("/home", wrong[0], wrong[1])));
        }
        admin.setSafeMode(true);
        refused(ResultCode.SAFE_MODE, () -> admin.trees().setQuota("/home", 1, 1));
        assertEquals(1, admin.trees().quota("/home/bob").nameQuota());
    }
}
