package io.hmfs.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: however a stream is cut into reads, the same frames come out, nothing leaks, and no length makes it allocate or
 * hang.
 * Method: random frames cut at random places, compared; single cases for the bounds.
 */
class FrameAssemblerTest {
    private static final int FRAME_MAX = 3000;
    private static final int LONG_MAX = 300_000; // several times what room() has for usual frames

    private final FrameAssembler assembler = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, FRAME_MAX);

    private static ByteBuf length(int value) {
        return Unpooled.buffer().writeIntLE(value);
    }

    private void collect(List<String> into) {
        while (assembler.next()) {
            byte[] bytes = new byte[assembler.length()];
            assembler.buffer().getBytes(assembler.offset(), bytes);
            into.add(HexFormat.of().formatHex(bytes));
        }
    }

    @Test
    void anyCutGivesTheSameFrames() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            List<String> expected = new ArrayList<>();
            ByteBuf stream = Unpooled.buffer();
            for (int i = 0; i < 30; i++) {
                byte[] frame = new byte[Wire.FRAME_MIN + random.nextInt(random.nextBoolean() ? 50 : 2900)];
                random.nextBytes(frame);
                stream.writeIntLE(frame.length).writeBytes(frame);
                expected.add(HexFormat.of().formatHex(frame));
            }
            List<String> found = new ArrayList<>();
            List<ByteBuf> pieces = new ArrayList<>();
            int most = random.nextBoolean() ? 10 : 5000;
            while (stream.isReadable()) {
                int count = Math.min(1 + random.nextInt(most), stream.readableBytes());
                ByteBuf piece = Unpooled.buffer(count + random.nextInt(100)).writeBytes(stream, count);
                pieces.add(piece);
                assembler.add(piece);
                collect(found);
                assembler.trim();
            }
            assertEquals(expected, found, "seed " + seed);
            assertFalse(assembler.unfinished());
            pieces.forEach(piece -> assertEquals(0, piece.refCnt(), "a piece leaked"));
        }
    }

    @Test
    void whatOthersHaveTooIsNotKeptForAnUnfinishedFrame() {
        ByteBuf lent = Unpooled.buffer(100).writeIntLE(40).writeZero(30);
        assembler.add(lent.retain());
        assertFalse(assembler.next());
        assertEquals(2, lent.refCnt());
        assembler.trim();
        assertEquals(1, lent.refCnt());
        assembler.add(Unpooled.buffer().writeZero(10));
        assertTrue(assembler.next());
        assertEquals(40, assembler.length());
    }

    @Test
    void whatTheAssemblerHasAloneIsKept() {
        ByteBuf own = Unpooled.buffer(100).writeIntLE(40).writeZero(30);
        assembler.add(own);
        assembler.trim();
        assertSame(own, assembler.buffer());
    }

    @Test
    void wholeFramesAreNotCopied() {
        ByteBuf piece = length(20).writeZero(20);
        assembler.add(piece);
        assertTrue(assembler.next());
        assertSame(piece, assembler.buffer());
    }

    @Test
    void slicesOfFramesOutliveLaterReads() {
        ByteBuf piece =
                Unpooled.buffer(100).writeIntLE(20).writeZero(19).writeByte(7).writeIntLE(16);
        assembler.add(piece);
        assertTrue(assembler.next());
        ByteBuf kept = assembler.buffer().retainedSlice(assembler.offset(), assembler.length());
        assembler.add(Unpooled.buffer().writeZero(2000));
        assertTrue(assembler.next());
        assembler.close();
        assertEquals(7, kept.getByte(19));
        kept.release();
        assertEquals(0, piece.refCnt());
    }

    @Test
    void lengthsOutOfBoundsAreMalformed() {
        for (int bad : new int[] {-1, Integer.MIN_VALUE, 0, Wire.FRAME_MIN - 1, FRAME_MAX + 1, Integer.MAX_VALUE}) {
            FrameAssembler fresh = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, FRAME_MAX);
            fresh.add(length(bad));
            MalformedFrameException thrown = assertThrows(MalformedFrameException.class, fresh::next);
            assertEquals(bad < 0 || bad > FRAME_MAX, thrown.oversized(), "length " + bad);
            fresh.close();
        }
    }

    @Test
    void claimedLengthAloneAllocatesLittle() {
        FrameAssembler wide = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, 1 << 30);
        wide.add(length(1 << 30));
        assertFalse(wide.next());
        wide.add(Unpooled.buffer().writeZero(1000));
        assertFalse(wide.next());
        assertTrue(
                wide.buffer().capacity() <= 2 << 20, "capacity " + wide.buffer().capacity());
        wide.close();
    }

    /** What {@link FrameAssembler#room} hands out, filled by a peer that sends frames of every length. */
    @Test
    void aStreamWrittenIntoItsRoomGivesTheSameFrames() {
        for (int seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            FrameAssembler reader = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, LONG_MAX);
            List<String> expected = new ArrayList<>();
            ByteBuf stream = Unpooled.buffer();
            for (int i = 0; i < 30; i++) {
                int most = random.nextInt(4) == 0 ? LONG_MAX - Wire.FRAME_MIN : 3_000;
                byte[] frame = new byte[Wire.FRAME_MIN + random.nextInt(most)];
                random.nextBytes(frame);
                stream.writeIntLE(frame.length).writeBytes(frame);
                expected.add(HexFormat.of().formatHex(frame));
            }
            List<String> found = new ArrayList<>();
            Set<ByteBuf> rooms = Collections.newSetFromMap(new IdentityHashMap<>());
            int most = random.nextBoolean() ? 500 : LONG_MAX;
            while (stream.isReadable()) {
                ByteBuf room = reader.room();
                rooms.add(room);
                assertTrue(room.isWritable(), "seed " + seed);
                int count = Math.min(1 + random.nextInt(most), Math.min(room.writableBytes(), stream.readableBytes()));
                room.writeBytes(stream, count);
                while (reader.next()) {
                    byte[] bytes = new byte[reader.length()];
                    reader.buffer().getBytes(reader.offset(), bytes);
                    found.add(HexFormat.of().formatHex(bytes));
                }
            }
            assertEquals(expected, found, "seed " + seed);
            assertFalse(reader.unfinished());
            reader.close();
            rooms.forEach(room -> assertEquals(0, room.refCnt(), "a buffer leaked"));
        }
    }

    @Test
    void framesOfUsualLengthShareOneRoom() {
        ByteBuf first = assembler.room();
        for (int i = 0; i < 3; i++) {
            assertSame(first, assembler.room());
            assertEquals(0, first.readableBytes());
            assertEquals(first.capacity(), first.writableBytes(), "what was read takes no room");
            first.writeIntLE(20).writeZero(20);
            assertTrue(assembler.next());
        }
        assembler.close();
        assertEquals(0, first.refCnt());
    }

    /** A frame that does not fit is copied once, into room for all of it, which those behind it have, too. */
    @Test
    void aFrameThatHasBegunGetsRoomForAllOfIt() {
        FrameAssembler wide = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, LONG_MAX);
        ByteBuf usual = wide.room();
        int capacity = usual.capacity();
        usual.writeIntLE(LONG_MAX).writeZero(usual.writableBytes());
        assertFalse(wide.next());
        ByteBuf large = wide.room();
        assertEquals(0, usual.refCnt());
        assertEquals(capacity, large.readableBytes(), "what has come is kept");
        assertTrue(large.writableBytes() >= Wire.LENGTH_SIZE + LONG_MAX - capacity, "room " + large.writableBytes());
        large.writeZero(Wire.LENGTH_SIZE + LONG_MAX - capacity);
        assertTrue(wide.next());
        assertSame(large, wide.room());
        assertEquals(large.capacity(), large.writableBytes());
        wide.close();
        assertEquals(0, large.refCnt());
    }

    @Test
    void veryMuchRoomIsNotKept() {
        FrameAssembler wide = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, 2 << 20);
        int capacity = wide.room().capacity();
        wide.buffer().writeIntLE(2 << 20);
        for (int left = 2 << 20; left > 0; ) {
            ByteBuf room = wide.room();
            int count = Math.min(left, room.writableBytes());
            room.writeZero(count);
            left -= count;
        }
        assertTrue(wide.next());
        ByteBuf large = wide.buffer();
        assertEquals(capacity, wide.room().capacity());
        assertEquals(0, large.refCnt());
        wide.close();
    }

    /** What has come of a frame is moved to the begin, if there is room for the rest behind it. */
    @Test
    void theBeginOfAFrameIsMovedAndNotCopiedIntoMoreRoom() {
        FrameAssembler wide = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, LONG_MAX);
        ByteBuf room = wide.room();
        int frame = room.capacity() - Wire.LENGTH_SIZE; // it fills the room by itself
        room.writeIntLE(40).writeZero(40).writeIntLE(frame);
        room.writeZero(room.writableBytes() - 1).writeByte(7);
        assertTrue(wide.next());
        assertFalse(wide.next());
        assertSame(room, wide.room());
        assertEquals(7, room.getByte(room.writerIndex() - 1));
        assertEquals(Wire.LENGTH_SIZE + 40, room.writableBytes());
        room.writeZero(room.writableBytes());
        assertTrue(wide.next());
        assertEquals(frame, wide.length());
        wide.close();
    }

    @Test
    void aClaimedLengthAloneGetsLittleRoom() {
        FrameAssembler wide = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, 1 << 30);
        ByteBuf usual = wide.room();
        usual.writeIntLE(1 << 30).writeZero(usual.writableBytes());
        assertFalse(wide.next());
        assertTrue(
                wide.room().capacity() <= 2 << 20, "capacity " + wide.buffer().capacity());
        wide.close();
    }
}
