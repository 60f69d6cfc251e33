package io.hmfs.server.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** The one door to an object's file, so that a test can put a disk behind it that loses power. */
interface ObjectFile extends Closeable {
    /** Fills a buffer from a position of the file on. Returns the bytes read: fewer than there is room for at the file's end, 0 behind it. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all of a buffer. */
    void write(ByteBuffer source, long position) throws IOException;

    long size() throws IOException;

    /** Cuts the file; it never makes it longer. */
    void truncate(long size) throws IOException;

    /** Returns when all that was written is durable, and the size with it. */
    void force() throws IOException;

    /** A file of the system. */
    record OfChannel(FileChannel channel) implements ObjectFile {
        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int done = 0;
            while (target.hasRemaining()) {
                int count = channel.read(target, position + done);
                if (count <= 0) {
                    break;
                }
                done += count;
            }
            return done;
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            long to = position;
            while (source.hasRemaining()) {
                to += channel.write(source, to);
            }
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
