package io.hmfs.client;

/**
 * Every kind of call, one row each: request, reply, encoder, decoder, retry class and name. A table belongs to one
 * client, on whose loop its codecs are used.
 */
final class CallTable {
    final NamespaceCalls namespace;
    final FileCalls files;
    final DataCalls data;
    final TreeCalls trees;
    final XattrCalls xattrs;
    final AclCalls acls;
    final LeaseCalls leases;
    final CensusCalls census = new CensusCalls();
    final ServerCalls server = new ServerCalls();

    /** {@code removed}: is told of files that calls have removed. */
    CallTable(RemovedListener removed) {
        FileReplies replies = new FileReplies(removed);
        namespace = new NamespaceCalls(replies);
        files = new FileCalls(replies);
        data = new DataCalls(replies);
        trees = new TreeCalls(replies);
        xattrs = new XattrCalls(replies);
        acls = new AclCalls(replies);
        leases = new LeaseCalls(replies);
    }
}
