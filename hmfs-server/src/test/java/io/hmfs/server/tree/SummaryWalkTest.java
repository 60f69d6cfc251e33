package io.hmfs.server.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.Access;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.Caller;
import io.hmfs.server.access.Callers;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a summary that is cut off goes on where it was, and believes nothing of what it is given to go on with. Method: trees that change
 * between two parts, and texts that are cut and forged.
 */
final class SummaryWalkTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int SEED = 3;

    @TempDir
    Path directory;

    private ServerNamespace namespace;
    private Access access;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        AccessConfig config = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, "root")
                .build()
                .access();
        Callers callers = new Callers(namespace, config, _ -> List.of("staff"), Runnable::run, 1, System::nanoTime);
        Caller ann = callers.of("ann", "host").join();
        ann.connected();
        access = new Access(namespace);
        access.actFor(ann);
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private long mkdir(long parent, String name) {
        Attributes out = new Attributes();
        ok(namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private void create(long parent, String... names) {
        for (String name : names) {
            ok(namespace.create(parent, Name.of(name), 0644, 0, 0, new Attributes()));
        }
    }

    private Attributes root() {
        Attributes out = Attributes.withAcl();
        ok(namespace.statDirectory(ROOT, out));
        return out;
    }

    private SummaryWalk summing() {
        return new SummaryWalk(namespace, access, "/");
    }

    private static byte[] written(SummaryWalk sum) {
        byte[] written = sum.write();
        assertNotNull(written);
        return written;
    }

    private static String of(SummaryWalk sum) {
        return sum.files + " files, " + sum.directories + " directories";
    }

    @Test
    void howeverOftenItIsCutItComesToTheSame() {
        Random random = new Random(SEED);
        List<Long> directories = new ArrayList<>(List.of(ROOT));
        int files = 0;
        for (int i = 0; i < 600; i++) {
            long parent = directories.get(random.nextInt(directories.size()));
            if (random.nextInt(6) == 0) {
                directories.add(mkdir(parent, "d" + i));
            } else {
                create(parent, "f" + i);
                files++;
            }
        }
        for (int part : new int[] {1, 2, 7, 100, 100_000}) {
            SummaryWalk sum = summing();
            ok(sum.begin(root()));
            long counted = 0;
            long found = 0;
            ok(namespace.count(sum, part));
            while (!sum.isAtEnd()) {
                counted += sum.files;
                found += sum.directories;
                byte[] next = written(sum);
                sum = summing();
                ok(sum.read(root(), next));
                ok(namespace.count(sum, part));
            }
            assertEquals(files, counted + sum.files, part + " entries a part");
            assertEquals(directories.size(), found + sum.directories, part + " entries a part");
            assertEquals(0, written(sum).length);
        }
    }

    /** Cuts a sum of which /b/c is not at its end. */
    private byte[] cutWithin() {
        create(mkdir(ROOT, "old"), "strange");
        long b = mkdir(ROOT, "b");
        create(b, "f");
        create(mkdir(b, "c"), "f", "g", "h");
        SummaryWalk sum = summing();
        ok(sum.begin(root()));
        while (sum.left().stream()
                .noneMatch(level -> Arrays.equals(level.name, new byte[] {'c'}) && level.cursor.at != 0)) {
            ok(namespace.count(sum, 1));
        }
        return written(sum);
    }

    private long id(long parent, String name) {
        Attributes out = new Attributes();
        ok(namespace.stat(parent, Name.of(name), out));
        return out.id;
    }

    @Test
    void whatHasGoneOnTheWayIsLeftOutAndTheRestIsNot() {
        byte[] cut = cutWithin();
        SummaryWalk whole = summing();
        ok(whole.read(root(), cut));
        ok(namespace.count(whole, 1_000));
        long b = id(ROOT, "b");
        ok(namespace.rename(b, Name.of("c"), ROOT, Name.of("moved"), false, new Attributes()));
        // Another one of that name, whose entries stand behind the place where the sum was.
        ok(namespace.rename(ROOT, Name.of("old"), b, Name.of("c"), false, new Attributes()));
        SummaryWalk sum = summing();
        ok(sum.read(root(), cut));
        ok(namespace.count(sum, 1_000));
        assertTrue(sum.isAtEnd());
        assertTrue(sum.files < whole.files, of(sum) + ", with /b/c " + of(whole));
    }

    @Test
    void aUserThatGoesOnIsAskedAgainForEachDirectory() {
        byte[] cut = cutWithin();
        ok(summing().read(root(), cut));
        for (String path : List.of("b", "c")) {
            long parent = path.equals("b") ? ROOT : id(ROOT, "b");
            ok(namespace.chmod(parent, Name.of(path), 0700));
            assertEquals(Status.ACCESS_DENIED, summing().read(root(), cut), path);
            assertTrue(access.reason().contains("inode=\"/b" + (path.equals("c") ? "/c" : "") + "\""), access.reason());
            ok(namespace.chmod(parent, Name.of(path), 0755));
        }
    }

    @Test
    void anotherDirectoryAtTheTopIsToldAndATextThatNoWalkWroteRefused() {
        byte[] cut = cutWithin();
        Attributes other = Attributes.withAcl();
        ok(namespace.statDirectory(id(ROOT, "b"), other));
        assertEquals(Status.STALE, summing().read(other, cut));
        int refused = 0;
        for (int length = 1; length < cut.length; length++) {
            Status status = summing().read(root(), Arrays.copyOf(cut, length));
            assertTrue(status == Status.OK || status == Status.INVALID_ARGUMENT, length + " bytes: " + status);
            refused += status == Status.INVALID_ARGUMENT ? 1 : 0;
        }
        assertTrue(refused > cut.length - 5, "texts that were cut and believed: " + (cut.length - 1 - refused));
        // A directory that nothing leads to from there, by its id.
        long secret = mkdir(ROOT, "secret");
        create(secret, "one");
        ok(namespace.chmod(ROOT, Name.of("secret"), 0700));
        Random random = new Random(SEED);
        for (int i = 0; i < 3_000; i++) {
            byte[] forged = cut.clone();
            forged[random.nextInt(forged.length)] = (byte) random.nextInt();
            forged[random.nextInt(forged.length)] = (byte) secret;
            SummaryWalk sum = summing();
            if (sum.read(root(), forged) == Status.OK) {
                namespace.count(sum, 1_000);
                assertTrue(sum.files <= 5 * 3, of(sum));
            }
        }
    }

    @Test
    void aSumInDeepPlacesIsCutOffLater() {
        long at = ROOT;
        for (int i = 0; i < 1_200; i++) {
            at = mkdir(at, "d");
        }
        SummaryWalk sum = summing();
        ok(sum.begin(root()));
        ok(namespace.count(sum, 1_100));
        assertNull(sum.write());
        ok(namespace.count(sum, 1_000));
        assertEquals(0, written(sum).length);
        assertEquals("0 files, 1201 directories", of(sum));
    }
}
