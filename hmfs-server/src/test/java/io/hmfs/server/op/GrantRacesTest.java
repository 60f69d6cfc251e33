package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.Await;
import io.hmfs.server.access.Grants;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: when a change that takes a right away is answered, nothing that rests on the right comes any more, whatever was under way. Method: the
 * change comes between two steps of another request, which a lock or a call of the engine holds up there.
 */
@Timeout(60)
class GrantRacesTest {
    private static final long LEASE = 5;
    private static final byte[] DATA = {1, 2, 3};
    private static final Name NAME = Name.of("f");

    @TempDir
    private Path directory;

    private @Nullable Runnable afterStat;
    private @Nullable Runnable afterCreates;

    private static HandlerRig.Message setMode(int mode) {
        return (out, header) -> new SetModeEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(0)
                .baseId(Wire.ROOT_ID)
                .mode(mode)
                .path("/f")
                .limit();
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED;
    }

    @Test
    void aChangeOfTheModeWaitsForWritesThatAreUnderWay() throws Exception {
        try (HandlerRig rig = new HandlerRig(directory, true)) {
            long file = rig.create(Namespace.ROOT_ID, "f", 0666);
            Leases leases = rig.partition().leases();
            long write = leases.share(file, true);
            AtomicReference<ResultCode> outcome = new AtomicReference<>();
            Thread change = Thread.ofPlatform().start(() -> outcome.set(rig.outcome(HandlerRig.ROOT, setMode(0644))));
            Await.until("the change waits", () -> isWaiting(change));
            assertEquals(0666, rig.stat(Namespace.ROOT_ID, "f").mode);
            leases.unshare(file, write);
            change.join();
            assertEquals(ResultCode.OK, outcome.get());
            assertEquals(0644, rig.stat(Namespace.ROOT_ID, "f").mode);
        }
    }

    @Test
    void aWriteAndACommitThatWaitedForTheChangeAreRefused() throws Exception {
        try (HandlerRig rig = new HandlerRig(directory, true)) {
            long inode = rig.create(Namespace.ROOT_ID, "f", 0666);
            Leases leases = rig.partition().leases();
            for (boolean commit : new boolean[] {false, true}) {
                FileRequests.Opened file = FileRequests.openToWrite(rig, HandlerRig.USER, "/f", LEASE);
                HandlerRig.Message message = commit
                        ? FileRequests.append(0, Namespace.ROOT_ID, "f", file, 3, LEASE, false)
                        : FileRequests.write(file, 0, 0, DATA, LEASE);
                long change = leases.alone(inode, true);
                AtomicReference<ResultCode> outcome = new AtomicReference<>();
                Thread writer = Thread.ofPlatform().start(() -> outcome.set(rig.outcome(HandlerRig.USER, message)));
                Await.until("the writer waits", () -> isWaiting(writer));
                end(rig, inode, GrantEpochs.Cause.MODE);
                leases.endAlone(inode, change);
                writer.join();
                assertEquals(ResultCode.ACCESS_DENIED, outcome.get());
            }
            assertEquals(0, rig.stat(Namespace.ROOT_ID, "f").size);
        }
    }

    private static void end(HandlerRig rig, long inode, GrantEpochs.Cause cause) {
        GrantEpochs epochs = rig.partition().grantEpochs();
        assertEquals(true, epochs.prepare(inode, cause));
        epochs.end(inode, cause);
    }

    /** A namespace behind whose look-ups and creates another request comes, once. */
    private HandlerRig interrupted() throws IOException {
        return new HandlerRig(directory, real -> (ServerNamespace) Proxy.newProxyInstance(
                ServerNamespace.class.getClassLoader(), new Class<?>[] {ServerNamespace.class}, (_, method, with) -> {
                    try {
                        Object outcome = method.invoke(real, with);
                        if (method.getName().equals("stat")
                                && with != null
                                && NAME.toString().equals(String.valueOf(with[1]))) {
                            run(afterStat);
                        } else if (method.getName().equals("createAll")) {
                            run(afterCreates);
                        }
                        return outcome;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private void run(@Nullable Runnable once) {
        afterStat = null;
        afterCreates = null;
        if (once != null) {
            once.run();
        }
    }

    /** Between its look at the mode and the grant. */
    @Test
    void anOpenGrantsNothingThatRestsOnAModeOfBefore() throws IOException {
        try (HandlerRig rig = interrupted()) {
            long inode = rig.create(Namespace.ROOT_ID, "f", 0666);
            afterStat = () -> {
                assertEquals(Status.OK, rig.namespace().chmod(Namespace.ROOT_ID, NAME, 0644));
                end(rig, inode, GrantEpochs.Cause.MODE);
            };
            ResultCode outcome = rig.outcome(HandlerRig.USER, FileRequests.open("/f", false, true, 0));
            assertEquals(null, afterStat);
            assertEquals(ResultCode.ACCESS_DENIED, outcome);
        }
    }

    /** Before its maker has the grant. */
    @Test
    void aFileThatWasGivenAwayIsNotGrantedToItsMaker() throws IOException {
        try (HandlerRig rig = interrupted()) {
            long parent = rig.mkdir("d", 0777);
            int other = rig.namespace().principalId("other");
            for (boolean given : new boolean[] {true, false}) {
                String name = given ? "given" : "own";
                afterCreates = () -> {
                    Attributes made = rig.stat(parent, name);
                    if (given) {
                        assertEquals(Status.OK, rig.namespace().chown(parent, Name.of(name), other, Namespace.KEEP));
                    }
                    end(rig, made.id, GrantEpochs.Cause.OWNER);
                };
                EntryDecoder entry = FileRequests.entry(rig.ask(HandlerRig.USER, create("/d/" + name)));
                assertEquals(null, afterCreates);
                assertEquals(given ? 0 : Grants.WRITE | Grants.OWNER, entry.grant() & 0xFF);
                FileRequests.Opened file = new FileRequests.Opened(entry.inode(), entry.grant(), entry.seal());
                HandlerRig.Message append = FileRequests.append(0, parent, name, file, 3, 0, false);
                assertEquals(given ? ResultCode.ACCESS_DENIED : ResultCode.OK, rig.outcome(HandlerRig.USER, append));
            }
        }
    }

    private static HandlerRig.Message create(String path) {
        return (out, header) -> {
            CreateEncoder create = new CreateEncoder()
                    .wrapAndApplyHeader(out, 0, header)
                    .correlationId(1)
                    .clientId(1)
                    .baseId(Wire.ROOT_ID)
                    .mode(0644)
                    .unmaskedMode(0644);
            create.flags().clear();
            return create.path(path).limit();
        };
    }
}
