package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.IsClosedEncoder;
import io.hmfs.wire.LeaseStateDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.SetQuotaEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a create makes its file, or replaces another one, where its user may, in a batch as alone. Method: the reply, and what the engine
 * tells; a plain create is not executed before the event-loop batch ends.
 */
class CreateHandlerTest {
    private static final int ACCESS = 0xFF; // bits of a grant
    private static final long LEASE = 9;

    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    /** A create to be sent, of mode 0640. */
    private static final class Create implements HandlerRig.Message {
        private final String path;
        private int mode = 0640;
        private long sequence;
        private long lease;
        private boolean parents;
        private int parentMode;
        private boolean overwrite;
        private long inode;
        private long mtime;
        private long size;

        Create(String path) {
            this.path = path;
        }

        Create mode(int of) {
            mode = of;
            return this;
        }

        Create sequence(long of) {
            sequence = of;
            return this;
        }

        Create lease() {
            lease = LEASE;
            return this;
        }

        Create parents(int ofMode) {
            parents = true;
            parentMode = ofMode;
            return this;
        }

        Create overwrite() {
            overwrite = true;
            return this;
        }

        /** Replaces this version. */
        Create expect(Attributes file) {
            inode = file.id;
            mtime = file.mtimeNanos;
            size = file.size;
            return overwrite();
        }

        @Override
        public int encode(WireBuffer out, MessageHeaderEncoder header) {
            CreateEncoder create = new CreateEncoder()
                    .wrapAndApplyHeader(out, 0, header)
                    .correlationId(sequence)
                    .clientId(1)
                    .sequence(sequence)
                    .baseId(Wire.ROOT_ID)
                    .lease(lease)
                    .mode(mode)
                    .unmaskedMode(0666)
                    .parentMode(parentMode)
                    .expectedInode(inode)
                    .expectedMtimeNanos(mtime)
                    .expectedSize(size);
            create.flags().clear().createParents(parents).overwrite(overwrite);
            return create.path(path).limit();
        }
    }

    private static Create create(String path) {
        return new Create(path);
    }

