package io.hmfs.server.pipeline;

import io.hmfs.client.ResultCode;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.AuthenticationException;
import io.hmfs.server.access.Authenticator;
import io.hmfs.server.access.Caller;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.request.LateReply;
import io.hmfs.server.request.Login;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.Session;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.ResponseDecoder;
import io.hmfs.wire.Wire;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The first exchange of a connection: which version, which cluster, which user, and the proof of that, in as many messages as its method
 * of authentication takes. A peer without a {@link Login} has said nothing; one with a Login has been challenged. Anything wrong ends
 * the connection.
 */
final class Handshake {
    private static final System.Logger LOG = System.getLogger(Handshake.class.getName());
    private static final UUID ANY = new UUID(0, 0);

    private static final long UNNUMBERED = 0;

    /** More tokens than any method has use for. */
    private static final int TOKENS_MAX = 16;

    private final Service service;
    private final Request request;
    private final RequestObserver observer;
    private final HelloDecoder hello = new HelloDecoder();
    private final ResponseDecoder response = new ResponseDecoder();
    private final Name user = new Name();
    private final Name realUser = new Name();

    Handshake(Service service, Request request, RequestObserver observer) {
        this.service = service;
        this.request = request;
        this.observer = observer;
    }

    /** False if the peer was refused. */
    boolean run(Session session) {
        Login login = session.login();
        if (login != null) {
            return request.kind() == RequestKind.RESPONSE
                    ? respond(session, login)
                    : refuse(
                            session,
                            ResultCode.BAD_REQUEST,
                            "the server has sent a Challenge, which is answered by Response");
        }
        if (request.kind() != RequestKind.HELLO) {
            return refuse(session, ResultCode.BAD_REQUEST, "a connection begins with Hello");
        }
        // Magic and protocol version stand at the same place in every version; the rest is read only if the version is
        // ours.
        hello.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        if (hello.magic() != Wire.MAGIC) {
            return refuse(session, ResultCode.BAD_REQUEST, "this is an HMFS server; the magic number is another");
        }
        if (hello.protocolVersion() != Wire.PROTOCOL_VERSION) {
            return refuse(
                    session,
                    ResultCode.UNSUPPORTED_VERSION,
                    "the server speaks protocol version " + Wire.PROTOCOL_VERSION + ", the client "
                            + hello.protocolVersion() + "; use a client of the server's release, "
                            + service.info.serverVersion());
        }
        if (!isKnownVersion()) {
            return refuseVersion(session);
        }
        request.checkBlock(HelloDecoder.BLOCK_LENGTH);
        int number = hello.authMethod();
        Authenticator method = service.authenticators.of(number);
        if (method == null) {
            return refuse(
                    session,
                    ResultCode.ACCESS_DENIED,
                    "authentication method " + number + " is unknown here; this server takes "
                            + service.authenticators);
        }
        UUID expected = new UUID(hello.clusterId().high(), hello.clusterId().low());
        UUID own = service.info.clusterId();
        if (!expected.equals(ANY) && !expected.equals(own)) {
            return refuse(
                    session,
                    ResultCode.WRONG_CLUSTER,
                    "this server holds cluster " + own + ", the client expects " + expected);
        }
        take(user, hello.limit() + HelloDecoder.userHeaderLength(), hello.userLength());
        hello.skipUser();
        byte[] token = token(hello.limit() + HelloDecoder.tokenHeaderLength(), hello.tokenLength());
        hello.skipToken();
        take(realUser, hello.limit() + HelloDecoder.realUserHeaderLength(), hello.realUserLength());
        if (user.check() != Status.OK || (realUser.length() > 0 && realUser.check() != Status.OK)) {
            return refuse(session, ResultCode.BAD_REQUEST, "a user's name has 1 to 255 bytes, without NUL and slash");
        }
        long oldest = hello.oldestSequence();
        long next = hello.nextSequence();
        if (next < oldest || oldest < UNNUMBERED || next > RetryCache.SEQUENCE_MAX) {
            return refuse(
                    session, ResultCode.BAD_REQUEST, "the oldest sequence is at most the next, and that at most 2^60");
        }
        String name = user.toString();
        String proxy = realUser.toString();
        Authenticator.Exchange exchange = method.begin(proxy.isEmpty() ? name : proxy, from(session));
        Login begun =
                new Login(name, proxy.equals(name) ? "" : proxy, hello.clientId(), oldest, next, method, exchange);
        session.login(begun);
        return proceed(session, begun, token);
    }

    private boolean respond(Session session, Login login) {
        if (!isKnownVersion()) {
            return refuseVersion(session);
        }
        request.checkBlock(ResponseDecoder.BLOCK_LENGTH);
        response.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        byte[] token = token(response.limit() + ResponseDecoder.tokenHeaderLength(), response.tokenLength());
        return proceed(session, login, token);
    }

    private boolean isKnownVersion() {
        int version = request.version();
        return version != 0 && version <= MessageHeaderDecoder.SCHEMA_VERSION;
    }

