package io.hmfs.server.pipeline;

import static io.hmfs.server.pipeline.BareService.FRAME_MAX;
import static io.hmfs.server.pipeline.BareService.window;

import io.hmfs.core.Namespace;
import io.hmfs.server.lease.Leases;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RemoveXattrEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.RmdirEncoder;
import io.hmfs.wire.SetTimesEncoder;
import io.hmfs.wire.SetXattrEncoder;
import io.hmfs.wire.TruncateEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Changes that the client 1 numbers, sent to a worker one by one, and their answers. */
@SuppressWarnings("NullAway.Init")
abstract class NumberedChangeRequests {
    LateSession session = new LateSession();
    Pipeline worker;

    final WireBuffer reply() {
        worker.endBatch();
        int length = session.replies.readIntLE();
        WireBuffer reply = new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length);
        session.replies.skipBytes(length);
        return reply;
    }

    final WireBuffer create(long sequence, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        worker.frame(session, frame, 0, create(frame, sequence, path));
        return reply();
    }

    final WireBuffer overwrite(long sequence, String path) {
        return create(sequence, path, true, Leases.NONE);
    }

    final WireBuffer create(long sequence, String path, boolean overwrite, long lease) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = create(frame, sequence, path);
        new CreateEncoder()
                .wrap(window(frame), Wire.HEADER_SIZE)
                .lease(lease)
                .flags()
                .clear()
                .overwrite(overwrite);
        worker.frame(session, frame, 0, length);
        return reply();
    }

    static int create(ByteBuf frame, long sequence, String path) {
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .mode(0644)
                .parentMode(0755)
                .unmaskedMode(0644);
        create.flags().clear();
        return create.path(path).limit();
    }

    final WireBuffer rename(long sequence, String from, String to) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        RenameEncoder rename = new RenameEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .sourceBaseId(Wire.ROOT_ID)
                .targetBaseId(Wire.ROOT_ID);
        rename.flags().clear();
        worker.frame(session, frame, 0, rename.source(from).target(to).limit());
        return reply();
    }

    final WireBuffer rmdir(long sequence, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        RmdirEncoder rmdir = new RmdirEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID);
        worker.frame(session, frame, 0, rmdir.path(path).limit());
        return reply();
    }

    final WireBuffer setTimes(long sequence, String path, long atime) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        SetTimesEncoder times = new SetTimesEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .mtimeNanos(Namespace.KEEP)
                .atimeNanos(atime);
        worker.frame(session, frame, 0, times.path(path).limit());
        return reply();
    }

    final WireBuffer truncate(long sequence, String path, long size) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        TruncateEncoder truncate = new TruncateEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .size(size);
        worker.frame(session, frame, 0, truncate.path(path).limit());
        return reply();
    }

    final WireBuffer setXattr(long sequence, String path, String attribute) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        SetXattrEncoder set = new SetXattrEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID);
        set.flags().clear().create(true);
        set.path(path).attribute(attribute).putValue(new byte[] {1}, 0, 1);
        worker.frame(session, frame, 0, set.limit());
        return reply();
    }

    final WireBuffer removeXattr(long sequence, String path, String attribute) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        RemoveXattrEncoder remove = new RemoveXattrEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID);
        worker.frame(session, frame, 0, remove.path(path).attribute(attribute).limit());
        return reply();
    }
}
