package io.hmfs.server.transport.netty;

import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What can be done to a frame: bits, lengths, fields, numbers of the header, its end. */
final class FuzzMutations {
    private static final int BLOCK_AT = Wire.LENGTH_SIZE;
    private static final int TEMPLATE_AT = BLOCK_AT + 2;
    private static final int SCHEMA_AT = BLOCK_AT + 4;
    private static final int VERSION_AT = BLOCK_AT + 6;
    private static final int ROOT_AT = Wire.LENGTH_SIZE + Wire.HEADER_SIZE;
    private static final long[] EXTREMES = {
        0,
        1,
        2,
        -1,
        -2,
        Byte.MAX_VALUE,
        Short.MAX_VALUE,
        0x8000,
        0xFFFF,
        010000,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        1L << 48,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE - 1
    };
    private static final int[] LENGTHS = {
        0, 1, 15, 16, 17, 1024, 1025, 1 << 16, FuzzRig.FRAME_MAX, FuzzRig.FRAME_MAX + 1
    };

    private final Random random;

    FuzzMutations(Random random) {
        this.random = random;
    }

    /** A frame, its length word included, after something has been done to it. */
    byte[] mutate(byte[] valid, WireSchema.Message message) {
        byte[] bytes = valid.clone();
        int kinds = 12;
        switch (random.nextInt(kinds)) {
            case 0, 1 -> {
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    int bit = random.nextInt(8 * bytes.length);
                    bytes[bit >>> 3] ^= (byte) (1 << (bit & 7));
                }
            }
            case 2, 3 -> bytes = cut(bytes, random.nextInt(bytes.length), random.nextInt(4) > 0);
            case 4 -> setInt(bytes, 0, random.nextBoolean() ? length() : bytes.length + random.nextInt(9) - 8);
            case 5, 6 -> extreme(bytes, message.fields());
            case 7 -> {
                extreme(bytes, message.fields());
                extreme(bytes, message.fields());
            }
            case 8 -> header(bytes);
            case 9 -> lie(bytes, message);
            case 10 -> {
                int from = random.nextInt(bytes.length);
                byte[] noise = new byte[random.nextInt(bytes.length - from) + 1];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, bytes, from, noise.length);
            }
            default -> {
                byte[] more = new byte[1 + random.nextInt(40)];
                random.nextBytes(more);
                int end = bytes.length;
                bytes = Arrays.copyOf(bytes, end + more.length);
                System.arraycopy(more, 0, bytes, end, more.length);
                setInt(bytes, 0, bytes.length - Wire.LENGTH_SIZE);
            }
        }
        return bytes;
    }

    /** The first bytes of a frame; {@code told} says whether its length word tells so. */
    static byte[] cut(byte[] bytes, int length, boolean told) {
        byte[] less = Arrays.copyOf(bytes, length);
        if (told && length >= Wire.LENGTH_SIZE) {
            setInt(less, 0, length - Wire.LENGTH_SIZE);
        }
        return less;
    }

    private int length() {
        return random.nextInt(3) == 0 ? random.nextInt() : LENGTHS[random.nextInt(LENGTHS.length)];
    }

    private static void setInt(byte[] bytes, int at, int value) {
        if (at + Integer.BYTES <= bytes.length) {
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
        }
    }

    private static void setShort(byte[] bytes, int at, int value) {
        if (at + Short.BYTES <= bytes.length) {
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putShort(at, (short) value);
        }
    }

    private void extreme(byte[] bytes, List<WireSchema.Field> fields) {
        WireSchema.Field field = fields.get(random.nextInt(fields.size()));
        long value = random.nextInt(6) == 0 ? random.nextLong() : EXTREMES[random.nextInt(EXTREMES.length)];
        ByteBuffer word = ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value);
        int at = ROOT_AT + field.offset();
        if (at + field.size() <= bytes.length && field.offset() > 0) { // correlation ids stay what tells replies apart
            word.get(0, bytes, at, field.size());
        }
    }

    private void header(byte[] bytes) {
        switch (random.nextInt(4)) {
            case 0 -> setShort(bytes, BLOCK_AT, WireSchema.word(bytes, BLOCK_AT) + random.nextInt(33) - 16);
            case 1 -> setShort(bytes, TEMPLATE_AT, random.nextInt(110));
            case 2 -> setShort(bytes, VERSION_AT, random.nextInt(WireSchema.VERSION + 1));
            default -> setShort(bytes, random.nextInt(8) == 0 ? SCHEMA_AT : BLOCK_AT, random.nextInt(1 << 16));
        }
    }

    /** The length of a variable part says something else. */
    private void lie(byte[] bytes, WireSchema.Message message) {
        int at = ROOT_AT + WireSchema.word(bytes, BLOCK_AT);
        for (WireSchema.Data data : message.data()) {
            if (at + data.lengthSize() > bytes.length) {
                return;
            }
            int length = WireSchema.word(bytes, at);
            if (random.nextBoolean()) {
                int said = random.nextBoolean() ? length + random.nextInt(17) - 8 : random.nextInt(1 << 16);
                if (data.lengthSize() == Short.BYTES) {
                    setShort(bytes, at, said);
                } else {
                    setInt(bytes, at, random.nextBoolean() ? said : random.nextInt());
                }
                return;
            }
            at += data.lengthSize() + length;
        }
    }
}
