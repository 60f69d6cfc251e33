package io.hmfs.client;

import io.hmfs.wire.StatRecord;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Answers stats by reads of the server's memory (docs/wire.md#stats-that-are-read), for directories whose entries are asked for again and
 * again: after so many stats below one path it is asked where its stats are. Whatever cannot be answered so is for an ordinary request.
 * On the loop; of one connection at a time.
 */
final class RemoteStats {
    /** Directories that are counted; of two with one place the later one has it. */
    private static final int PLACES = 64;

    /** Stats in a directory before it is asked for, and so many that found no record in a row before it is not read any more. */
    static final int FIRST = 32;

    private static final int WANTED_MOST = 1 << 20;

    /** What is known of a directory. */
    private static final class Place {
        private final String path;
        private int wanted = FIRST; // stats before it is asked for: twice as many after each time that it was of no use
        private int stats;
        private int missed; // in a row
        private boolean asked;
        private @Nullable ExportedDirectory exported;

        Place(String path) {
            this.path = path;
        }

        boolean isOf(String of, int slash) {
            return path.length() == slash && of.startsWith(path);
        }

        void again() {
            stats = 0;
            missed = 0;
            asked = false;
            exported = null;
        }

        void wasOfNoUse() {
            wanted = Math.min(2 * wanted, WANTED_MOST);
            again();
        }
    }

    private final CallKind<byte[], FileInfo> stat;
    private final @Nullable Place[] places = new Place[PLACES];
    private final byte[] content = new byte[StatRecord.CONTENT_MAX];
    private final ByteBuf contentBytes = Unpooled.wrappedBuffer(content);
    private final WireBuffer frame = new WireBuffer();
    private final ReplyFrame reply = new ReplyFrame();
    private final LongAdder answered = new LongAdder();
    private @Nullable String toAsk; // path of a directory

    /** {@code stat}: the row of the calls that may be answered so. */
    RemoteStats(CallKind<byte[], FileInfo> stat) {
        this.stat = stat;
    }

    /** Stats that were answered so. Any thread. */
    long answered() {
        return answered.sum();
    }

    /** The connection has ended, and with it what was told over it. */
    void forget() {
        for (Place place : places) {
            if (place != null) {
                place.again();
            }
        }
    }

    /** Begins to answer a call by a read; false: it is to be sent. */
    boolean isReading(Call<?, ?> call, Connection connection) {
        if (!call.kind.equals(stat)) {
            return false;
        }
        String path = call.subject();
        int slash = path.lastIndexOf('/');
        if (slash < 0 || slash == path.length() - 1) {
            return false;
        }
        Place place = place(path, slash);
        ExportedDirectory exported = place.exported;
        if (exported == null) {
            count(place);
            return false;
        }
        byte[] utf8 = (byte[]) call.arguments;
        int name = nameAt(utf8);
        long hash = StatRecord.hash(exported.number(), utf8, name, utf8.length - name);
        long at = (long) StatRecord.slot(hash, exported.slots()) * StatRecord.BYTES;
        return connection.read(exported.address() + at, exported.key(), call.correlationId);
    }

    private Place place(String path, int slash) {
        int number = number(path, slash);
        Place place = places[number];
        if (place == null || !place.isOf(path, slash)) {
            place = new Place(path.substring(0, slash));
            places[number] = place;
        }
        return place;
    }

    private static int number(String path, int slash) {
        int hash = 0;
        for (int i = 0; i < slash; i++) {
            hash = 31 * hash + path.charAt(i);
        }
        return (hash ^ (hash >>> 16)) & (PLACES - 1);
    }

    private void count(Place place) {
        place.stats++;
        if (place.stats < place.wanted || place.asked) {
            return;
        }
        place.asked = true;
        toAsk = place.path.isEmpty() ? "/" : place.path;
    }

    /** Path of a directory that the caller is to ask the server for, told once; null: of none. {@link #told} follows. */
    @Nullable
    String takeToAsk() {
        String path = toAsk;
        toAsk = null;
        return path;
    }

    /** The answer about a directory, which came over the connection that there is; null: the server did not answer. */
    void told(String path, @Nullable ExportedDirectory exported) {
        int slash = path.equals("/") ? 0 : path.length();
        Place place = places[number(path, slash)];
        if (place == null || !place.isOf(path, slash)) {
            return; // another directory has the place
        }
        if (exported == null || exported.slots() <= 0) {
            place.wasOfNoUse();
        } else {
            place.exported = exported;
        }
    }

    private static int nameAt(byte[] utf8) {
        int at = utf8.length;
        while (utf8[at - 1] != '/') {
            at--;
        }
        return at;
    }

    /** The reply to a call in what was read for it, valid until the next; null: there is none, so the call is to be sent. */
    @Nullable
    ReplyFrame reply(Call<?, ?> call, ByteBuffer bytes, int at) throws IOException {
        String path = call.subject();
        int slash = path.lastIndexOf('/');
        Place place = places[number(path, slash)];
        ExportedDirectory exported = place == null || !place.isOf(path, slash) ? null : place.exported;
        if (place == null || exported == null) {
            return null;
        }
        byte[] utf8 = (byte[]) call.arguments;
        int name = nameAt(utf8);
        int length = StatRecord.read(bytes, at, content);
        int frameAt = StatRecord.frameAt(content, length, exported.number(), utf8, name, utf8.length - name);
        if (frameAt < 0) {
            if (++place.missed == FIRST) {
                place.wasOfNoUse();
            }
            return null;
        }
        place.missed = 0;
        place.wanted = FIRST;
        answered.increment();
        reply.openPlain(frame.wrap(contentBytes, frameAt, length - frameAt));
        return reply;
    }
}
