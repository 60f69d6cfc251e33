package io.hmfs.server.exec;

import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** For tests that act beside a service's requests: what these have resolved has to hear of a change of the tree. */
public final class ServiceChanges {
    private ServiceChanges() {}

    public static Status rmdir(Service service, long parent, Name name) {
        return service.changes.rmdir(parent, name);
    }

    public static Status chmod(Service service, long parent, Name name, int mode) {
        return service.changes.chmod(parent, name, mode);
    }

    public static Status chown(Service service, long parent, Name name, int uid, int gid) {
        return service.changes.chown(parent, name, uid, gid);
    }

    public static Status changeAcl(Service service, long parent, Name name, AclEdit edit) {
        return service.changes.changeAcl(parent, name, edit);
    }

    /** As after an error within an operation. */
    public static void fail(Service service, Throwable cause) {
        service.fail(cause);
    }
}
