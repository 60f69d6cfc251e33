package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.impl.NatIbvSendWR;
import com.ibm.disni.verbs.impl.NatIbvSge;
import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Work requests that are posted together, in the layout in which DiSNI writes them for its natives. DiSNI's own prepared
 * call cannot take another operation, or another number of requests, than it was prepared with.
 * <pre>
 *   0       8      16       24        28       32      36    40               48           size
 *   | wr_id | next | sg_list | num_sge | opcode | flags | imm | remote address | remote key | … |
 * </pre>
 * Behind the requests stand their scatter lists, one element each: address (8 bytes), length, key.
 */
final class SendChain {
    private static final int ID = 0;
    private static final int NEXT = 8;
    private static final int LIST = 16;
    private static final int LIST_LENGTH = 24;
    private static final int OPCODE = 28;
    private static final int FLAGS = NatIbvSendWR.SENDFLAGS_OFFSET;

    private final int most;
    private final ByteBuffer bytes;
    private final long address;
    private final int size = NatIbvSendWR.CSIZE;
    private final int lists;

    private int count;

    SendChain(int most) {
        this.most = most;
        lists = most * size;
        bytes = ByteBuffer.allocateDirect(lists + most * NatIbvSge.CSIZE).order(ByteOrder.nativeOrder());
        address = Natives.address(bytes);
        for (int i = 0; i < most; i++) {
            bytes.putLong(i * size + NEXT, address + (i + 1L) * size);
            bytes.putLong(i * size + LIST, address + lists + (long) i * NatIbvSge.CSIZE);
        }
    }

    boolean isFull() {
        return count == most;
    }

    void add(long id, int opcode, int flags, long from, int length, int key, long remoteAddress, int remoteKey) {
        int at = count * size;
        bytes.putLong(at + ID, id);
        bytes.putInt(at + LIST_LENGTH, length == 0 ? 0 : 1); // a length of 0 in a list means 2 GiB to some devices
        bytes.putInt(at + OPCODE, opcode);
        bytes.putInt(at + FLAGS, flags);
        bytes.putLong(at + NatIbvSendWR.REMOTEADDR_OFFSET, remoteAddress);
        bytes.putInt(at + NatIbvSendWR.RKEY_OFFSET, remoteKey);
        int element = lists + count * NatIbvSge.CSIZE;
        bytes.putLong(element, from);
        bytes.putInt(element + 8, length);
        bytes.putInt(element + 12, key);
        count++;
    }

    /** Posts what was added, and is empty again. */
    void post(NativeDispatcher dispatcher, long queuePair) throws IOException {
        int last = (count - 1) * size + NEXT;
        bytes.putLong(last, 0);
        try {
            dispatcher._postSend(queuePair, address);
        } finally {
            bytes.putLong(last, address + (long) count * size);
            count = 0;
        }
    }

    /** Forgets what was added. */
    void clear() {
        count = 0;
    }

    /** Whether an operation's bytes may be put into its request: what a read brings may not. */
    static boolean canBeInline(int opcode) {
        return opcode != IbvSendWR.IBV_WR_RDMA_READ;
    }
}
