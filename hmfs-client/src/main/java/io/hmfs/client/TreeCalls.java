package io.hmfs.client;

import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** Makes the calls about whole trees. */
final class TreeCalls {
    static final byte[] START = {};

    private final MetadataCalls calls;

    TreeCalls(MetadataCalls calls) {
        this.calls = calls;
    }

    /** A part of a sum, and where the next one begins; empty: there is none. */
    static final class Part {
        final TreeSummary sum;
        final byte[] next;

        Part(TreeSummary sum, byte[] next) {
            this.sum = sum;
            this.next = next;
        }
    }

    /** {@code entriesMax} 0: as the server likes. */
    Call<Part> summary(String path, byte[] from, int entriesMax) throws HmfsException {
        return new MetadataCalls.PathCall<>("sum up", path) {
            @Override
            int bound() {
                return super.bound() + from.length;
            }

            @Override
            Part decode(Replies replies, WireBuffer in) throws IOException {
                return replies.part(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.summary
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .entriesMax(entriesMax)
                        .putPath(utf8, 0, utf8.length)
                        .putFrom(from, 0, from.length)
                        .limit();
            }
        };
    }

    Call<TreePage> list(String path, TreeCursor cursor, int entriesMax) throws HmfsException {
        MetadataCalls.checkEntries("list tree", path, entriesMax);
        byte[] from = cursor.bytes;
        return new MetadataCalls.PathCall<>("list tree", path) {
            @Override
            int bound() {
                return super.bound() + from.length;
            }

            @Override
            TreePage decode(Replies replies, WireBuffer in) throws IOException {
                return replies.treePage(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.listTree
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .entriesMax(entriesMax)
                        .bytesMax(0)
                        .putPath(utf8, 0, utf8.length)
                        .putFrom(from, 0, from.length)
                        .limit();
            }
        };
    }

    Call<Void> remove(String path) throws HmfsException {
        return new MetadataCalls.DoneCall("remove tree", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.removeTree
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    /** Does no harm twice: it may be sent again. */
    Call<Void> setQuota(String path, long names, long bytes) throws HmfsException {
        return new MetadataCalls.PathCall<>("set quota", path) {
            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.setQuota
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .names(names)
                        .bytes(bytes)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<QuotaInfo> quota(String path) throws HmfsException {
        return new MetadataCalls.PathCall<>("quota", path) {
            @Override
            QuotaInfo decode(Replies replies, WireBuffer in) throws IOException {
                return replies.quota(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.quotaUsage
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }
}
