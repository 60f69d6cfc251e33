package io.hmfs.server.transport.netty;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** What one peer sends in the course of one connection, or two users at once over one each. */
record FuzzSession(List<Part> parts) {
    /** A frame, or what was made of one; over RDMA also what else a peer does. */
    static final class Part {
        private final FuzzAct act;
        private final String what;
        private final byte[] valid;
        private final byte[] sent;
        private final int piece;
        private final boolean glued;
        private final boolean stall;

        /**
         * Makes a part.
         *
         * @param what for people
         * @param valid the frame before anything was done to it
         * @param sent what is sent
         * @param piece in pieces of so many bytes; 0: as one
         * @param glued whether the next one arrives in the same read
         * @param stall whether the peer stops to read before this, until the server stops to read too
         */
        Part(String what, byte[] valid, byte[] sent, int piece, boolean glued, boolean stall) {
            this(FuzzAct.STREAM, what, valid, sent, piece, glued, stall);
        }

        private Part(FuzzAct act, String what, byte[] valid, byte[] sent, int piece, boolean glued, boolean stall) {
            this.act = act;
            this.what = what;
            this.valid = valid;
            this.sent = sent;
            this.piece = piece;
            this.glued = glued;
            this.stall = stall;
        }

        /** Something that is no frame; what the bytes say {@link FuzzAct} tells. */
        static Part of(FuzzAct act, boolean glued, byte... bytes) {
            return new Part(act, act.toString(), bytes, bytes, 0, glued, false);
        }

        FuzzAct act() {
            return act;
        }

        /** The same, done in this way. */
        Part by(FuzzAct other) {
            return new Part(other, what, valid, sent, piece, glued, stall);
        }

        String what() {
            return what;
        }

        byte[] valid() {
            return valid;
        }

        byte[] sent() {
            return sent;
        }

        int piece() {
            return piece;
        }

        boolean glued() {
            return glued;
        }

        boolean stall() {
            return stall;
        }

        boolean isPlain() {
            return piece == 0 && !glued && !stall;
        }

        Part glued(boolean isGlued) {
            return new Part(act, what, valid, sent, piece, isGlued, stall);
        }

        /** The same of a peer that reads on. */
        Part reading() {
            return new Part(act, what, valid, sent, piece, glued, false);
        }

        Part plain() {
            return new Part(act, what, valid, sent, 0, false, false);
        }

        Part sending(byte[] bytes) {
            return new Part(act, what, valid, bytes, piece, glued, stall);
        }

        boolean isMutated() {
            return !Arrays.equals(valid, sent);
        }
    }

    /** All that is sent. */
    byte[] stream() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(part -> all.writeBytes(part.sent()));
        return all.toByteArray();
    }

    /** What each of its connections sends, that of the rival last, if there is one. */
    List<FuzzSession> sides() {
        FuzzSession own = new FuzzSession(
                parts.stream().filter(part -> part.act() != FuzzAct.RIVAL).toList());
        FuzzSession rivals = new FuzzSession(
                parts.stream().filter(part -> part.act() == FuzzAct.RIVAL).toList());
        return rivals.parts.isEmpty() ? List.of(own) : List.of(own, rivals);
    }

    /** Whether it is one for RDMA. */
    boolean isRdma() {
        return parts.stream().anyMatch(part -> part.act() != FuzzAct.STREAM && part.act() != FuzzAct.RIVAL);
    }

    FuzzSession without(int first, int count) {
        List<Part> fewer = new ArrayList<>(parts);
        fewer.subList(first, first + count).clear();
        return new FuzzSession(fewer);
    }

    FuzzSession with(int number, Part part) {
        List<Part> changed = new ArrayList<>(parts);
        changed.set(number, part);
        return new FuzzSession(changed);
    }

    /** In one line, which {@link #parse} takes: hex of each part, before it the letter of its act, its piece and what else is true of it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Part part : parts) {
            text.append(text.isEmpty() ? "" : ",")
                    .append(part.act().letter())
                    .append(part.piece())
                    .append(part.glued() ? "g" : "")
                    .append(part.stall() ? "s" : "")
                    .append(':')
                    .append(HexFormat.of().formatHex(part.sent()));
        }
        return text.toString();
    }

    static FuzzSession parse(String text) {
        List<Part> parts = new ArrayList<>();
        for (String each : text.strip().split(",", -1)) {
            int colon = each.indexOf(':');
            String flags = each.substring(0, Math.max(colon, 0));
            byte[] bytes = HexFormat.of().parseHex(each.substring(colon + 1));
            String digits = flags.replaceAll("[^0-9]", "");
            int piece = digits.isEmpty() ? 0 : Integer.parseInt(digits);
            Part part = new Part("replayed", bytes, bytes, piece, flags.contains("g"), flags.contains("s"));
            parts.add(part.by(FuzzAct.of(flags)));
        }
        return new FuzzSession(parts);
    }
}
