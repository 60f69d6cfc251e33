package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.Wire;
import java.lang.System.Logger.Level;
import java.util.UUID;

/** The first exchange of a connection: who speaks, which version, which cluster. Anything wrong ends the connection. */
final class Handshake {
    private static final System.Logger LOG = System.getLogger(Handshake.class.getName());
    private static final UUID ANY = new UUID(0, 0);

    private final Worker worker;
    private final HelloDecoder hello = new HelloDecoder();
    private final Name user = new Name();

    Handshake(Worker worker) {
        this.worker = worker;
    }

    /** False if the peer was refused. */
    boolean run(Session session) {
        if (worker.header.templateId() != HelloDecoder.TEMPLATE_ID) {
            refuse(session, ResultCode.BAD_REQUEST, "a connection begins with Hello");
            return false;
        }
        // Magic and protocol version stand at the same place in every version; the rest is read only if the version is
        // ours.
        hello.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
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
                            + worker.service.info.serverVersion());
            return false;
        }
        worker.checkBlock(HelloDecoder.BLOCK_LENGTH);
        UUID expected = new UUID(hello.clusterId().high(), hello.clusterId().low());
        UUID own = worker.service.info.clusterId();
        if (!expected.equals(ANY) && !expected.equals(own)) {
            refuse(
                    session,
                    ResultCode.WRONG_CLUSTER,
                    "this server holds cluster " + own + ", the client expects " + expected);
            return false;
        }
        int length = hello.userLength();
        int at = hello.limit() + HelloDecoder.userHeaderLength();
        worker.in.check(at, length);
        if (length <= Name.LENGTH_MAX) {
            worker.in.getBytes(at, user.buffer(), 0, length);
        }
        user.seal(length);
        if (user.check() != Status.OK) {
            refuse(session, ResultCode.BAD_REQUEST, "a user's name has 1 to 255 bytes, without NUL and slash");
            return false;
        }
        int uid = worker.namespace.principalId(user.toString());
        if (uid < 0) {
            refuse(session, ResultCode.NO_SPACE, "the pool has no room for one more user's name: " + user);
            return false;
        }
        session.greet(uid, hello.clientId());
        worker.reply.welcome(worker.service.info);
        return true;
    }

    private void refuse(Session session, ResultCode code, String message) {
        LOG.log(Level.WARNING, "refused {0}: {1}", session.peer(), message);
        worker.reply.failure(code, message);
        session.closeWhenSent();
    }
}
