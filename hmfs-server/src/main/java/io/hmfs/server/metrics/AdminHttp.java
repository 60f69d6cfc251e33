package io.hmfs.server.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * {@code /metrics} and {@code /health} over HTTP, for monitoring. It only reads: GET and HEAD, no body is looked at, no parameters.
 * Threads, connections and times are bounded, so that a stranger that gets here can at most keep others from it.
 */
public final class AdminHttp implements AutoCloseable {
    /** Each has a thread of its own while its request comes and is answered: none waits for another's silence. */
    private static final int CONNECTIONS = 64;

    private static final int BACKLOG = 16;
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";

    static {
        // The JDK's server has no other way to be told. What the process has set already stays.
        limit("sun.net.httpserver.maxReqTime", "3");
        limit("sun.net.httpserver.maxRspTime", "30");
        limit("sun.net.httpserver.clockTick", "1000"); // how often it looks for connections that never send anything
        limit("sun.net.httpserver.maxReqHeaders", "50");
        limit("jdk.httpserver.maxConnections", String.valueOf(CONNECTIONS));
    }

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Supplier<String> metrics;
    private final Supplier<Health> health;

    private AdminHttp(InetSocketAddress address, Supplier<String> metrics, Supplier<Health> health) throws IOException {
        this.metrics = metrics;
        this.health = health;
        server = HttpServer.create(address, BACKLOG);
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                CONNECTIONS,
                CONNECTIONS,
                5,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(CONNECTIONS),
                task -> Thread.ofPlatform()
                        .daemon()
                        .name("hmfs-admin-" + number.incrementAndGet())
                        .unstarted(task));
        threads.allowCoreThreadTimeOut(true);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private static void limit(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Listens and answers. Throws with the address and what to do about it. */
    public static AdminHttp start(InetSocketAddress address, Supplier<String> metrics, Supplier<Health> health)
            throws IOException {
        try {
            return new AdminHttp(address, metrics, health);
        } catch (IOException | RuntimeException e) { // an unknown host is an IllegalArgumentException or so
            throw new IOException(
                    "cannot serve metrics on " + address.getHostString() + ":" + address.getPort() + ": "
                            + e.getMessage() + "; choose another admin-port (0: any free one, off: none) or admin-host",
                    e);
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            String path = exchange.getRequestURI().getPath();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, TEXT, "only GET\n");
            } else if ("/metrics".equals(path)) {
                send(exchange, 200, TEXT, metrics.get());
            } else if ("/health".equals(path)) {
                Health now = health.get();
                send(exchange, now.isHealthy() ? 200 : 503, JSON, json(now));
            } else {
                send(exchange, 404, TEXT, "an HMFS server: /metrics, /health\n");
            }
        } catch (RuntimeException e) {
            System.getLogger(AdminHttp.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot answer " + exchange.getRequestURI(), e);
            throw e;
        }
    }

    private static void send(HttpExchange exchange, int code, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("Connection", "close"); // an answered connection keeps no place
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(code, -1);
            return;
        }
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** The texts are this server's own and need no escaping but quotes. */
    private static String json(Health health) {
        StringBuilder json = new StringBuilder("{\"status\":\"")
                .append(health.isHealthy() ? "ok" : "failing")
                .append("\",\"problems\":[");
        String between = "";
        for (String problem : health.problems()) {
            json.append(between)
                    .append('"')
                    .append(problem.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
            between = ",";
        }
        return json.append("]}\n").toString();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
