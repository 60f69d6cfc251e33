package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.admission.SafeMode;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SafeModeDecoder;
import io.hmfs.wire.Wire;

/** SafeMode: asks whether the server takes changes; a superuser has it take none, or take them again. */
public final class SafeModeHandler implements Handler {
    private static final int ASK = 0;
    private static final int ENTER = 1;
    private static final int LEAVE = 2;

    private final SafeMode safeMode;
    private final SafeModeDecoder decoder = new SafeModeDecoder();

    public SafeModeHandler(SafeMode safeMode) {
        this.safeMode = safeMode;
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(SafeModeDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int action = decoder.action();
        if (action != ASK && request.access().isLimited()) {
            request.reply().status(request.access().deniedToOthersThanSuperusers());
            return;
        }
        switch (action) {
            case ASK -> {}
            case ENTER -> safeMode.set(true, request.access().user());
            case LEAVE -> safeMode.set(false, request.access().user());
            default -> {
                request.reply().status(Status.INVALID_ARGUMENT);
                return;
            }
        }
        request.reply().safeMode(safeMode.isOn());
    }
}