    private boolean refuseVersion(Session session) {
        return refuse(
                session,
                ResultCode.UNSUPPORTED_VERSION,
                "the server knows versions up to " + MessageHeaderDecoder.SCHEMA_VERSION
                        + " of the schema, the client sends " + request.version()
                        + "; use a client of the server's release, " + service.info.serverVersion());
    }

    private void take(Name into, int at, int length) {
        request.in().check(at, length);
        if (length <= Name.LENGTH_MAX) {
            request.in().getBytes(at, into.buffer(), 0, length);
        }
        into.seal(length);
    }

    private byte[] token(int at, int length) {
        request.in().check(at, length);
        byte[] token = new byte[length];
        request.in().getBytes(at, token, 0, length);
        return token;
    }

    /** What a token leads to. {@code caller}: who the peer is, if it has proved it. */
    private record Outcome(
            Authenticator.Step step, @Nullable Caller caller) {}

    /**
     * Answers a token: at once if the step is done, else when it is, and no other frame of the connection is read until then. False if the peer
     * was refused at once.
     */
    private boolean proceed(Session session, Login login, byte[] token) {
        if (login.countToken() > TOKENS_MAX) {
            return refuse(
                    session,
                    ResultCode.ACCESS_DENIED,
                    "authentication by " + login.method().label() + " takes more than " + TOKENS_MAX + " messages");
        }
        CompletableFuture<Outcome> outcome = step(login, token)
                .thenCompose(step -> step.challenge() == null
                        ? service.callers
                                .of(login.user(), session.host())
                                .thenApply(caller -> new Outcome(step, caller))
                        : CompletableFuture.completedFuture(new Outcome(step, null)));
        if (outcome.isDone()) {
            boolean goesOn = answer(session, login, outcome);
            if (!goesOn) {
                session.channel().closeWhenSent();
            }
            return goesOn;
        }
        long correlationId = request.reply().correlationId();
        session.beginGreeting();
        session.channel().begin(0);
        var _ = outcome.whenComplete(
                (_, _) -> session.channel().onThread(() -> answerLate(session, login, outcome, correlationId)));
        return true;
    }

    /** What a method makes of a token. An error of its own is the server's, and the client is told no more than that. */
    private static CompletableFuture<Authenticator.Step> step(Login login, byte[] token) {
        CompletableFuture<Authenticator.Step> step;
        try {
            step = login.exchange().next(token);
        } catch (RuntimeException e) {
            step = CompletableFuture.failedFuture(e);
        }
        return step.exceptionallyCompose(e -> CompletableFuture.failedFuture(
                cause(e) instanceof AuthenticationException refused
                        ? refused
                        : new AuthenticationException("the server could not do it; its log tells why", e)));
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private void answerLate(Session session, Login login, CompletableFuture<Outcome> outcome, long correlationId) {
        LateReply target = new LateReply(session.channel());
        boolean goesOn = false;
        session.endGreeting();
        try {
            request.reply().aim(target, correlationId);
            goesOn = answer(session, login, outcome);
        } catch (Throwable unexpected) { // as in Pipeline; the connection must not wait for its greeting for ever
            target.buffer().clear();
            service.fail(unexpected);
        }
        session.channel().end(target.buffer(), 0);
        if (!goesOn) {
            observer.refused();
            session.channel().closeWhenSent();
        }
    }

    private boolean answer(Session session, Login login, CompletableFuture<Outcome> done) {
        if (done.isCompletedExceptionally()) {
            return fail(session, login, done.exceptionNow()); // the login ends with the connection
        }
        Outcome outcome = done.join();
        byte[] challenge = outcome.step.challenge();
        Caller caller = outcome.caller;
        if (challenge != null) {
            request.reply().challenge(challenge);
            return true;
        }
        session.endLogin();
        return caller != null && welcome(session, login, caller);
    }

    private boolean fail(Session session, Login login, Throwable failure) {
        Throwable cause = cause(failure);
        LOG.log(Level.WARNING, "refused " + session.peer(), cause);
        if (cause instanceof AuthenticationException) {
            request.reply()
                    .failure(
                            ResultCode.ACCESS_DENIED,
                            "authentication by " + login.method().label() + " failed: " + cause.getMessage());
        } else {
            request.reply().failure(ResultCode.TIMEOUT, String.valueOf(cause.getMessage()));
        }
        return false;
    }

    private boolean welcome(Session session, Login login, Caller caller) {
        String refusal = refusal(session, caller, login.realUser());
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
        session.greet(caller, login.realUser(), login.clientId());
        session.share(service.disk.join(caller.name(), login.clientId()));
        boolean survives = false;
        if (login.next() != UNNUMBERED) {
            @Nullable
            RetryCache retries = request.partition().retries().join(session.client(), login.oldest(), login.next());
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
        return realUser.isEmpty() ? null : service.callers.refusal(realUser, caller, from(session));
    }

    private static @Nullable InetAddress from(Session session) {
        return session.channel().remote() instanceof InetSocketAddress remote ? remote.getAddress() : null;
    }

    private boolean refuse(Session session, ResultCode code, String message) {
        LOG.log(Level.WARNING, "refused {0}: {1}", session.peer(), message);
        request.reply().failure(code, message);
        session.channel().closeWhenSent();
        return false;
    }
}
