package io.hmfs.client;

import io.hmfs.wire.CensusEncoder;
import io.hmfs.wire.ObjectsEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** Makes the calls of {@link Census}. All may be sent again. */
final class CensusCalls {
    private static final byte[] NONE = {};

    private CensusCalls() {}

    /** {@code from} null: the walk begins. */
    static Call<Census.Page> census(Census.@org.jspecify.annotations.Nullable Page from, byte[] directories) {
        return new Call<>("census", "") {
            @Override
            int bound() {
                return Wire.HEADER_SIZE + CensusEncoder.BLOCK_LENGTH + Integer.BYTES + directories.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.census
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .incarnation(from == null ? 0 : from.incarnation())
                        .moved(from == null ? 0 : from.moved())
                        .cursorBirth(from == null ? 0 : from.cursor().birth())
                        .cursorAt(from == null ? 0 : from.cursor().at())
                        .cursorStart(from == null ? 0 : from.cursor().start())
                        .putDirectories(directories, 0, directories.length)
                        .limit();
            }

            @Override
            Census.Page decode(Replies replies, WireBuffer in) throws IOException {
                return replies.census(in);
            }
        };
    }

    static Call<Census.Objects> objects(Census.Objects from) {
        return objects("list objects", from, 0, NONE);
    }

    static Call<Census.Objects> remove(long incarnation, byte[] objects) {
        return objects("remove objects", Census.Objects.START, incarnation, objects);
    }

    private static Call<Census.Objects> objects(
            String operation, Census.Objects from, long incarnation, byte[] removed) {
        return new Call<>(operation, "") {
            @Override
            int bound() {
                return Wire.HEADER_SIZE + ObjectsEncoder.BLOCK_LENGTH + Integer.BYTES + removed.length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.objects
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .incarnation(incarnation)
                        .directory(from.directory())
                        .afterInode(from.afterInode())
                        .afterBlock(from.afterBlock())
                        .putRemoved(removed, 0, removed.length)
                        .limit();
            }

            @Override
            Census.Objects decode(Replies replies, WireBuffer in) throws IOException {
                return replies.objects(in);
            }
        };
    }
}
