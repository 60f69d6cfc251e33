package io.hmfs.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a peer that asks for the health is answered whatever others are doing.
 * Method: peers whose answers take until the test says so.
 */
@Timeout(60)
class AdminHttpTest {
    private static final int OTHERS = 30;

    @Test
    void eachPeerIsServedOnItsOwn() throws Exception {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        CountDownLatch asked = new CountDownLatch(OTHERS);
        CountDownLatch end = new CountDownLatch(1);
        try (AdminHttp http = AdminHttp.start(free, () -> waitFor(asked, end), () -> new Health(List.of()))) {
            Socket[] others = new Socket[OTHERS];
            for (int i = 0; i < others.length; i++) {
                others[i] =
                        new Socket(http.address().getAddress(), http.address().getPort());
                others[i]
                        .getOutputStream()
                        .write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            HttpRequest health = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + http.address().getPort() + "/health"))
                    .timeout(Duration.ofSeconds(20))
                    .build();
            HttpResponse<String> answer = HttpClient.newHttpClient().send(health, HttpResponse.BodyHandlers.ofString());
            assertEquals(200, answer.statusCode());
            asked.await();
            end.countDown();
            for (Socket each : others) {
                each.close();
            }
        }
    }

    private static String waitFor(CountDownLatch asked, CountDownLatch end) {
        asked.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }
}
