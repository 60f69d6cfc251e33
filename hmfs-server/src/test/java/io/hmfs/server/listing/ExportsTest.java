package io.hmfs.server.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.wire.StatRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a record that a client would take is what a stat would answer at that moment, and the memory shows nothing that was not every user's to
 * know. Method: records made as a request makes them, on a real pool behind a proxy that runs, within a call of the pool, what another
 * thread does meanwhile.
 */
class ExportsTest {
    private static final Name FILE = Name.of("file");
    private static final Name OTHER = Name.of("other");
    private static final Name TOP = Name.of("top");
    private static final Name SUB = Name.of("sub");
    private static final String PATH = "/top/sub";
    private static final int MOST = 2;
    private static final int FRAME = 16;
    private static final String CLOCK = "the clock"; // which an export asks when it has looked, and cannot be found yet

    @TempDir
    private Path directory;

    private final DirectoryVersions versions = new DirectoryVersions();
    private final Attributes out = new Attributes();
    private final byte[] content = new byte[StatRecord.CONTENT_MAX];
    private final StatBatch batch = new StatBatch(1);
    private final StatPublisher publisher = new StatPublisher(1);
    private long now;
    private Exports exports;
    private ServerNamespace pool;
    private ServerNamespace namespace;
    private Runnable meanwhile = () -> {};
    private String within = ""; // the pool's method, or the clock, in whose next call it runs
    private int after; // so many calls of it
    private long top;
    private long sub;

