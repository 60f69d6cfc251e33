package io.hmfs.client;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that a test stops and starts again. One that the system chose would be given to the next who
 * asks while the server is down; this one lies below those that are given, and no other test takes it.
 */
public final class StablePort implements AutoCloseable {
    private static final int LOWEST = 10_000;

    /** Whose first number is the lowest that the system gives. */
    private static final Path GIVEN = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    /** If fewer ports than this lie below those that the system gives, any port is taken: then only the claim protects it. */
    private static final int FEW = 1_000;

    private static final int HIGHEST_OF_ALL = 60_000;
    private static final int ATTEMPTS = 1_000;

    private final int port;

    /**
     * A UDP socket bound to the same number. UDP and TCP ports are separate, so it does not hinder the server, and no
     * other test can bind it, so no other test chooses this number.
     */
    private final DatagramSocket claim;

    private StablePort(int port, DatagramSocket claim) {
        this.port = port;
        this.claim = claim;
    }

    /** One that nobody listens at. */
    public static StablePort claim() throws IOException {
        int given = lowestGiven();
        int end = given - LOWEST < FEW ? HIGHEST_OF_ALL : given;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            DatagramSocket claim;
            try {
                claim = new DatagramSocket(new InetSocketAddress(loopback, port));
            } catch (BindException e) {
                continue; // another test's
            }
            try {
                new ServerSocket(port, 1, loopback).close();
                return new StablePort(port, claim);
            } catch (BindException e) {
                claim.close(); // of a server that is not a test's
            }
        }
        throw new IOException("no port is free from " + LOWEST + " to " + end);
    }

    private static int lowestGiven() throws IOException {
        try (Scanner range = new Scanner(GIVEN, StandardCharsets.US_ASCII)) {
            return range.nextInt();
        }
    }

    public int number() {
        return port;
    }

    @Override
    public void close() {
        claim.close();
    }
}
