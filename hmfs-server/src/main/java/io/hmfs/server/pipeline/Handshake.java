package io.hmfs.server.pipeline;

import io.hmfs.client.ResultCode;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Caller;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.request.LateReply;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.Session;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The first exchange of a connection: which user, which version, which cluster. Anything wrong ends the connection. */
final class Handshake {
    private static final System.Logger LOG = System.getLogger(Handshake.class.getName());
    private static final UUID ANY = new UUID(0, 0);

    private static final int SIMPLE = 1;
    private static final long UNNUMBERED = 0;

    private final Service service;
    private final Request request;
    private final RequestObserver observer;
    private final HelloDecoder hello = new HelloDecoder();
    private final Name user = new Name();
    private final Name realUser = new Name();

    Handshake(Service service, Request request, RequestObserver observer) {
        this.service = service;
        this.request = request;
        this.observer = observer;
    }

    /** False if the peer was refused. */
    boolean run(Session session) {
        if (request.kind() != RequestKind.HELLO) {
            refuse(session, ResultCode.BAD_REQUEST, "a connection begins with Hello");
            return false;
        }
        // Magic and protocol version stand at the same place in every version; the rest is read only if the version is
        // ours.
        hello.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        if (hello.magic() != Wire.MAGIC) {
            refuse(session, ResultCode.BAD_REQUEST, "this is an HMFS server; the magic number is another");
            return false;
        }
        if (hello.protocolVersion() != Wire.PROTOCOL_VERSION) {
            refuse(
                    session,
                    ResultCode.UNSUPPORTED_VERSION,
                    "the server speaks protocol version " + Wire.PROTOCOL_VERSION + ", the client "
                            + hello.protocolVersion() + "; use a client of the server's release, "
                            + service.info.serverVersion());
            return false;
        }
        int version = request.version();
        if (version == 0 || version > MessageHeaderDecoder.SCHEMA_VERSION) {
            refuse(
                    session,
                    ResultCode.UNSUPPORTED_VERSION,
                    "the server knows versions up to " + MessageHeaderDecoder.SCHEMA_VERSION
                            + " of the schema, the client sends " + version + "; use a client of the server's release, "
                            + service.info.serverVersion());
            return false;
        }
        request.checkBlock(HelloDecoder.BLOCK_LENGTH);
        int method = hello.authMethod();
        if (method != SIMPLE) {
            refuse(
                    session,
                    ResultCode.ACCESS_DENIED,
                    "authentication method " + method + " is unknown here; this server takes 1, simple");
            return false;
        }
        UUID expected = new UUID(hello.clusterId().high(), hello.clusterId().low());
        UUID own = service.info.clusterId();
        if (!expected.equals(ANY) && !expected.equals(own)) {
            refuse(
                    session,
                    ResultCode.WRONG_CLUSTER,
                    "this server holds cluster " + own + ", the client expects " + expected);
            return false;
        }
        take(user, hello.limit() + HelloDecoder.userHeaderLength(), hello.userLength());
        hello.skipUser();
        request.in().check(hello.limit() + HelloDecoder.tokenHeaderLength(), hello.tokenLength());
        hello.skipToken();
        take(realUser, hello.limit() + HelloDecoder.realUserHeaderLength(), hello.realUserLength());
        if (user.check() != Status.OK || (realUser.length() > 0 && realUser.check() != Status.OK)) {
            refuse(session, ResultCode.BAD_REQUEST, "a user's name has 1 to 255 bytes, without NUL and slash");
            return false;
        }
        String name = user.toString();
        String proxy = realUser.toString();
        Introduction introduction = new Introduction(
                proxy.equals(name) ? "" : proxy, hello.clientId(), hello.oldestSequence(), hello.nextSequence());
        if (introduction.next < introduction.oldest
                || introduction.oldest < UNNUMBERED
                || introduction.next > RetryCache.SEQUENCE_MAX) {
            refuse(session, ResultCode.BAD_REQUEST, "the oldest sequence is at most the next, and that at most 2^60");
            return false;
        }
        return greet(session, service.callers.of(name), introduction);
    }

