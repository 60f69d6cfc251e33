package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Status;
import io.hmfs.server.partition.Scrubber;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ScrubDecoder;
import io.hmfs.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Scrub: a superuser is told of the scrub of the builtin data store, or has one begin. */
public final class ScrubHandler implements Handler {
    private static final System.Logger LOG = System.getLogger(ScrubHandler.class.getName());
    private static final int TELL = 0;
    private static final int BEGIN = 1;
    private static final int TOLD_BYTES = 64 << 10; // and the last one
    private static final int DAMAGE_BYTES = 3 * Long.BYTES + Short.BYTES;

    private final String dataStore;
    private final ScrubDecoder scrub = new ScrubDecoder();

    /** {@code dataStore}: where file data goes, for messages. */
    public ScrubHandler(String dataStore) {
        this.dataStore = dataStore;
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(ScrubDecoder.BLOCK_LENGTH);
        scrub.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        Scrubber scrubber = request.partition().scrubber();
        if (request.access().isLimited()) { // the reply has paths of all users
            request.reply().status(request.access().deniedToOthersThanSuperusers());
        } else if (scrubber == null) {
            request.reply().failure(ResultCode.BAD_REQUEST, "file data goes to " + dataStore + ", not here");
        } else if (scrub.action() > BEGIN || scrub.bytesPerSecond() < 0) {
            request.reply().status(Status.INVALID_ARGUMENT);
        } else {
            if (scrub.action() != TELL) {
                String user = request.access().user().replaceAll("\\p{Cntrl}", "?");
                LOG.log(Level.INFO, "{0} has a scrub begin", user);
                scrubber.begin(scrub.bytesPerSecond());
            }
            tell(request, scrubber);
        }
    }

    private void tell(Request request, Scrubber scrubber) {
        Scrubber.Figures figures =
                scrubber.figures(); // before the damage: what was found since then is in the next answer
        int from = (int) Math.min(scrub.from(), Scrubber.DAMAGE_MAX);
        List<Scrubber.Damage> damage = scrubber.damage(from);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int told = 0;
        while (told < damage.size() && out.size() < TOLD_BYTES) {
            Scrubber.Damage each = damage.get(told++);
            byte[] path = each.path().getBytes(StandardCharsets.UTF_8);
            int length = Math.min(path.length, Wire.PATH_MAX);
            ByteBuffer fields = ByteBuffer.allocate(DAMAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            fields.putLong(each.inode()).putLong(each.from()).putLong(each.to()).putShort((short) length);
            out.writeBytes(fields.array());
            out.write(path, 0, length);
        }
        request.reply().scrub(figures, told < damage.size() ? from + told : 0, out.toByteArray());
    }
}
