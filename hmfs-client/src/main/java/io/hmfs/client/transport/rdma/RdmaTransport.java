package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** RDMA, by a queue pair for each connection. */
public final class RdmaTransport implements Transport {
    private final Verbs verbs;
    private final MessageMemory memory;
    private final WindowMemory windows;
    private final ReadMemory reads;
    private final List<RdmaLink> links = new ArrayList<>(); // mostly one

    /** The verbs are this transport's from now on. */
    public RdmaTransport(Verbs verbs) {
        this.verbs = verbs;
        memory = new MessageMemory(verbs);
        windows = new WindowMemory(verbs);
        reads = new ReadMemory(verbs);
    }

    @Override
    public Link connect(String host, int port, Receiver receiver) {
        RdmaLink link = new RdmaLink(host, port, receiver, memory, windows, reads, verbs::wakeUp);
        link.connect(verbs);
        links.add(link);
        verbs.wakeUp(); // a thread that waits must wait for this connection too
        return link;
    }

    @Override
    public boolean isRdma() {
        return true;
    }

    @Override
    public boolean poll() {
        boolean any = false;
        try {
            any = verbs.poll();
        } catch (IOException e) {
            for (RdmaLink link : List.copyOf(links)) {
                link.fail(e);
            }
        }
        for (int i = links.size() - 1; i >= 0; i--) { // a receiver may add one behind, or close the transport
            if (i >= links.size()) {
                continue;
            }
            RdmaLink link = links.get(i);
            any |= link.finishPoll();
            if (link.isClosed()) {
                links.remove(link);
            }
        }
        return any;
    }

    @Override
    public void await(long nanos) {
        verbs.await(nanos);
    }

    @Override
    public void wakeUp() {
        verbs.wakeUp();
    }

    @Override
    public void close() {
        links.forEach(RdmaLink::close);
        links.clear();
        verbs.close();
    }
}
