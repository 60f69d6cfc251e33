package io.hmfs.server.exec;

import java.util.concurrent.RejectedExecutionException;

/** The reply to a change that came again while it was still being executed: it is sent when the first one has its answer. */
record AwaitedReply(Worker worker, Session session, Outcomes outcomes, long sequence, long correlationId) {
    /** From any thread. */
    void send() {
        try {
            session.onThread(() -> {
                LateReply reply = new LateReply(session.allocator());
                if (!outcomes.replay(sequence, correlationId, reply)) {
                    worker.reply.aim(reply, correlationId);
                    worker.once.forgotten();
                }
                session.end(reply.buffer(), 0);
            });
        } catch (RejectedExecutionException e) {
            // the server stops and did not wait any longer: the connection's thread has ended
        }
    }
}
