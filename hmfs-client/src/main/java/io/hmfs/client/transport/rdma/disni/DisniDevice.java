package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.impl.NatIbvCompChannel;
import com.ibm.disni.verbs.impl.NatIbvContext;
import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.hmfs.client.transport.rdma.Verbs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the connections over one device share: a protection domain, registered memory, completion queues, their channel. */
final class DisniDevice {
    private static final int CONNECTIONS_PER_QUEUE = 128;
    private static final int COMPLETIONS_PER_CONNECTION = 2 * Verbs.QueuePair.DEPTH;

    final long context;
    final IbvPd domain;
    final long channelHandle;

    private final IbvContext opened;
    private final IbvCompChannel channel;
    private final List<DisniQueue> queues = new ArrayList<>();
    private @Nullable IbvMr[] regions = new IbvMr[8];

    DisniDevice(long context, NativeDispatcher dispatcher, long waiter) throws IOException {
        this.context = context;
        opened = new NatIbvContext(context, dispatcher);
        domain = opened.allocPd();
        try {
            channel = opened.createCompChannel();
        } catch (IOException e) {
            free(domain);
            throw e;
        }
        channelHandle = ((NatIbvCompChannel) channel).getObjId();
        try {
            Natives.watch(waiter, channelHandle);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** A queue with room, or null: then {@link #addQueue} makes one. */
    @Nullable
    DisniQueue queueWithRoom() {
        for (int i = 0; i < queues.size(); i++) {
            if (queues.get(i).hasRoom()) {
                return queues.get(i);
            }
        }
        return null;
    }

    DisniQueue addQueue() throws IOException {
        int most = Natives.entriesMost(context) / COMPLETIONS_PER_CONNECTION;
        int connections = Math.max(1, Math.min(CONNECTIONS_PER_QUEUE, most));
        for (; ; connections /= 2) {
            try {
                IbvCQ made = opened.createCQ(channel, connections * COMPLETIONS_PER_CONNECTION, 0);
                DisniQueue queue = new DisniQueue(made, connections);
                queue.arm(); // the thread that waits does not know it yet
                queues.add(queue);
                return queue;
            } catch (IOException e) {
                if (connections == 1) { // before that it may be the limit of locked memory
                    throw e;
                }
            }
        }
    }

    /** The registration of memory with this device. */
    IbvMr region(DisniMemory memory) throws IOException {
        int number = memory.number();
        IbvMr region = number < regions.length ? regions[number] : null;
        if (region == null) {
            if (number >= regions.length) {
                regions = Arrays.copyOf(regions, 2 * number);
            }
            SVCRegMr call = domain.regMr(memory.address(), memory.bytes().capacity(), memory.access());
            try {
                region = call.execute().getMr();
            } finally {
                call.free();
            }
            regions[number] = region;
        }
        return region;
    }

    /** Ends the registration of memory, if this device has one. */
    void deregister(int number) {
        IbvMr region = number < regions.length ? regions[number] : null;
        if (region != null) {
            regions[number] = null;
            free(region);
        }
    }

    /** Gives all back; there are no connections any more. What a device that was removed refuses stays. */
    void close() {
        for (int i = 0; i < regions.length; i++) {
            deregister(i);
        }
        for (DisniQueue each : queues) {
            each.free();
            try {
                each.queue.destroyCQ();
            } catch (IOException e) {
                throw new AssertionError(e); // closed before
            }
        }
        queues.clear();
        try {
            channel.destroyCompChannel();
        } catch (IOException e) {
            throw new AssertionError(e); // closed before
        }
        free(domain);
    }

    private static void free(IbvMr region) {
        try {
            region.deregMr().execute();
        } catch (IOException ignored) {
            // the device is gone, and the registration with it
        }
    }

    private static void free(IbvPd domain) {
        try {
            domain.deallocPd();
        } catch (Exception e) { // so DiSNI declares it
            throw new AssertionError(e); // closed before
        }
    }
}
