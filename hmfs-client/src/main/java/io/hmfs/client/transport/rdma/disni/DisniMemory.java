package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.IbvMr;
import io.hmfs.client.transport.rdma.Verbs;
import java.nio.ByteBuffer;

/**
 * A buffer, and its number among those of one {@code DisniVerbs}, by which each device keeps its registration.
 *
 * @param access of verbs
 */
record DisniMemory(int number, ByteBuffer bytes, long address, int access) implements Verbs.Memory {
    static DisniMemory of(int number, ByteBuffer bytes, Verbs.Remote remote) {
        long address = Natives.address(bytes);
        if (address == 0) {
            throw new IllegalArgumentException("not a direct buffer, or an empty one: " + bytes);
        }
        int access = IbvMr.IBV_ACCESS_LOCAL_WRITE
                | switch (remote) {
                    case NOTHING -> 0;
                    case WRITE -> IbvMr.IBV_ACCESS_REMOTE_WRITE;
                    case READ -> IbvMr.IBV_ACCESS_REMOTE_READ;
                };
        return new DisniMemory(number, bytes, address, access);
    }
}
