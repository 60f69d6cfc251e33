package io.hmfs.server.exec;

import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** For tests that change the tree beside a service's requests: what these have resolved has to hear of it. */
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
}
