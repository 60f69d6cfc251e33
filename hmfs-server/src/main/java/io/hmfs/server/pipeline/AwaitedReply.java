package io.hmfs.server.pipeline;

import io.hmfs.server.request.LateReply;
import io.hmfs.server.request.Reply;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.server.transport.ReplyChannel;
import java.util.concurrent.RejectedExecutionException;

/**
 * The reply to a change that came again while it was still being executed: it is sent when the first one has its answer.
 *
 * @param reply the encoder of the connection's thread
 */
record AwaitedReply(ReplyChannel channel, RetryCache retries, long sequence, long correlationId, Reply reply)
        implements RetryCache.Waiter {
    @Override
    public void answered() {
        try {
            channel.onThread(() -> {
                LateReply late = new LateReply(channel);
                if (!retries.replay(sequence, correlationId, late)) {
                    reply.aim(late, correlationId);
                    reply.forgotten();
                }
                channel.end(late.buffer(), 0);
            });
        } catch (RejectedExecutionException e) {
            // the server stops and did not wait any longer: the connection's thread has ended
        }
    }
}
