package io.hmfs.server.request;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Status;

/** The engine's outcomes as the wire's; a new status does not compile until it is mapped. */
final class StatusCodes {
    private StatusCodes() {}

    static ResultCode wire(Status status) {
        return switch (status) {
            case OK -> ResultCode.OK;
            case NOT_FOUND -> ResultCode.NOT_FOUND;
            case EXISTS -> ResultCode.EXISTS;
            case NOT_EMPTY -> ResultCode.NOT_EMPTY;
            case NOT_DIRECTORY -> ResultCode.NOT_DIRECTORY;
            case IS_DIRECTORY -> ResultCode.IS_DIRECTORY;
            case NO_SUCH_DIRECTORY -> ResultCode.NO_SUCH_DIRECTORY;
            case NO_SPACE -> ResultCode.NO_SPACE;
            case INVALID_NAME -> ResultCode.INVALID_NAME;
            case NAME_TOO_LONG -> ResultCode.NAME_TOO_LONG;
            case LOOP -> ResultCode.LOOP;
            case STALE -> ResultCode.STALE;
            case INVALID_ARGUMENT -> ResultCode.INVALID_ARGUMENT;
            case IS_ROOT -> ResultCode.IS_ROOT;
            case TOO_MANY_LINKS -> ResultCode.TOO_MANY_LINKS;
            case NO_ATTRIBUTE -> ResultCode.NO_ATTRIBUTE;
            case VALUE_TOO_LARGE -> ResultCode.VALUE_TOO_LARGE;
            case ACCESS_DENIED -> ResultCode.ACCESS_DENIED;
            case UNRESOLVED_LINK -> ResultCode.UNRESOLVED_LINK;
            case NAME_QUOTA_EXCEEDED -> ResultCode.NAME_QUOTA_EXCEEDED;
            case SPACE_QUOTA_EXCEEDED -> ResultCode.SPACE_QUOTA_EXCEEDED;
            case DAMAGED -> ResultCode.DAMAGED;
        };
    }
}