    private static EntryDecoder entry(WireBuffer reply) {
        return new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    private boolean isThere(long parent, String name) {
        return rig.namespace().stat(parent, Name.of(name), new Attributes()) == Status.OK;
    }

    private boolean isClosed(String path) {
        WireBuffer reply = rig.ask(
                HandlerRig.ROOT,
                (out, header) -> new IsClosedEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .path(path)
                        .limit());
        return new LeaseStateDecoder()
                        .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                        .closed()
                != 0;
    }

    /** The user makes a file, and so has an id from then on. */
    private long own(long parent, String path, int mode) {
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, create(path).mode(mode)));
        assertEquals(parent, entry.parentId());
        return entry.inode();
    }

    private void giveDefaultAcl(String directory, long[] acl) {
        assertEquals(Status.OK, rig.namespace().changeAcl(Namespace.ROOT_ID, Name.of(directory), object -> {
            object.acl = acl;
            return Status.OK;
        }));
    }

    /** As in HDFS. */
    @Test
    void aUserThatMayMakeNothingIsToldThatAndNotWhatIsMissing() {
        rig.mkdir("closed", 0755);
        rig.mkdir("open", 0777);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, new Create("/closed/none/f")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, new Create("/closed/none/f").overwrite()));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, new Create("/open/none/f")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, new Create("/closed/none/f")));
    }

    @Test
    void missingParentsInheritTheModeOfTheDirectoryThatIsThere() {
        long above = rig.mkdir("a", 0457);
        int none = CreateEncoder.parentModeNullValue();
        assertEquals(
                ResultCode.OK, rig.outcome(HandlerRig.USER, create("/a/p/q/f").parents(none)));
        Attributes parent = rig.stat(above, "p");
        assertEquals(0757, parent.mode);
        assertEquals(0757, rig.stat(parent.id, "q").mode);
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, create("/r/f").parents(010000)));
        assertTrue(!isThere(Namespace.ROOT_ID, "r"));
    }

    /** Its owner may not pass such a parent, and yet makes what was asked for, as in HDFS. */
    @Test
    void missingParentsInheritADefaultAclWhichMayBeLessThanTheirOwnerNeeds() {
        long above = rig.mkdir("a", 0747);
        giveDefaultAcl("a", new long[] {
            Acl.entry(true, Acl.USER, 4), Acl.entry(true, Acl.GROUP, 5), Acl.entry(true, Acl.OTHER, 0)
        });
        int none = CreateEncoder.parentModeNullValue();
        assertEquals(
                ResultCode.OK, rig.outcome(HandlerRig.USER, create("/a/p/q/f").parents(none)));
        Attributes parent = rig.stat(above, "p");
        assertEquals(0440, parent.mode);
        long inner = rig.stat(parent.id, "q").id;
        assertEquals(0440, rig.stat(inner, "f").mode);
        assertEquals(
                ResultCode.ACCESS_DENIED,
                rig.outcome(HandlerRig.USER, create("/a/p/q/g").parents(none)));
        assertTrue(!isThere(inner, "g"));
    }

    @Test
    void filesOfABatchAreTheirUsersAndOfTheGroupOfTheirDirectory() {
        int staff = rig.namespace().principalId("staff");
        Attributes parent = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(Namespace.ROOT_ID, Name.of("d"), 0777, 0, staff, parent));
        own(parent.id, "/d/first", 0600);
        int user = rig.namespace().principalId(HandlerRig.USER);
        for (int i = 0; i < 4; i++) {
            rig.send(HandlerRig.USER, create(i == 2 ? "/d/first" : "/d/f" + i).sequence(i));
        }
        assertTrue(!isThere(parent.id, "f0") && !isThere(parent.id, "f3"), "before the batch is executed");
        rig.endBatch();
        for (int i = 0; i < 4; i++) {
            WireBuffer reply = rig.reply(HandlerRig.USER);
            assertEquals(i == 2 ? ResultCode.EXISTS : ResultCode.OK, rig.outcome(reply));
            if (i == 2) {
                continue;
            }
            EntryDecoder entry = entry(reply);
            Attributes made = rig.stat(parent.id, "f" + i);
            assertEquals(i, entry.correlationId());
            assertEquals(made.id, entry.inode());
            assertEquals(parent.id, entry.parentId());
            assertEquals(0640, made.mode);
            assertEquals(user, made.uid);
            assertEquals(staff, made.gid);
            assertEquals(Grants.WRITE | Grants.OWNER, entry.grant() & ACCESS);
            assertEquals(0, entry.removedId());
        }
    }

    @Test
    void nothingIsMadeWhereTheUserMayNot() {
        long closed = rig.mkdir("d", 0755);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, create("/d/f")));
        assertEquals(
                ResultCode.ACCESS_DENIED,
                rig.outcome(HandlerRig.USER, create("/d/p/f").parents(0755)));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, create("/")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, create("/none/f")));
        assertTrue(!isThere(closed, "f") && !isThere(closed, "p"));
    }

    @Test
    void aUserThatHasMadeNothingGetsNoIdForACreateThatComesToNothing() {
        long parent = rig.mkdir("d", 0777);
        rig.create(parent, "f", 0644);
        int before = rig.namespace().principalId("before");
        Attributes other = new Attributes();
        other.id = parent;
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.USER, create("/d/f")));
        assertEquals(
                ResultCode.ACCESS_DENIED,
                rig.outcome(HandlerRig.USER, create("/d/f").overwrite()));
        rig.create(parent, "open", 0666);
        assertEquals(
                ResultCode.STALE, rig.outcome(HandlerRig.USER, create("/d/open").expect(other)));
        assertEquals(before + 1, rig.namespace().principalId("after"));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.USER, create("/d/own")));
        assertEquals(before + 2, rig.stat(parent, "own").uid);
    }

    @Test
    void aSymbolicLinkThatHasTheNameIsFollowed() {
        long parent = rig.mkdir("d", 0777);
        byte[] target = {'/', 'x'};
        assertEquals(Status.OK, rig.namespace().symlink(parent, Name.of("l"), target, 0, 0, new Attributes()));
        long closed = rig.mkdir("closed", 0755);
        assertEquals(Status.OK, rig.namespace().symlink(closed, Name.of("l"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(HandlerRig.ROOT, create("/d/l")), "in a batch");
        assertEquals(
                ResultCode.UNRESOLVED_LINK,
                rig.outcome(HandlerRig.ROOT, create("/d/l").overwrite()));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(HandlerRig.USER, create("/closed/l")));
    }

    @Test
    void missingParentsAreMadeOnRequest() {
        assertEquals(
                ResultCode.OK, rig.outcome(HandlerRig.ROOT, create("/p/q/f").parents(0750)));
        Attributes parent = rig.stat(Namespace.ROOT_ID, "p");
        assertEquals(0750, parent.mode);
        assertTrue(isThere(rig.stat(parent.id, "q").id, "f"));
    }

    @Test
    void aCreateThatCannotBeMakesNoParents() {
        Attributes version = new Attributes();
        version.id = 7;
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, create("/p/f").parents(0755).mode(010000)));
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, create("/p/f").parents(010000)));
        assertEquals(
                ResultCode.NOT_FOUND,
                rig.outcome(HandlerRig.ROOT, create("/p/f").parents(0755).expect(version)));
        assertTrue(!isThere(Namespace.ROOT_ID, "p"));
    }

    private void setAcl(String name, long... acl) {
        assertEquals(Status.OK, rig.namespace().changeAcl(Namespace.ROOT_ID, Name.of(name), object -> {
            object.acl = acl;
            return Status.OK;
        }));
    }

    @Test
    void aFileBelowADefaultAclJoinsTheBatchWithAnAclOfItsOwn() {
        long parent = rig.mkdir("d", 0777);
        setAcl(
                "d",
                Acl.entry(true, Acl.USER, 6),
                Acl.entry(true, Acl.USER, 5, 77),
                Acl.entry(true, Acl.GROUP, 4),
                Acl.entry(true, Acl.MASK, 7),
                Acl.entry(true, Acl.OTHER, 0));
        assertTrue(rig.isBatched(HandlerRig.ROOT, create("/plain")));
        assertTrue(rig.isBatched(HandlerRig.ROOT, create("/d/f")));
        rig.endBatch();
        assertEquals(0640, entry(rig.reply(HandlerRig.ROOT)).mode());
        assertEquals(0660, entry(rig.reply(HandlerRig.ROOT)).mode());
        Attributes found = Attributes.withAcl();
        assertEquals(Status.OK, rig.namespace().stat(parent, Name.of("f"), found));
        assertArrayEquals(new long[] {Acl.entry(false, Acl.USER, 5, 77), Acl.entry(false, Acl.GROUP, 4)}, found.acl);
        assertEquals(Status.OK, rig.namespace().stat(Namespace.ROOT_ID, Name.of("plain"), found));
        assertEquals(0, found.acl.length);
    }

    @Test
    void aDefaultAclGivesTheModeAndIsAnsweredAgain() throws IOException {
        long parent = rig.mkdir("d", 0777);
        setAcl("d", Acl.entry(true, Acl.USER, 6), Acl.entry(true, Acl.GROUP, 4), Acl.entry(true, Acl.OTHER, 4));
        rig.restart(1);
        Create create = create("/d/f").mode(0600).sequence(1);
        assertEquals(0644, entry(rig.ask(HandlerRig.ROOT, create)).mode());
        assertEquals(0644, rig.stat(parent, "f").mode);
        rig.restart(2);
        assertEquals(0644, entry(rig.ask(HandlerRig.ROOT, create)).mode());
    }

    @Test
    void aQuotaRefusesTheFileThatIsTooMany() {
        rig.mkdir("d", 0777);
        rig.assertDone(rig.ask(
                HandlerRig.ROOT,
                (out, header) -> new SetQuotaEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .names(2)
                        .bytes(1 << 20)
                        .path("/d")
                        .limit()));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, create("/d/a")));
        assertEquals(ResultCode.NAME_QUOTA_EXCEEDED, rig.outcome(HandlerRig.ROOT, create("/d/b")));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, create("/d/a")), "whatever it would cost");
    }

    @Test
    void overwriteReplacesAFileThatItsUserMayWrite() {
        long parent = rig.mkdir("d", 0777);
        long old = own(parent, "/d/own", 0600);
        assertEquals(Status.OK, rig.namespace().append(parent, Name.of("own"), old, 10));
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, create("/d/own").overwrite()));
        Attributes found = rig.stat(parent, "own");
        assertEquals(found.id, entry.inode());
        assertEquals(0, found.size);
        assertEquals(0640, found.mode);
        assertEquals(found.mtimeNanos, entry.mtimeNanos());
        assertEquals(old, entry.removedId());
        assertEquals(10, entry.removedSize());
        assertEquals(Grants.WRITE | Grants.OWNER, entry.grant() & ACCESS);
        assertEquals(
                0, entry(rig.ask(HandlerRig.USER, create("/d/new").overwrite())).removedId());
        long others = rig.create(parent, "others", 0644);
        assertEquals(
                ResultCode.ACCESS_DENIED,
                rig.outcome(HandlerRig.USER, create("/d/others").overwrite()));
        assertEquals(others, rig.stat(parent, "others").id);
        assertEquals(Status.OK, rig.namespace().chmod(parent, Name.of("others"), 0666));
        assertEquals(
                ResultCode.OK, rig.outcome(HandlerRig.USER, create("/d/others").overwrite()));
        assertNotEquals(others, rig.stat(parent, "others").id);
    }

    @Test
    void overwriteReplacesNoDirectoryAndNothingThatAStickyBitKeeps() {
        long parent = rig.mkdir("d", 01777);
        rig.create(parent, "others", 0666);
        assertEquals(
                ResultCode.IS_DIRECTORY,
                rig.outcome(HandlerRig.ROOT, create("/d").overwrite()));
        assertEquals(
                ResultCode.ACCESS_DENIED,
                rig.outcome(HandlerRig.USER, create("/d/others").overwrite()));
        long own = own(parent, "/d/own", 0600);
        assertEquals(
                own,
                entry(rig.ask(HandlerRig.USER, create("/d/own").overwrite())).removedId());
    }

    @Test
    void oneVersionOfAFileIsReplacedAndNoOther() {
        long id = rig.create(Namespace.ROOT_ID, "f", 0644);
        Attributes version = rig.stat(Namespace.ROOT_ID, "f");
        assertEquals(
                ResultCode.NOT_FOUND,
                rig.outcome(HandlerRig.ROOT, create("/none").expect(version)));
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, Name.of("f"), id, 10));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, create("/f").expect(version)));
        version = rig.stat(Namespace.ROOT_ID, "f");
        version.mtimeNanos++;
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, create("/f").expect(version)));
        version.mtimeNanos--;
        assertEquals(
                id,
                entry(rig.ask(HandlerRig.ROOT, create("/f").expect(version))).removedId());
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, create("/f").expect(version)));
    }

    @Test
    void theFileIsLeasedToItsMaker() {
        assertEquals(
                ResultCode.OK,
                rig.outcome(HandlerRig.ROOT, create("/in-a-batch").lease()));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, create("/none")));
        assertEquals(
                ResultCode.OK,
                rig.outcome(HandlerRig.ROOT, create("/alone").overwrite().lease()));
        assertTrue(!isClosed("/in-a-batch") && !isClosed("/alone") && isClosed("/none"));
    }

    @Test
    void whatWasDoneBeforeTheStartIsAnsweredAsTheFirstTime() throws IOException {
        rig.restart(1);
        Create first = create("/f").sequence(1);
        Create second = create("/f").sequence(2).overwrite();
        long old = entry(rig.ask(HandlerRig.ROOT, first)).inode();
        EntryDecoder entry = entry(rig.ask(HandlerRig.ROOT, second));
        long id = entry.inode();
        long mtime = entry.mtimeNanos();
        assertEquals(old, entry.removedId());
        rig.restart(3);
        EntryDecoder again = entry(rig.ask(HandlerRig.ROOT, second));
        assertEquals(id, again.inode());
        assertEquals(Namespace.ROOT_ID, again.parentId());
        assertEquals(mtime, again.mtimeNanos());
        assertEquals(0640, again.mode());
        assertEquals(old, again.removedId());
        assertEquals(Grants.WRITE, again.grant() & ACCESS);
        again = entry(rig.ask(HandlerRig.ROOT, first));
        assertEquals(old, again.inode(), "though it is gone");
        assertEquals(0, again.removedId());
        assertEquals(0, again.grant() & ACCESS);
        assertEquals(id, rig.stat(Namespace.ROOT_ID, "f").id, "nothing is done twice");
    }

    @Test
    void theRecordOfARenameAnswersNoCreateThatReplacesNothing() throws IOException {
        rig.restart(1);
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, create("/f").sequence(1)));
        assertEquals(
                ResultCode.OK,
                rig.outcome(HandlerRig.ROOT, create("/f").sequence(2).overwrite()));
        rig.restart(3);
        assertEquals(
                ResultCode.OUTCOME_UNKNOWN,
                rig.outcome(HandlerRig.ROOT, create("/f").sequence(2)));
    }
}
