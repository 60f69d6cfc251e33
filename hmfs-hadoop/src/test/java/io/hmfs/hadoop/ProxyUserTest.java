package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/**
 * Goal: a service acts for its users as Hadoop's do, by {@code createProxyUser}, and only for those that the server
 * lets it act for.
 */
class ProxyUserTest {
    private static FileSystem open(String user, String service) throws IOException, InterruptedException {
        UserGroupInformation real = UserGroupInformation.createRemoteUser(service);
        return UserGroupInformation.createProxyUser(user, real).doAs((PrivilegedExceptionAction<FileSystem>)
                () -> FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration()));
    }

    @Test
    void a_service_acts_for_a_user_and_what_it_makes_is_his() throws Exception {
        Path directory = new Path("/proxied");
        try (FileSystem own = FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration());
                FileSystem carols = open("carol", TestServerMain.SERVICE)) {
            own.mkdirs(directory);
            own.setPermission(directory, new FsPermission((short) 0777));
            carols.create(new Path(directory, "file")).close();
            assertEquals("carol", own.getFileStatus(new Path(directory, "file")).getOwner());
            assertEquals("/user/carol", carols.getHomeDirectory().toUri().getPath());
            own.delete(directory, true);
        }
    }

    private static void refuses(String user, String service) {
        String refusal = String.valueOf(assertThrows(AccessControlException.class, () -> open(user, service))
                .getMessage());
        assertTrue(refusal.endsWith(": User: " + service + " is not allowed to impersonate " + user), refusal);
    }

    @Test
    void it_acts_for_no_other_user_and_others_act_for_no_user() {
        refuses("dave", TestServerMain.SERVICE);
        refuses("carol", "dave");
    }

    /** Nobody is impersonated then. */
    @Test
    void a_user_acts_for_itself() throws Exception {
        try (FileSystem own = open("dave", "dave")) {
            assertEquals("/user/dave", own.getHomeDirectory().toUri().getPath());
            assertTrue(own.exists(new Path("/")));
        }
    }
}
