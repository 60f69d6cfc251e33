package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.SocketKind;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** Netty's classes for each {@link SocketKind}. None is loaded, and no ring is made, before it is asked for. */
public final class NettySockets {
    private static final String REPEATED_ACCEPTS = "io.netty.iouring.acceptMultiShotEnabled";

    static { // before any class of Netty's io_uring is loaded
        // In Netty 4.2.18 an accept that repeats itself spins when there are no file descriptors:
        // 1.6 million errors in 20 s.
        if (System.getProperty(REPEATED_ACCEPTS) == null) {
            System.setProperty(REPEATED_ACCEPTS, "false");
        }
    }

    private static final Path URING_SWITCH = Path.of("/proc/sys/kernel/io_uring_disabled");

    private NettySockets() {}

    /**
     * The kind that a wanted kind means here; never {@code AUTO}.
     *
     * @throws IOException the kind was named and cannot be used; the message says why and what to do
     */
    static SocketKind resolve(SocketKind wanted) throws IOException {
        if (wanted == SocketKind.AUTO) {
            return obstacle(SocketKind.EPOLL) == null ? SocketKind.EPOLL : SocketKind.NIO;
        }
        String obstacle = obstacle(wanted);
        if (obstacle != null) {
            throw new IOException("transport " + wanted.label() + " cannot be used: " + obstacle
                    + ". Or leave the choice to the server: transport auto");
        }
        return wanted;
    }

    /** Why a kind cannot be used here; null if it can. */
    public static @Nullable String obstacle(SocketKind kind) {
        boolean nativeAccess = NettySockets.class.getModule().isNativeAccessEnabled();
        return switch (kind) {
            case AUTO, NIO -> null;
            case EPOLL -> obstacle(nativeAccess, "", Epoll::unavailabilityCause);
            case IO_URING -> obstacle(nativeAccess, uringSwitch(), IoUring::unavailabilityCause);
        };
    }

    private static String uringSwitch() {
        try {
            return Files.readString(URING_SWITCH).strip();
        } catch (IOException e) {
            return ""; // an older kernel, which has no such switch
        }
    }

    /**
     * The first thing that stands in the way, of those that a person can change before the one that the library
     * reports.
     *
     * @param uringSwitch what {@code kernel.io_uring_disabled} says; empty where it has no say
     * @param library asked last: it loads native code
     */
    static @Nullable String obstacle(
            boolean nativeAccess, String uringSwitch, Supplier<? extends @Nullable Throwable> library) {
        if (!nativeAccess) {
            return "native access is off; start java with --enable-native-access=ALL-UNNAMED, as bin/hmfs does";
        }
        if (uringSwitch.equals("2")) {
            return "the kernel's switch is off for all users; sysctl kernel.io_uring_disabled=0 turns it on";
        }
        Throwable cause = library.get();
        if (cause == null) {
            return null;
        }
        if (uringSwitch.equals("1")) {
            return "the kernel's switch is off for this user; sysctl kernel.io_uring_disabled=0 turns it on for all users";
        }
        Throwable deepest = cause;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        return "the library for it says: " + deepest.getMessage() + " (" + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + ", " + System.getProperty("os.arch")
                + "; in a container also its seccomp profile can forbid it)";
    }

    static IoHandlerFactory handlers(SocketKind kind) {
        return switch (kind) {
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            case NIO, AUTO -> NioIoHandler.newFactory();
        };
    }

    static Class<? extends ServerSocketChannel> listener(SocketKind kind) {
        return switch (kind) {
            case EPOLL -> EpollServerSocketChannel.class;
            case IO_URING -> IoUringServerSocketChannel.class;
            case NIO, AUTO -> NioServerSocketChannel.class;
        };
    }

    /** Seconds of silence before a probe. */
    static ChannelOption<Integer> keepAliveIdle(SocketKind kind) {
        return switch (kind) {
            case EPOLL -> EpollChannelOption.TCP_KEEPIDLE;
            case IO_URING -> IoUringChannelOption.TCP_KEEPIDLE;
            case NIO, AUTO -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE);
        };
    }

    /** Seconds between two. */
    static ChannelOption<Integer> keepAliveInterval(SocketKind kind) {
        return switch (kind) {
            case EPOLL -> EpollChannelOption.TCP_KEEPINTVL;
            case IO_URING -> IoUringChannelOption.TCP_KEEPINTVL;
            case NIO, AUTO -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL);
        };
    }

    /** Probes without an answer that end the connection. */
    static ChannelOption<Integer> keepAliveCount(SocketKind kind) {
        return switch (kind) {
            case EPOLL -> EpollChannelOption.TCP_KEEPCNT;
            case IO_URING -> IoUringChannelOption.TCP_KEEPCNT;
            case NIO, AUTO -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT);
        };
    }
}
