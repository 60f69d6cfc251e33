package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.server.access.Grants;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the record of a change answers that change and gives no user more than that user may have now.
 * Method: a user that is checked, and a service after another on one pool, as after a crash.
 */
class RecordedTest extends NumberedChangeRequests {
    private static final int ACCESS = 0xFF; // bits of a grant
    private static final long LEASE = 9;

    @TempDir
    private Path directory;

    private final Attributes attributes = new Attributes();
    private ServerNamespace namespace;
    private Meters meters;
    private ServerMetrics metrics;
    private long shared;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        int alice = namespace.principalId("alice");
        int staff = namespace.principalId("staff");
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("d"), 0777, alice, staff, attributes));
        shared = attributes.id;
        assertEquals(Status.OK, namespace.create(shared, Name.of("hers"), 0600, alice, staff, attributes));
        start(1);
    }

    @AfterEach
    void close() {
        metrics.close();
        namespace.close();
    }

    /** A service that knows nothing but what is in the pool; the user has sent what is below {@code next}. */
    private void start(long next) throws IOException {
        worker = BareService.greeted(
                namespace,
                directory.resolve("key"),
                "boss",
                List.of("staff"),
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                Runnable::run,
                new LateSession());
        session = new LateSession();
        BareService.greet(worker, "u", session, 1, next);
        session.replies.clear();
    }

    private static void assertUnknown(WireBuffer reply) {
        assertEquals(FailureDecoder.TEMPLATE_ID, template(reply));
        assertEquals(
                ResultCode.OUTCOME_UNKNOWN,
                ResultCode.of(new FailureDecoder()
                        .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                        .code()));
    }

    private static int template(WireBuffer reply) {
        return new MessageHeaderDecoder().wrap(reply, 0).templateId();
    }

    private static EntryDecoder entry(WireBuffer reply) {
        assertEquals(EntryDecoder.TEMPLATE_ID, template(reply));
        return new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    /** Which may be one that leaves no list on what is made: then the mode alone tells of it. */
    @Test
    void theModeThatADefaultListHasGivenIsAnsweredAgain() throws IOException {
        long[] list = {
            Acl.entry(true, Acl.USER, 7), Acl.entry(true, Acl.GROUP, 0), Acl.entry(true, Acl.OTHER, 0),
        };
        assertEquals(Status.OK, namespace.changeAcl(Namespace.ROOT_ID, Name.of("d"), object -> {
            object.acl = list;
            return Status.OK;
        }));
        assertEquals(0600, entry(create(1, "/d/inherits")).mode());
        start(1);
        assertEquals(0600, entry(create(1, "/d/inherits")).mode());
    }

    /** What is removed with it, in a place where no path leads, has no number. */
    @Test
    void aDirectoryThatWasRemovedWithItsQuotaIsSaidToBeSo() throws IOException {
        assertEquals(Status.OK, namespace.mkdir(shared, Name.of("limited"), 0777, 0, 0, attributes));
        assertEquals(Status.OK, worker.service.partition.quotas().set(attributes.id, 10, 10));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(rmdir(1, "/d/limited")));
        assertEquals(0, worker.service.partition.quotas().size());
        start(1);
        assertEquals(DoneDecoder.TEMPLATE_ID, template(rmdir(1, "/d/limited")));
    }

    @Test
    void theNumberOfARenameOpensNoFile() throws IOException {
        assertEquals(DoneDecoder.TEMPLATE_ID, template(rename(1, "/d/hers", "/d/moved")));
        start(2);
        WireBuffer forged = create(1, "/d/moved");
        assertUnknown(forged);
        assertEquals(DoneDecoder.TEMPLATE_ID, template(rename(1, "/d/hers", "/d/moved")), "the change itself");
    }

    @Test
    void aCreateThatComesAgainGetsItsGrantWhileTheFileIsItsUsers() throws IOException {
        long id = entry(create(1, "/d/own")).inode();
        start(2);
        EntryDecoder again = entry(create(1, "/d/own"));
        assertEquals(id, again.inode());
        assertEquals(Grants.WRITE | Grants.OWNER, again.grant() & ACCESS);
        int alice = namespace.principalId("alice");
        assertEquals(Status.OK, namespace.chown(shared, Name.of("own"), alice, namespace.principalId("staff")));
        start(2);
        EntryDecoder later = entry(create(1, "/d/own"));
        assertEquals(id, later.inode(), "it is the first answer");
        assertEquals(0, later.grant() & ACCESS, "and opens nothing any more");
    }

    @Test
    void aCreateThatComesAgainGetsItsLeaseWhileTheFileIsItsUsers() throws IOException {
        long id = entry(create(1, "/d/own", false, LEASE)).inode();
        worker.service.partition.leases().removed(id); // as if the server had died between the commit and the lease
        start(2);
        assertTrue(worker.service.partition.leases().isClosed(id));
        create(1, "/d/own", false, LEASE);
        assertFalse(worker.service.partition.leases().isClosed(id));
        int alice = namespace.principalId("alice");
        assertEquals(Status.OK, namespace.chown(shared, Name.of("own"), alice, alice));
        worker.service.partition.leases().removed(id);
        start(2);
        assertEquals(id, entry(create(1, "/d/own", false, LEASE)).inode());
        assertTrue(worker.service.partition.leases().isClosed(id));
    }

    @Test
    void theNumberOfARenameOpensNoDirectory() throws IOException {
        assertEquals(Status.OK, namespace.mkdir(shared, Name.of("sub"), 0777, 0, 0, attributes));
        rename(1, "/d/sub", "/d/moved");
        start(2);
        assertEquals(0, entry(create(1, "/d/moved", true, LEASE)).grant() & ACCESS);
        assertTrue(worker.service.partition.leases().isClosed(attributes.id));
    }

    @Test
    void anOverwriteThatComesAgainIsTheSameFileAndTellsAgainWhatItRemoved() throws IOException {
        long old = entry(create(1, "/d/own")).inode();
        EntryDecoder first = entry(overwrite(2, "/d/own"));
        long id = first.inode();
        assertEquals(old, first.removedId());
        long mtime = first.mtimeNanos();
        long ctime = first.ctimeNanos();
        start(3);
        EntryDecoder again = entry(overwrite(2, "/d/own"));
        assertEquals(id, again.inode());
        assertEquals(shared, again.parentId());
        assertEquals(old, again.removedId());
        assertEquals(0644, again.mode());
        assertEquals(mtime, again.mtimeNanos());
        assertEquals(ctime / 1_000_000, again.ctimeNanos() / 1_000_000, "which stands in a word that is coarser");
        assertEquals(Grants.WRITE | Grants.OWNER, again.grant() & ACCESS);
        assertEquals(Status.OK, namespace.stat(shared, Name.of("own"), attributes));
        assertEquals(id, attributes.id, "it was not executed again");
        assertUnknown(create(2, "/d/own"));
        start(3);
        assertEquals(0, entry(overwrite(2, "/d/hers")).grant() & ACCESS, "another path opens nothing");
    }

    @Test
    void anOverwriteThatFoundNothingIsAPlainCreateAlsoInItsRecord() throws IOException {
        long id = entry(overwrite(1, "/d/own")).inode();
        start(2);
        EntryDecoder again = entry(overwrite(1, "/d/own"));
        assertEquals(id, again.inode());
        assertEquals(0, again.removedId());
    }

    @Test
    void aCreateThatComesAgainWithAnotherPathOpensNothing() throws IOException {
        create(1, "/d/own");
        start(2);
        assertEquals(0, entry(create(1, "/d/hers")).grant() & ACCESS);
    }

    /** Each is sent again after a start, and must not be executed again; nor does its number answer what it is not. */
    @Test
    void changesOfAttributesAreAnsweredByTheirOwnKindOnly() throws IOException {
        Name own = Name.of("own");
        entry(create(1, "/d/own"));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(setTimes(2, "/d/own", 77)));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(setXattr(3, "/d/own", "user.a")));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(setXattr(4, "/d/own", "user.b")));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(removeXattr(5, "/d/own", "user.b")));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(truncate(6, "/d/own", 10)));
        start(7);
        // Of others, meanwhile: none of it is done again.
        assertEquals(Status.OK, namespace.setTimes(shared, own, Namespace.KEEP, 5));
        assertEquals(Status.OK, namespace.removeXattr(shared, own, Name.of("user.a")));
        assertEquals(Status.OK, namespace.setXattr(shared, own, Name.of("user.b"), new byte[1], XattrMode.CREATE));
        assertEquals(Status.OK, namespace.truncate(shared, own, 20));
        assertUnknown(truncate(2, "/d/own", 10));
        assertUnknown(setTimes(3, "/d/own", 77));
        assertUnknown(removeXattr(4, "/d/own", "user.b"));
        assertUnknown(setXattr(5, "/d/own", "user.b"));
        assertUnknown(setXattr(6, "/d/own", "user.b"));
        start(7);
        assertEquals(DoneDecoder.TEMPLATE_ID, template(setTimes(2, "/d/own", 77)));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(setXattr(3, "/d/own", "user.a")));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(removeXattr(5, "/d/own", "user.b")));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(truncate(6, "/d/own", 10)));
        assertEquals(Status.OK, namespace.stat(shared, own, attributes));
        assertEquals(5, attributes.atimeNanos);
        assertEquals(20, attributes.size);
        List<Name> names = new ArrayList<>();
        assertEquals(Status.OK, namespace.listXattrs(shared, own, names));
        assertEquals("[user.b]", names.toString());
    }

    @Test
    void whatHasFailedLeavesNoRecord() throws IOException {
        entry(create(1, "/d/own"));
        assertEquals(FailureDecoder.TEMPLATE_ID, template(removeXattr(2, "/d/own", "user.a")));
        start(3);
        assertEquals(
                Status.OK,
                namespace.setXattr(shared, Name.of("own"), Name.of("user.a"), new byte[1], XattrMode.CREATE));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(removeXattr(2, "/d/own", "user.a")), "executed as a new one");
    }
}
