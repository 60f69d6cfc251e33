package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.request.Request;

/** A change of one extended attribute: of {@code user.} attributes by users that may write the object, of a sticky directory its owner. */
final class XattrChange {
    private static final int STICKY = 01000;

    private final ChangeTarget target = new ChangeTarget();

    /** What the engine is asked for. */
    interface Action {
        Status run();
    }

    /** Makes the change and replies. */
    void execute(Request request, String attribute, long base, int at, int length, Action action) {
        Status outcome = ChangeTarget.resolve(request, base, at, length);
        if (outcome == Status.OK) {
            outcome = change(request, attribute, action);
        }
        if (outcome == Status.NO_ATTRIBUTE) {
            XattrNames.missing(request, attribute);
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private Status change(Request request, String attribute, Action action) {
        target.lockToCheck(request);
        try {
            Status outcome = target.look(request);
            if (outcome == Status.OK && XattrNames.isUsers(attribute)) {
                outcome = mayChange(request, target.object());
            }
            if (outcome == Status.OK) {
                outcome = action.run();
            }
            return outcome;
        } finally {
            target.unlock(request);
        }
    }

    private static Status mayChange(Request request, Attributes object) {
        boolean sticky = object.isDirectory() && (object.mode & STICKY) != 0;
        return sticky ? request.path().isOwner(object) : request.path().may(object, Access.WRITE);
    }
}
