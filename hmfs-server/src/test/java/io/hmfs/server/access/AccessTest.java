package io.hmfs.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Status;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a request sees one answer to whether anything is checked for its user, whatever becomes of the user's groups meanwhile.
 * Method: the groups change between two questions of one request.
 */
class AccessTest {
    private static final long LONG_NANOS = 1L << 60;

    @TempDir
    private Path directory;

    /** HDFS marks neither in its sentence. */
    @Test
    void theSentenceOfADenialTellsNeitherAclNorLink() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        AccessConfig config = ServerConfig.builder(Path.of("p")).build().access();
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            Callers callers = new Callers(namespace, config, _ -> List.of(), Runnable::run, 1, () -> 0);
            Access access = new Access(namespace);
            access.actFor(callers.of("ann", "host").join());
            Attributes object = new Attributes();
            object.mode = 0740;
            object.type = FileType.SYMLINK;
            object.acl = new long[] {Acl.entry(false, Acl.GROUP, 7)};
            object.hasAcl = true;
            assertEquals(Status.ACCESS_DENIED, access.check(object, Access.WRITE, () -> "/l"));
            String owner = namespace.principalName(0);
            assertEquals(
                    "Permission denied: user=ann, access=WRITE, inode=\"/l\":" + owner + ":" + owner + ":-rwxr-----",
                    access.reason());
        }
    }

    @Test
    void whoeverLosesTheSupergroupLosesItBetweenRequests() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        AtomicLong clock = new AtomicLong();
        AtomicReference<List<String>> groups = new AtomicReference<>(List.of("admins"));
        AccessConfig config = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, "root")
                .set(ServerSetting.SUPERGROUP, "admins")
                .build()
                .access();
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            Callers callers = new Callers(namespace, config, user -> groups.get(), Runnable::run, 1, clock::get);
            Caller ann = callers.of("ann", "host").join();
            ann.connected();
            Access access = new Access(namespace);
            Attributes secret = new Attributes();
            secret.mode = 0700;
            access.actFor(ann);
            assertFalse(access.isLimited());
            groups.set(List.of("staff"));
            clock.addAndGet(LONG_NANOS);
            callers.refresh();
            assertFalse(access.isLimited());
            assertEquals(Status.OK, access.check(secret, Access.READ, () -> "/secret"));
            access.actFor(ann);
            assertTrue(access.isLimited());
            assertEquals(Status.ACCESS_DENIED, access.check(secret, Access.READ, () -> "/secret"));
        }
    }
}
