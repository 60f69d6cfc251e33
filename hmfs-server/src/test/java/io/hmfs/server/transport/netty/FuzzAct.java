package io.hmfs.server.transport.netty;

/** What a peer does over RDMA with the bytes of a part of a session. */
enum FuzzAct {
    /** Sends them as bytes of the stream, in messages. The only act that there is without RDMA. */
    STREAM(""),
    /** Sends them as bytes of the stream in a piece of its memory, if it has one that is free. */
    LONG("L"),
    /** Sends them as one message, header included, whether it may or not. */
    MESSAGE("M"),
    /** Sends so many messages more than it has credits: one byte. */
    FLOOD("F"),
    /** Announces windows: one byte, the number of a {@link FuzzWindows}. */
    WINDOWS("W"),
    /** Deregisters a window: one byte, 0 the one that the server writes, 1 the one that it reads. */
    WITHDRAW("D"),
    /** Dies in the middle of a write of the server, after so many whole ones: one byte. */
    TEAR("T"),
    /** Handles so many events and no more: one byte. */
    POLL("P"),
    /** Ends the connection. */
    LEAVE("X"),
    /** Has asked for the connection with these bytes; first of a session. */
    GREETING("G"),
    /** Another user, over a connection of its own, sends them as bytes of its stream. Not over RDMA. */
    RIVAL("R");

    private final String letter;

    FuzzAct(String letter) {
        this.letter = letter;
    }

    String letter() {
        return letter;
    }

    /** The one whose letter a text begins with. */
    static FuzzAct of(String text) {
        for (FuzzAct each : values()) {
            if (each != STREAM && text.startsWith(each.letter)) {
                return each;
            }
        }
        return STREAM;
    }
}
