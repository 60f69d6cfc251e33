package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.IbvMr;
import io.hmfs.client.transport.rdma.Verbs;
import java.nio.ByteBuffer;

/** A buffer, and its number among those of one {@code DisniVerbs}, by which each device keeps its registration. */
final class DisniMemory implements Verbs.Memory {
    private static final int GONE = -1;

    private final ByteBuffer bytes;
    private final long address;
    private final int access; // of verbs
    private int number;

    DisniMemory(int number, ByteBuffer bytes, Verbs.Remote remote) {
        this.number = number;
        this.bytes = bytes;
        address = Natives.address(bytes);
        if (address == 0) {
            throw new IllegalArgumentException("not a direct buffer, or an empty one: " + bytes);
        }
        access = IbvMr.IBV_ACCESS_LOCAL_WRITE
                | switch (remote) {
                    case NOTHING -> 0;
                    case WRITE -> IbvMr.IBV_ACCESS_REMOTE_WRITE;
                    case READ -> IbvMr.IBV_ACCESS_REMOTE_READ;
                };
    }

    @Override
    public ByteBuffer bytes() {
        return bytes;
    }

    @Override
    public long address() {
        return address;
    }

    int access() {
        return access;
    }

    /** Its number, which is another memory's when this one has been deregistered. */
    int number() {
        if (number == GONE) {
            throw new IllegalStateException("this memory has been deregistered");
        }
        return number;
    }

    /** Gives its number away; what it was, or -1 if it has none any more. */
    int takeNumber() {
        int old = number;
        number = GONE;
        return old;
    }
}
