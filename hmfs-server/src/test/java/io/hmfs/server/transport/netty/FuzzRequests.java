package io.hmfs.server.transport.netty;

import io.hmfs.server.access.Grants;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Valid frames of every request, about the tree of a {@link FuzzRig}. Which fields there are the schema says. */
final class FuzzRequests {
    static final List<String> USERS = List.of(FuzzRig.SUPERUSER, "bob", "eve", "stranger");

    private static final String[] NAMES = {
        "a", "b", "f", "mine", "open", "sub", "bobs", "secret", "new", "here", "here/new"
    };
    private static final String[] OWNERS = {"", "", "bob", "eve", "staff", "newcomer", FuzzRig.SUPERUSER};
    private static final String[] ATTRIBUTES = {
        "user.a", "user.b", "user.a", "trusted.a", "security.a", "raw.a", "user.", "user", "", "user." + "n".repeat(251)
    };
    private static final String WHOLE_ACL = "user::rwx\0group::r-x\0other::---";
    private static final String[] ENTRIES = {
        "user:bob:rwx",
        "user:eve:---",
        "user:newcomer:r-x",
        "group:staff:r--",
        "group::rw-",
        "mask::r-x",
        "mask::",
        "default:user:eve:rwx",
        "default:group:staff:-wx",
        "default:mask::r--",
        "default:other::r-x",
        "user:bob:",
        "other:bob:rwx",
        "user:a/b:rwx",
        "user:bob:rxw",
        "",
        "owner::rwx",
        "default:"
    };
    /** Blocks and sizes of files that lie: of what nobody has written, or can. */
    private static final long[] LIES = {-1, 1L << 40, 1L << 50, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE};

    private static final int PATHS_MAX = 4;
    private static final int FRAME_MAX = 48 << 10;
    private static final int VERSION_AT = Wire.LENGTH_SIZE + 6;
    private static final long NOON_1990 = 643_032_000_000_000_000L;

    private final Random random;
    private final FuzzRig rig;
    private final List<FuzzRig.Known> known;
    private long correlationId = 100;
    private String user = FuzzRig.SUPERUSER;
    private String realUser = "";
    private FuzzRig.Known about;
    private long grant;
    private boolean wholeChunks;

    FuzzRequests(Random random, FuzzRig rig) {
        this.random = random;
        this.rig = rig;
        known = rig.known();
        about = known.getFirst();
    }

    /** Sets the user that sends what follows. */
    void user(String name) {
        user = name;
    }

    /** Sets the real user of each Hello that follows: none, the user itself, which is the same, or another, who may not act for it. */
    void realUser(String name) {
        realUser = name;
    }

    /** A whole frame, its length word included. */
    byte[] frame(WireSchema.Message message) {
        return frame(message, known.get(random.nextInt(known.size())));
    }

