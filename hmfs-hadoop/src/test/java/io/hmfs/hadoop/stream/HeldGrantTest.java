package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.Grant;
import io.hmfs.client.OpenedFile;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.functional.FutureIO;
import org.junit.jupiter.api.Test;

/**
 * Goal: a grant is asked for anew before it ends, for the same file only.
 * Method: grants that are due at once, on the shared server.
 */
class HeldGrantTest extends OwnDirectory {
    @Test
    void grants_are_asked_for_anew_before_they_end() throws IOException {
        String name = write("renewed", bytes(1, 6)).toUri().getPath();
        URI uri = TestServerProcess.shared().uri();
        try (ServerLink link = ServerLink.open(
                uri.getHost(), uri.getPort(), ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            OpenedFile opened = link.client().open(name, true, false);
            long inode = opened.info().id();
            HeldGrant fresh = new HeldGrant(link, () -> name, inode, false, Grant.NONE);
            assertEquals(Grant.NONE, fresh.current());
            Grant next = FutureIO.awaitFuture(fresh.another(Grant.NONE));
            assertNotEquals(Grant.NONE, next);
            assertEquals(next, fresh.current());
            HeldGrant old = new HeldGrant(link, () -> name, inode, false, Grant.NONE, 0);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
            Grant renewed = old.current(); // asks, and waits for no answer, which may be there all the same
            while (renewed.equals(Grant.NONE)) {
                assertTrue(System.nanoTime() < end, "it has not asked");
                Thread.onSpinWait();
                renewed = old.current();
            }
            int read = link.client()
                    .readBlockAsync(renewed, inode, 0, 0, new byte[6], 0, 6)
                    .join();
            assertEquals(6, read);
            HeldGrant moved = new HeldGrant(link, () -> name + "-gone", inode, false, opened.grant(), 0);
            assertNull(FutureIO.awaitFuture(moved.another(opened.grant())));
            assertEquals(opened.grant(), moved.current());
            HeldGrant other = new HeldGrant(link, () -> name, inode + 1, false, opened.grant(), 0);
            assertNull(FutureIO.awaitFuture(other.another(opened.grant())));
            assertEquals(opened.grant(), other.current());
        }
    }
}
