package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.QuotaInfo;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.Records;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: wherever a change of a quota is cut off, the next start has the old limits or the new ones, and can change them again.
 * Method: a real namespace whose records throw just before or just after one operation, which stops the server there; a second start.
 */
@Timeout(120)
class QuotaCrashTest {
    @TempDir
    private Path directory;

    private interface Change {
        void run(HmfsClient client) throws IOException;
    }

    private ServerConfig config() {
        return ServerConfig.builder(directory.resolve("p.pool"))
                .set(ServerSetting.PORT, 0)
                .build();
    }

    private static HmfsClient connect(HmfsServer server) throws IOException {
        return HmfsClient.connect("127.0.0.1", server.address().getPort(), ClientOptions.defaults());
    }

    /** A namespace whose records throw just before or just after one operation on them. */
    private static ServerNamespace cutOff(ServerNamespace real, String operation, boolean before, AtomicBoolean armed) {
        Records records = proxy(Records.class, real.records(), operation, before, armed);
        return (ServerNamespace) Proxy.newProxyInstance(
                QuotaCrashTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, arguments) -> method.getName().equals("records") ? records : call(real, method, arguments));
    }

    private static <T> T proxy(Class<T> type, T real, String operation, boolean before, AtomicBoolean armed) {
        return type.cast(Proxy.newProxyInstance(
                QuotaCrashTest.class.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    boolean cut = armed.get() && method.getName().equals(operation);
                    if (cut && before) {
                        throw new IllegalStateException("cut off before " + operation);
                    }
                    Object result = call(real, method, arguments);
                    if (cut) {
                        throw new IllegalStateException("cut off after " + operation);
                    }
                    return result;
                }));
    }

    private static @Nullable Object call(Object real, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** What the limits are when a change from 10 names to 20 has been cut off so. */
    private QuotaInfo after(String operation, boolean before, Change change) throws Exception {
        Hmfs.format(config().pool(), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        AtomicBoolean armed = new AtomicBoolean();
        try (ServerNamespace real = Hmfs.openForServer(config().pool(), OpenOptions.process())) {
            HmfsServer server = HmfsServer.start(config(), cutOff(real, operation, before, armed));
            CompletableFuture<IOException> changed;
            try (HmfsClient client = connect(server)) {
                client.mkdir("/q/in", 0755, true);
                client.create("/q/f", new CreateOptions(0644, false, false, 0755));
                client.trees().setQuota("/q", 10, 1000);
                armed.set(true);
                changed =
                        CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, () -> change.run(client)));
                assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            }
            changed.join();
        }
        try (HmfsServer again = HmfsServer.start(config());
                HmfsClient client = connect(again)) {
            QuotaInfo found = client.trees().quota("/q");
            client.trees().setQuota("/q", 30, QuotaInfo.KEEP);
            assertEquals(30, client.trees().quota("/q").nameQuota());
            assertEquals(3, client.trees().quota("/q").names());
            return found;
        }
    }

    @ParameterizedTest
    @CsvSource({"put,true,10", "put,false,20", "clear,true,20", "clear,false,20"})
    void aLimitThatIsRaisedIsTheOldOneOrTheNew(String operation, boolean before, long expected) throws Exception {
        QuotaInfo found = after(operation, before, client -> client.trees().setQuota("/q", 20, QuotaInfo.KEEP));
        assertEquals(new QuotaInfo(expected, 1000, 3, 0), found);
    }

    @Test
    void aLimitThatIsClearedIsThereOrGone() throws Exception {
        assertEquals(
                10,
                after("clear", true, client -> client.trees().setQuota("/q", QuotaInfo.NONE, QuotaInfo.NONE))
                        .nameQuota());
    }

    @Test
    void aLimitThatWasClearedStaysSo() throws Exception {
        QuotaInfo found =
                after("clear", false, client -> client.trees().setQuota("/q", QuotaInfo.NONE, QuotaInfo.NONE));
        assertEquals(new QuotaInfo(QuotaInfo.NONE, QuotaInfo.NONE, 0, 0), found);
    }
}
