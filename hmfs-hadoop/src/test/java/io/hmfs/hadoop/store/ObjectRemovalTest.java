package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: many threads that remove objects at once do not get in each other's way. Method: a store that has nothing to
 * remove.
 */
@Timeout(200)
class ObjectRemovalTest {
    private static final int FILES = 150_000;

    @Test
    void as_many_files_as_the_server_can_be_told_of_at_once_go_at_once() throws IOException {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
        DataStore nothing = (DataStore) Proxy.newProxyInstance(
                ObjectRemovalTest.class.getClassLoader(),
                new Class<?>[] {DataStore.class},
                (proxy, method, arguments) -> {
                    LockSupport.parkNanos(1); // some microseconds, then any of the threads
                    return null;
                });
        try (TestServerProcess server = TestServerProcess.startWithHadoopStore();
                HmfsClient client = HmfsClient.connect(
                        server.uri().getHost(),
                        server.uri().getPort(),
                        ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            ObjectRemoval removal = new ObjectRemoval(nothing, client, Duration.ofDays(1));
            removal.start();
            for (int i = 1; i <= FILES; i++) {
                removal.drop(1_000_000L + i, 1); // ids that are on no record
            }
            removal.settle();
            removal.close();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertEquals(List.of(), uncaught);
    }
}