    @BeforeEach
    void open() throws IOException {
        Path file = directory.resolve("p");
        Hmfs.format(file, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        pool = Hmfs.openForServer(file, OpenOptions.process());
        ServerNamespace hooked = (ServerNamespace) Proxy.newProxyInstance(
                ServerNamespace.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, arguments) -> {
                    runIfWithin(method.getName());
                    return method.invoke(pool, arguments);
                });
        exports = new Exports(MOST, versions, () -> {
            runIfWithin(CLOCK);
            return now;
        });
        namespace = new VersionedNamespace(hooked, versions, exports);
        top = mkdir(Namespace.ROOT_ID, TOP, 0755);
        sub = mkdir(top, SUB, 0755);
        assertEquals(Status.OK, namespace.create(sub, FILE, 0644, 1, 1, out));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private void runIfWithin(String method) {
        if (method.equals(within) && after-- == 0) {
            within = "";
            meanwhile.run();
        }
    }

    private void meanwhile(String method, int calls, Runnable task) {
        within = method;
        after = calls;
        meanwhile = task;
    }

    private long mkdir(long parent, Name name, int mode) {
        assertEquals(Status.OK, namespace.mkdir(parent, name, mode, 1, 1, out));
        return out.id;
    }

    private @Nullable Export export(String path) {
        return exports.export(namespace, path.getBytes(StandardCharsets.UTF_8));
    }

    private Export exported() {
        Export made = export(PATH);
        assertNotNull(made);
        return made;
    }

    private static ByteBuf frame(Attributes found) {
        return Unpooled.buffer(FRAME).writeLong(found.size).writeLong(found.ctimeNanos);
    }

    /** As a request for its stat does. */
    private void stat(Name name) {
        batch.add(sub, name);
        publisher.claim(exports, batch);
        namespace.statAll(batch);
        if (publisher.isClaimed(0) && batch.status(0) == Status.OK) {
            Attributes found = batch.attributes(0);
            publisher.publish(exports, namespace, 0, name, found, frame(found), 0, FRAME);
        }
        publisher.giveUp(exports, 0);
        batch.clear();
    }

    private static int at(Export export, Name name) {
        return Exports.at(export, Exports.hash(export, name));
    }

    /** What a client that was told of the export reads: the frame, or null. */
    private @Nullable ByteBuf read(Export export, Name name) {
        int length = StatRecord.read(exports.memory(), at(export, name), content);
        int frameAt = StatRecord.frameAt(content, length, export.number(), name.buffer(), 0, name.length());
        return frameAt < 0 ? null : Unpooled.copiedBuffer(content, frameAt, length - frameAt);
    }

    private void assertTrueRecord(Export export, Name name) {
        assertEquals(Status.OK, pool.stat(sub, name, out));
        assertEquals(frame(out), read(export, name));
    }

    @Test
    void aStatInAnExportedDirectoryMakesARecord() {
        Export export = exported();
        assertNull(read(export, FILE));
        stat(FILE);
        assertTrueRecord(export, FILE);
        assertEquals(1, exports.published());
        stat(FILE);
        assertEquals(1, exports.published(), "it is there");
        stat(OTHER);
        assertNull(read(export, OTHER), "it is not there");
        assertSame(export, export(PATH));
        assertEquals(1, exports.size());
    }

    @Test
    void whatElseChangesTheAnswerHasNoRecord() {
        mkdir(sub, Name.of("directory"), 0755);
        assertEquals(Status.OK, namespace.symlink(sub, Name.of("link"), new byte[] {'x'}, 1, 1, out));
        assertEquals(Status.OK, namespace.create(sub, Name.of("two"), 0644, 1, 1, out));
        assertEquals(Status.OK, namespace.link(sub, Name.of("two"), sub, Name.of("names"), out));
        Name longName = Name.of("n".repeat(Name.LENGTH_MAX));
        assertEquals(Status.OK, namespace.create(sub, longName, 0644, 1, 1, out));
        Export export = exported();
        for (Name each :
                new Name[] {Name.of("directory"), Name.of("link"), Name.of("two"), Name.of("names"), longName}) {
            stat(each);
            assertNull(read(export, each), each.toString());
        }
        assertEquals(Status.OK, namespace.delete(sub, Name.of("names"), out));
        stat(Name.of("two"));
        assertNull(read(export, Name.of("two")), "a change under the other name may be under way");
        assertEquals(0, exports.published());
    }

    private record NamedChange(String method, Runnable change) {}

    /** Every change of what stands under a name, by the pool's method that makes it. */
    private Map<String, NamedChange> changes() {
        Map<String, NamedChange> all = new LinkedHashMap<>();
        all.put("append", new NamedChange("append", () -> namespace.append(sub, FILE, out.id, 100, Change.NONE)));
        all.put("truncate", new NamedChange("truncate", () -> namespace.truncate(sub, FILE, 100, Change.NONE)));
        all.put("chmod", new NamedChange("chmod", () -> namespace.chmod(sub, FILE, 0600, Change.NONE)));
        all.put("chown", new NamedChange("chown", () -> namespace.chown(sub, FILE, 2, 2, Change.NONE)));
        all.put("setTimes", new NamedChange("setTimes", () -> namespace.setTimes(sub, FILE, 1, 1, Change.NONE)));
        all.put(
                "setXattr",
                new NamedChange(
                        "setXattr",
                        () -> namespace.setXattr(
                                sub, FILE, Name.of("user.a"), new byte[] {1}, XattrMode.CREATE, Change.NONE)));
        all.put(
                "removeXattr",
                new NamedChange("removeXattr", () -> namespace.removeXattr(sub, FILE, Name.of("user.a"), Change.NONE)));
        all.put(
                "changeAcl",
                new NamedChange("changeAcl", () -> namespace.changeAcl(sub, FILE, _ -> Status.OK, Change.NONE)));
        all.put("delete", new NamedChange("delete", () -> namespace.delete(sub, FILE, Change.NONE, out)));
        all.put(
                "rename from",
                new NamedChange(
                        "rename", () -> namespace.rename(sub, FILE, top, OTHER, false, Change.NONE, new Attributes())));
        all.put("rename onto", new NamedChange("rename", () -> {
            namespace.create(top, OTHER, 0644, 1, 1, out);
            namespace.rename(top, OTHER, sub, FILE, true, Change.NONE, new Attributes());
        }));
        all.put("link", new NamedChange("link", () -> namespace.link(sub, FILE, top, OTHER, out)));
        all.put(
                "create",
                new NamedChange("create", () -> namespace.create(sub, FILE, 0644, 1, 1, Acl.NONE, Change.NONE, out)));
        all.put(
                "mkdir",
                new NamedChange("mkdir", () -> namespace.mkdir(sub, FILE, 0644, 1, 1, Acl.NONE, Change.NONE, out)));
        all.put(
                "symlink",
                new NamedChange(
                        "symlink", () -> namespace.symlink(sub, FILE, new byte[] {'x'}, 1, 1, Change.NONE, out)));
        all.put("rmdir", new NamedChange("rmdir", () -> namespace.rmdir(sub, FILE, Change.NONE)));
        all.put("createAll", new NamedChange("createAll", () -> {
            CreateBatch names = new CreateBatch(2);
            names.addFile(top, FILE, 0644, 1, 1);
            names.addFile(sub, FILE, 0644, 1, 1);
            namespace.createAll(names);
        }));
        all.put("deleteAll", new NamedChange("deleteAll", () -> {
            DeleteBatch names = new DeleteBatch(2);
            names.add(top, FILE);
            names.add(sub, FILE);
            namespace.deleteAll(names);
        }));
        all.put("appendAll", new NamedChange("appendAll", () -> {
            AppendBatch names = new AppendBatch(2);
            names.add(top, FILE, 7, 7);
            names.add(sub, FILE, out.id, 77);
            namespace.appendAll(names);
        }));
        return all;
    }

    private Stream<DynamicTest> eachChange(Consumer<NamedChange> test) {
        return changes().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    close();
                    now += Exports.KEPT_NANOS;
                    Path next = directory.resolve("of-" + each.getKey().replace(' ', '-'));
                    Files.createDirectory(next);
                    directory = next;
                    open();
                    assertEquals(Status.OK, pool.stat(sub, FILE, out));
                    test.accept(each.getValue());
                }));
    }

    @TestFactory
    Stream<DynamicTest> aChangeTakesTheRecordBackBeforeItChangesAnythingAndNoneIsMadeBeforeItHasEnded() {
        return eachChange(change -> {
            Export export = exported();
            stat(FILE);
            assertTrueRecord(export, FILE);
            boolean[] seen = new boolean[1];
            meanwhile(change.method, 0, () -> {
                seen[0] = true;
                assertNull(read(export, FILE), "it is still there");
                stat(FILE);
                assertNull(read(export, FILE), "it was made anew too early");
            });
            change.change.run();
            assertTrue(seen[0]);
            assertNull(read(export, FILE));
            stat(FILE);
            if (read(export, FILE) != null) {
                assertTrueRecord(export, FILE);
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> whatIsBeingMadeARecordWhenAChangeBeginsIsNone() {
        return eachChange(change -> {
            Export export = exported();
            meanwhile("statAll", 0, () -> change.change.run());
            stat(FILE);
            assertNull(read(export, FILE), "what was looked up may be what was before");
            assertEquals(0, exports.published());
            stat(FILE);
            if (read(export, FILE) != null) {
                assertTrueRecord(export, FILE);
            }
        });
    }

    private Map<String, Runnable> changesOnTheWay() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("chmod", () -> namespace.chmod(top, SUB, 0700, Change.NONE));
        all.put("chmod above", () -> namespace.chmod(Namespace.ROOT_ID, TOP, 0700, Change.NONE));
        all.put("chmod of the root", () -> namespace.chmod(Namespace.ROOT_PARENT_ID, new Name(), 0700, Change.NONE));
        all.put("chown above", () -> namespace.chown(Namespace.ROOT_ID, TOP, 2, 2, Change.NONE));
        all.put("acl", () -> namespace.changeAcl(top, SUB, _ -> Status.OK, Change.NONE));
        all.put(
                "rename",
                () -> namespace.rename(top, SUB, Namespace.ROOT_ID, OTHER, false, Change.NONE, new Attributes()));
        all.put(
                "rename above",
                () -> namespace.rename(
                        Namespace.ROOT_ID, TOP, Namespace.ROOT_ID, OTHER, false, Change.NONE, new Attributes()));
        all.put(
                "rename onto",
                () -> namespace.rename(Namespace.ROOT_ID, OTHER, top, SUB, true, Change.NONE, new Attributes()));
        all.put("rmdir", () -> namespace.rmdir(top, SUB, Change.NONE));
        return all;
    }

    @Test
    void aChangeOnTheWayWithdrawsTheExportBeforeItChangesAnything() {
        for (Map.Entry<String, Runnable> each : changesOnTheWay().entrySet()) {
            Export export = exported();
            stat(FILE);
            assertTrueRecord(export, FILE);
            boolean[] seen = new boolean[1];
            String method = each.getKey().startsWith("acl")
                    ? "changeAcl"
                    : each.getKey().replaceAll(" .*", "");
            meanwhile(method, 0, () -> {
                seen[0] = true;
                assertNull(read(export, FILE), "it is still there");
                stat(FILE);
                assertNull(read(export, FILE), "it was made anew");
                assertNull(export(PATH), "it was exported anew");
            });
            each.getValue().run();
            assertTrue(seen[0], each.getKey());
            assertEquals(0, exports.size());
            stat(FILE);
            assertNull(read(export, FILE));
            restore();
        }
    }

    private void restore() {
        namespace.chmod(Namespace.ROOT_PARENT_ID, new Name(), 0755, Change.NONE);
        namespace.rename(Namespace.ROOT_ID, OTHER, Namespace.ROOT_ID, TOP, false, Change.NONE, new Attributes());
        namespace.rename(Namespace.ROOT_ID, OTHER, top, SUB, false, Change.NONE, new Attributes());
        namespace.chmod(Namespace.ROOT_ID, TOP, 0755, Change.NONE);
        namespace.chmod(top, SUB, 0755, Change.NONE);
    }

    @Test
    void otherChangesLeaveItAlone() {
        Export export = exported();
        stat(FILE);
        namespace.create(sub, OTHER, 0644, 1, 1, out);
        namespace.chmod(sub, OTHER, 0600, Change.NONE);
        namespace.create(top, OTHER, 0644, 1, 1, out);
        namespace.setTimes(top, SUB, 1, 1, Change.NONE);
        mkdir(Namespace.ROOT_ID, OTHER, 0700);
        assertTrueRecord(export, FILE);
        assertSame(export, export(PATH));
    }

    @Test
    void noExportIsOpenedBesideAChangeThatTakesItFromSomeUser() {
        int opened = 0;
        for (int calls = 0; calls < 8; calls++) {
            int call = calls;
            boolean[] ran = new boolean[1];
            meanwhile("stat", call, () -> {
                ran[0] = true;
                namespace.chmod(Namespace.ROOT_ID, TOP, 0700, Change.NONE);
            });
            Export made = export(PATH);
            opened += made != null && !ran[0] ? 1 : 0;
            assertTrue(!ran[0] || made == null || !made.isLive(), "changed in call " + calls);
            assertEquals(ran[0] ? 0 : 1, exports.size());
            within = "";
            restore();
        }
        assertTrue(opened > 0, "no export was opened after its last look");
    }

    @Test
    void whatHasChangedSinceTheFirstLookIsSeenByTheSecond() {
        meanwhile(CLOCK, 0, () -> namespace.chmod(top, SUB, 0700, Change.NONE));
        assertNull(export(PATH), "the directory itself");
        assertEquals(0, exports.size());
        restore();
        meanwhile(CLOCK, 0, () -> {
            namespace.rename(
                    Namespace.ROOT_ID, TOP, Namespace.ROOT_ID, Name.of("old"), false, Change.NONE, new Attributes());
            long made = mkdir(Namespace.ROOT_ID, TOP, 0755);
            namespace.rename(top, SUB, made, SUB, false, Change.NONE, new Attributes());
        });
        assertNull(export(PATH), "the same directory, on another way");
        assertEquals(0, exports.size());
        assertEquals("", within);
        exported();
    }

    @Test
    void aChangeThatIsUnderWayWhenAnExportIsFoundLetsNoneOpen() {
        versions.begin(top);
        assertNull(export(PATH));
        versions.end(top);
        exported();
    }

    @Test
    void noRecordIsMadeWhileAnExportIsBeingOpened() {
        meanwhile("stat", 4, () -> stat(FILE)); // in the second walk: it can be found
        Export export = exported();
        assertEquals("", within);
        assertNull(read(export, FILE));
        stat(FILE);
        assertTrueRecord(export, FILE);
    }

    @Test
    void onlyWhatEveryUserMayPassIsExported() {
        for (int mode : new int[] {0700, 0754, 0745, 0655, 0666, 0}) {
            namespace.chmod(top, SUB, mode, Change.NONE);
            assertNull(export(PATH), Integer.toOctalString(mode));
            namespace.chmod(top, SUB, 0711, Change.NONE);
            namespace.chmod(Namespace.ROOT_ID, TOP, mode, Change.NONE);
            assertNull(export(PATH), Integer.toOctalString(mode));
            namespace.chmod(Namespace.ROOT_ID, TOP, 0711, Change.NONE);
        }
        exported();
        namespace.changeAcl(
                Namespace.ROOT_ID,
                TOP,
                object -> {
                    object.acl = new long[] {Acl.entry(false, Acl.USER, 0, 5), Acl.entry(false, Acl.GROUP, 5)};
                    return Status.OK;
                },
                Change.NONE);
        assertNull(export(PATH), "an ACL may take it from a user");
    }

    @Test
    void pathsThatAreNoneAreNotExported() {
        assertEquals(
                Status.OK, namespace.symlink(top, Name.of("link"), "sub".getBytes(StandardCharsets.UTF_8), 1, 1, out));
        for (String path : new String[] {
            "",
            "top",
            "top/sub",
            "-top/sub",
            "//top/sub",
            "/top//sub",
            "/top/sub/",
            "/top/./sub",
            "/top/../top/sub",
            "/top/link",
            "/none",
            "/top/sub/file",
            "/" + "n".repeat(300)
        }) {
            assertNull(export(path), path);
        }
        assertEquals(0, exports.size());
        assertNotNull(export("/"));
        exported();
    }

    @Test
    void aDirectoryThatHasMovedIsAnotherExport() {
        Export before = exported();
        stat(FILE);
        namespace.rename(top, SUB, top, OTHER, false, Change.NONE, new Attributes());
        Export made = export("/top/other");
        assertNotNull(made);
        assertEquals(before.start(), made.start(), "it has the same memory");
        assertNotEquals(before.number(), made.number());
        stat(FILE);
        assertTrueRecord(made, FILE);
        assertNull(read(before, FILE), "a client that knows the path of before");
        assertNull(export(PATH));
    }

    @Test
    void aTableGoesToAnotherDirectoryWhenItWasKeptForLongEnough() {
        Export first = exported();
        stat(FILE);
        now += 1;
        assertNotNull(export("/top"));
        assertNull(export("/"), "no table is free");
        now += Exports.KEPT_NANOS - 2;
        assertNull(export("/"), "none is old enough");
        now += 1;
        Export other = export("/");
        assertNotNull(other);
        assertEquals(first.start(), other.start());
        assertFalse(first.isLive());
        assertNull(read(first, FILE));
        stat(FILE);
        assertNull(read(first, FILE));
        assertNull(export(PATH));
        assertEquals(MOST, exports.size());
    }

    @Test
    void whatIsSeenAfterTheWithdrawalIsNotStored() {
        exported();
        long secret = 0x5EC2E75EC2E7L;
        meanwhile("statAll", 0, () -> {
            namespace.chmod(top, SUB, 0700, Change.NONE);
            namespace.truncate(sub, FILE, secret, Change.NONE);
        });
        stat(FILE);
        assertEquals(Status.OK, pool.stat(sub, FILE, out));
        assertEquals(secret, out.size);
        ByteBuffer memory = exports.memory().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < memory.capacity(); at += Long.BYTES) {
            assertEquals(0, (int) memory.getLong(at), "at " + at); // nothing was ever stored, but tags
        }
    }

    @Test
    void aRecordThatDisplacesAnotherIsOfItsOwnName() {
        Export export = exported();
        Name same = Name.of("f0");
        for (int i = 1; at(export, same) != at(export, FILE); i++) {
            same = Name.of("f" + i);
        }
        assertEquals(Status.OK, namespace.create(sub, same, 0600, 1, 1, out));
        stat(FILE);
        stat(same);
        assertNull(read(export, FILE));
        assertTrueRecord(export, same);
        namespace.truncate(sub, FILE, 9, Change.NONE);
        assertNull(read(export, same), "they share a slot");
        stat(FILE);
        assertTrueRecord(export, FILE);
    }

    @Test
    void recordsWaitForTheLog() {
        Export export = exported();
        Runnable[] durable = new Runnable[1];
        ServerNamespace before = namespace;
        ServerNamespace logged = (ServerNamespace) Proxy.newProxyInstance(
                ServerNamespace.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("whenDurable")) {
                        durable[0] = (Runnable) arguments[1];
                        return null;
                    }
                    return method.invoke(before, arguments);
                });
        namespace = logged;
        stat(FILE);
        namespace = before;
        assertNull(read(export, FILE), "its answer is held");
        durable[0].run();
        assertTrueRecord(export, FILE);
    }

    @Test
    void noneIsExportedWithoutTheSetting() {
        Exports off = new Exports(0, versions, () -> now);
        assertFalse(off.isOn());
        assertNull(off.export(namespace, PATH.getBytes(StandardCharsets.UTF_8)));
        assertEquals(0, off.memory().capacity());
        assertEquals(0, off.size());
    }
}
