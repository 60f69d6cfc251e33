package io.hmfs.client;

import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Makes the calls about access control lists, and about what they allow. */
final class AclCalls {
    private static final int ENTRIES_MAX = 65_534; // what the length of a text can say

    private final MetadataCalls calls;

    AclCalls(MetadataCalls calls) {
        this.calls = calls;
    }

    /** A change that has entries. */
    private abstract static class EntriesCall extends MetadataCalls.DoneCall {
        final byte[] text;

        EntriesCall(String what, String path, List<String> entries) throws HmfsException {
            super(what, path);
            text = String.join("\0", entries).getBytes(StandardCharsets.UTF_8);
            if (text.length > ENTRIES_MAX) {
                throw new HmfsException(
                        ResultCode.INVALID_ACL,
                        "ACL of " + path + ": its " + entries.size() + " entries have " + text.length
                                + " bytes; at most " + ENTRIES_MAX);
            }
        }

        @Override
        int bound() {
            return super.bound() + text.length;
        }
    }

    Call<AclInfo> get(String path) throws HmfsException {
        return new MetadataCalls.PathCall<>("get ACL of", path) {
            @Override
            AclInfo decode(Replies replies, WireBuffer in) throws IOException {
                return replies.acl(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.getAcl
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<Void> access(String path, int wanted) throws HmfsException {
        return new MetadataCalls.PathCall<>("access", path) {
            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.access
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .wanted((short) wanted)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }
        };
    }

    Call<Void> modify(String path, List<String> entries) throws HmfsException {
        return new EntriesCall("modify ACL of", path, entries) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.modifyAcl
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .putEntries(text, 0, text.length)
                        .limit();
            }
        };
    }

    Call<Void> removeEntries(String path, List<String> entries) throws HmfsException {
        return new EntriesCall("remove ACL entries of", path, entries) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.removeAclEntries
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .putEntries(text, 0, text.length)
                        .limit();
            }
        };
    }

    Call<Void> removeDefault(String path) throws HmfsException {
        return new MetadataCalls.DoneCall("remove default ACL of", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.removeDefaultAcl
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

    Call<Void> remove(String path) throws HmfsException {
        return new MetadataCalls.DoneCall("remove ACL of", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.removeAcl
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

    Call<Void> set(String path, List<String> entries) throws HmfsException {
        return new EntriesCall("set ACL of", path, entries) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.setAcl
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .clientId(calls.clientId())
                        .sequence(sequence)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .putEntries(text, 0, text.length)
                        .limit();
            }
        };
    }
}
