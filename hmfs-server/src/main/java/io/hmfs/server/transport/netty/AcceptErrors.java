package io.hmfs.server.transport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.lang.System.Logger.Level;

/**
 * The end of the listener's pipeline: an error here is one of accepting, as when there are no more file descriptors.
 * Netty's own handler before it has stopped to accept for a second by now, so neither this message nor the attempts
 * come more often.
 */
final class AcceptErrors extends ChannelInboundHandlerAdapter {
    private static final System.Logger LOG = System.getLogger(AcceptErrors.class.getName());

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.log(
                Level.WARNING,
                "cannot take a connection: {0}; trying again in a second. If there are too many open files, raise ulimit -n"
                        + " or lower connections-max",
                cause.getMessage());
    }
}