    private void take(Name into, int at, int length) {
        request.in().check(at, length);
        if (length <= Name.LENGTH_MAX) {
            request.in().getBytes(at, into.buffer(), 0, length);
        }
        into.seal(length);
    }

    /** What the client has said of itself. */
    private record Introduction(String realUser, long clientId, long oldest, long next) {}

    /** At once if the user is known; else after the look-up, for which other frames of the connection wait. False if refused at once. */
    private boolean greet(Session session, CompletableFuture<Caller> lookup, Introduction introduction) {
        if (lookup.isDone()) {
            boolean welcome = answer(session, lookup, introduction);
            if (!welcome) {
                session.channel().closeWhenSent();
            }
            return welcome;
        }
        long correlationId = request.reply().correlationId();
        session.beginGreeting();
        session.channel().begin(0);
        var _ = lookup.whenComplete(
                (_, _) -> session.channel().onThread(() -> answerLate(session, lookup, introduction, correlationId)));
        return true;
    }

    private void answerLate(
            Session session, CompletableFuture<Caller> lookup, Introduction introduction, long correlationId) {
        LateReply target = new LateReply(session.channel());
        boolean welcome = false;
        try {
            request.reply().aim(target, correlationId);
            welcome = answer(session, lookup, introduction);
        } catch (Throwable unexpected) { // as in Pipeline; the connection must not wait for its greeting for ever
            target.buffer().clear();
            service.fail(unexpected);
        }
        session.channel().end(target.buffer(), 0);
        if (!welcome) {
            observer.refused();
            session.channel().closeWhenSent();
        }
    }

    private boolean answer(Session session, CompletableFuture<Caller> lookup, Introduction introduction) {
        if (lookup.isCompletedExceptionally()) {
            Throwable cause = lookup.exceptionNow();
            LOG.log(Level.WARNING, "refused " + session.peer(), cause);
            request.reply().failure(ResultCode.TIMEOUT, String.valueOf(cause.getMessage()));
            return false;
        }
        Caller caller = lookup.join();
        String refusal = refusal(session, caller, introduction.realUser);
        if (refusal != null) {
            LOG.log(Level.WARNING, "refused {0}: {1}", session.peer(), refusal.replaceAll("\\p{Cntrl}", "?"));
            request.reply().failure(ResultCode.ACCESS_DENIED, refusal);
            return false;
        }
        UserShares.Account account = service.shares().join(caller.mark(), caller.name(), caller.isUnlimited());
        if (!session.channel().identify(account)) {
            String full = account.refusal(Resource.CONNECTIONS);
            account.leave();
            return refuseForNow(session, full);
        }
        session.compressFrom(service.compression.from(session.channel().remote()));
        session.greet(caller, introduction.realUser, introduction.clientId);
        session.share(service.disk.join(caller.name(), introduction.clientId));
        boolean survives = false;
        if (introduction.next != UNNUMBERED) {
            @Nullable
            RetryCache retries =
                    request.partition().retries().join(session.client(), introduction.oldest, introduction.next);
            if (retries == null) {
                return refuseForNow(session, account.refusal(Resource.ANSWER_BYTES));
            }
            survives = retries.ring() != NumberedChanges.NONE;
            session.number(retries);
        }
        request.reply().welcome(service.info, service.incarnation, RetryCache.KEPT, survives);
        return true;
    }

    /** A user's share is full. */
    private boolean refuseForNow(Session session, String message) {
        LOG.log(Level.WARNING, "refused {0}: {1}", session.peer(), message);
        observer.meter().add(WorkerMeter.Tally.CONNECTIONS_REFUSED, 1);
        request.reply().failure(ResultCode.TOO_MANY_CONNECTIONS, message);
        return false;
    }

    private @Nullable String refusal(Session session, Caller caller, String realUser) {
        InetAddress from = session.channel().remote() instanceof InetSocketAddress remote ? remote.getAddress() : null;
        return realUser.isEmpty() ? null : service.callers.refusal(realUser, caller, from);
    }

    private void refuse(Session session, ResultCode code, String message) {
        LOG.log(Level.WARNING, "refused {0}: {1}", session.peer(), message);
        request.reply().failure(code, message);
        session.channel().closeWhenSent();
    }
}