    private byte[] frame(WireSchema.Message message, FuzzRig.Known object) {
        about = object;
        grant = rig.grants.grant(random.nextInt(8) == 0 ? Grants.READ : Grants.READ | Grants.WRITE);
        int version = random.nextInt(10) == 0 && !wholeChunks ? 1 : WireSchema.VERSION;
        ByteBuffer out = ByteBuffer.allocate(FRAME_MAX).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0)
                .putShort((short) message.blockLength(version))
                .putShort((short) message.id())
                .putShort((short) WireSchema.ID)
                .putShort((short) version);
        for (WireSchema.Field field : message.fields()) {
            if (field.since() <= version) {
                put(out, field.size(), value(field.name()));
            }
        }
        for (WireSchema.Data data : message.data()) {
            if (data.since() <= version) {
                byte[] bytes = bytes(data.name());
                put(out, data.lengthSize(), bytes.length);
                out.put(bytes);
            }
        }
        out.putInt(0, out.position() - Wire.LENGTH_SIZE);
        byte[] frame = new byte[out.position()];
        out.get(0, frame);
        return frame;
    }

    /** A whole frame of the newest version. */
    byte[] current(WireSchema.Message message) {
        byte[] frame = frame(message);
        while (frame[VERSION_AT] != WireSchema.VERSION) {
            frame = frame(message);
        }
        return frame;
    }

    /** A read of a whole chunk of this object. */
    byte[] chunk(WireSchema.Message read, FuzzRig.Known object) {
        wholeChunks = true;
        try {
            return frame(read, object);
        } finally {
            wholeChunks = false;
        }
    }

    private static void put(ByteBuffer out, int size, long value) {
        switch (size) {
            case 1 -> out.put((byte) value);
            case 2 -> out.putShort((short) value);
            case 4 -> out.putInt((int) value);
            case 8 -> out.putLong(value);
            default -> out.putLong(value).putLong(value);
        }
    }

    private long value(String field) {
        return switch (field) {
            case "correlationId" -> correlationId++;
            case "magic" -> Wire.MAGIC;
            case "protocolVersion" -> Wire.PROTOCOL_VERSION;
            case "authMethod" -> Wire.AUTH_SIMPLE;
            case "clusterId" -> 0;
            case "oldestSequence", "nextSequence" -> 0; // it sends nothing again
            case "baseId", "sourceBaseId", "targetBaseId" ->
                random.nextInt(4) > 0
                        ? Wire.ROOT_ID
                        : known.get(random.nextInt(known.size())).id();
            case "parentId" -> about.parent();
            case "inode" -> about.id();
            case "grant" -> grant;
            case "seal" -> rig.seal(about.id(), user, grant);
            case "mode", "parentMode", "unmaskedMode" -> random.nextBoolean() ? 0755 : random.nextInt(010000);
            case "flags", "access" -> random.nextInt(4);
            case "wanted" -> random.nextInt(9);
            case "entriesMax" -> random.nextInt(4);
            case "incarnation", "moved", "afterInode" -> random.nextInt(2); // a census begins, or is of another server
            case "directory" -> random.nextInt(1 << 17);
            case "emptyDirectory" -> random.nextInt(2);
            case "olderThanMillis" -> random.nextInt(3) - 1;
            case "from" -> random.nextInt(1 << 15);
            case "action" -> random.nextInt(2) * 2L; // what would refuse all that follows is left to the mutations
            case "cursorBirth", "cursorAt", "cursorStart", "bytesMax" -> 0;
            case "block" -> !wholeChunks && random.nextInt(8) == 0 ? lie() : random.nextInt(2);
            case "position" -> wholeChunks ? 0 : random.nextInt(200);
            case "length" -> wholeChunks ? FuzzRig.CHUNK_SIZE : random.nextInt(FuzzRig.CHUNK_SIZE + 1);
            case "size" -> random.nextInt(8) == 0 ? lie() : random.nextInt(3) * 1000L;
            case "mtimeNanos", "atimeNanos" -> random.nextBoolean() ? -1 : NOON_1990 + random.nextInt(100);
            default -> random.nextLong();
        };
    }

    private long lie() {
        return LIES[random.nextInt(LIES.length)];
    }

    private byte[] bytes(String data) {
        return switch (data) {
            case "path", "source", "target" -> path().getBytes(StandardCharsets.UTF_8);
            case "name" -> about.name().getBytes(StandardCharsets.UTF_8);
            case "owner", "group" -> OWNERS[random.nextInt(OWNERS.length)].getBytes(StandardCharsets.UTF_8);
            case "user" -> user.getBytes(StandardCharsets.UTF_8);
            case "realUser" -> realUser.getBytes(StandardCharsets.UTF_8);
            case "attribute" -> ATTRIBUTES[random.nextInt(ATTRIBUTES.length)].getBytes(StandardCharsets.UTF_8);
            case "entries" -> entries().getBytes(StandardCharsets.UTF_8);
            case "attributes" -> attributes().getBytes(StandardCharsets.UTF_8);
            case "directories", "inodes" -> new byte[Long.BYTES * random.nextInt(3)];
            case "paths" -> paths();
            case "removed" -> new byte[2 * Long.BYTES * random.nextInt(2)];
            case "payload", "value" -> {
                byte[] payload = new byte[random.nextInt(100)];
                random.nextBytes(payload);
                yield payload;
            }
            default -> new byte[0];
        };
    }

    /** An ACL, more or less. */
    private String entries() {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? WHOLE_ACL : "");
        for (int count = random.nextInt(4); count > 0; count--) {
            text.append(text.isEmpty() ? "" : "\0").append(ENTRIES[random.nextInt(ENTRIES.length)]);
        }
        return text.toString();
    }

    /** Several names, or none. */
    private String attributes() {
        StringBuilder text = new StringBuilder();
        for (int count = random.nextInt(3); count > 0; count--) {
            text.append(ATTRIBUTES[random.nextInt(ATTRIBUTES.length)]).append(count == 1 ? "" : "\0");
        }
        return text.toString();
    }

    /** Several paths, or none, each with its length. */
    private byte[] paths() {
        ByteBuffer out = ByteBuffer.allocate(PATHS_MAX * (Short.BYTES + 2 * Wire.PATH_MAX))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int count = random.nextInt(PATHS_MAX + 1); count > 0; count--) {
            byte[] path = path().getBytes(StandardCharsets.UTF_8);
            out.putShort((short) path.length).put(path);
        }
        byte[] paths = new byte[out.position()];
        out.get(0, paths);
        return paths;
    }

    private String path() {
        FuzzRig.Known place = known.get(random.nextInt(known.size()));
        String name = NAMES[random.nextInt(NAMES.length)];
        return switch (random.nextInt(24)) {
            case 0 -> "/";
            case 1 -> "";
            case 2 -> place.path() + "/";
            case 3 -> "/all/../" + name;
            case 4 -> "/all/" + "n".repeat(random.nextInt(3) + Wire.NAME_MAX - 1);
            case 5 -> "/all" + "/n123456".repeat(random.nextInt(3) + 1022);
            case 6 -> "/all/x\0" + name;
            case 7, 8, 9 -> name;
            case 10, 11 -> "/all/n1/n2/" + name;
            case 12, 13 -> "/tmp/" + name;
            case 14, 15, 16, 17 -> "/all/" + name;
            default -> place.path();
        };
    }
}
