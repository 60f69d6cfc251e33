package io.hmfs.server.pipeline;

import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** For tests that act beside a service's requests: what these have resolved has to hear of a change of the tree. */
public final class ServiceChanges {
    private ServiceChanges() {}

    public static Status rmdir(Service service, long parent, Name name) {
        return service.partition.versions().rmdir(parent, name, Change.NONE);
    }

    public static Status chmod(Service service, long parent, Name name, int mode) {
        return service.partition.versions().chmod(parent, name, mode, Change.NONE);
    }

    public static Status chown(Service service, long parent, Name name, int uid, int gid) {
        return service.partition.versions().chown(parent, name, uid, gid, Change.NONE);
    }

    public static Status changeAcl(Service service, long parent, Name name, AclEdit edit) {
        return service.partition.versions().changeAcl(parent, name, edit, Change.NONE);
    }

    /** As after an error within an operation. */
    public static void fail(Service service, Throwable cause) {
        service.fail(cause);
    }
}
