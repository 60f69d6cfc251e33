package io.hmfs.server.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A file on a disk that may lose power: of each sector, and of the size, any version since the last force may be there afterwards. A process
 * that is killed leaves the last version, and of what it was writing some pages.
 */
final class SimObjectFile implements ObjectFile {
    static final int SECTOR = 512;
    private static final int PAGE = 4096;

    /** The process, or the machine, ended in this call. */
    static final class EndedException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private final Random random;
    private byte[] bytes = {};
    private byte[] forced = {};
    private final Map<Integer, List<byte[]>> versions = new TreeMap<>();
    private final List<Integer> sizes = new ArrayList<>();
    private boolean isEnded;
    long forces;

    /** Bytes that were read, from {@link #countedFrom} of the file on. */
    long bytesRead;

    long countedFrom;

    /** Calls that change the file until the one in which it ends. */
    long callsLeft = Long.MAX_VALUE;

    SimObjectFile(Random random) {
        this.random = random;
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        if (isEnded) {
            throw new EndedException();
        }
        int count = Math.clamp(bytes.length - position, 0, target.remaining());
        bytesRead += Math.clamp(position + count - countedFrom, 0, count);
        if (count > 0) {
            target.put(bytes, (int) position, count);
        }
        return count;
    }

    private boolean isEnd() throws IOException {
        if (isEnded) {
            throw new EndedException();
        }
        isEnded = --callsLeft < 0;
        return isEnded;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        byte[] written = new byte[source.remaining()];
        source.get(written);
        int length = written.length;
        boolean isEnd = isEnd();
        if (isEnd) { // some pages of it
            long page = position / PAGE + random.nextInt((int) ((position + length) / PAGE - position / PAGE + 1));
            length = Math.clamp(page * PAGE - position, 0, length);
        }
        put(written, length, (int) position);
        if (isEnd) {
            throw new EndedException();
        }
    }

    private void put(byte[] written, int length, int position) {
        if (length == 0) {
            return;
        }
        if (position + length > bytes.length) {
            resize(position + length);
        }
        System.arraycopy(written, 0, bytes, position, length);
        remember(position / SECTOR, (position + length - 1) / SECTOR);
    }

    private void resize(int size) {
        bytes = Arrays.copyOf(bytes, size);
        sizes.add(size);
    }

    private byte[] sector(byte[] from, int sector) {
        return Arrays.copyOfRange(
                Arrays.copyOf(from, Math.max(from.length, (sector + 1) * SECTOR)),
                sector * SECTOR,
                (sector + 1) * SECTOR);
    }

    private void remember(int first, int last) {
        for (int sector = first; sector <= last; sector++) {
            versions.computeIfAbsent(sector, each -> new ArrayList<>(List.of(sector(forced, each))))
                    .add(sector(bytes, sector));
        }
    }

    @Override
    public long size() {
        return bytes.length;
    }

    @Override
    public void truncate(long size) throws IOException {
        if (isEnd()) {
            throw new EndedException();
        }
        int before = bytes.length;
        if (size < before) {
            resize((int) size);
            remember((int) size / SECTOR, (before - 1) / SECTOR);
        }
    }

    @Override
    public void force() throws IOException {
        if (isEnd()) {
            throw new EndedException();
        }
        forces++;
        forced = bytes.clone();
        versions.clear();
        sizes.clear();
    }

    @Override
    public void close() {
        // there is nothing
    }

    /** What the next process finds. */
    SimObjectFile afterKill() {
        SimObjectFile next = new SimObjectFile(random);
        next.bytes = bytes.clone();
        next.forced = forced.clone();
        next.versions.putAll(versions);
        next.sizes.addAll(sizes);
        return next;
    }

    /** What the next start of the machine finds. */
    SimObjectFile afterPowerLoss() {
        SimObjectFile next = new SimObjectFile(random);
        sizes.addFirst(forced.length);
        int size = sizes.get(random.nextBoolean() ? sizes.size() - 1 : random.nextInt(sizes.size()));
        byte[] found = Arrays.copyOf(forced, Math.max(size, forced.length) + SECTOR);
        int newestOfTen = random.nextInt(11);
        versions.forEach((sector, each) -> {
            byte[] one = each.get(random.nextInt(10) < newestOfTen ? each.size() - 1 : random.nextInt(each.size()));
            int at = sector * SECTOR;
            System.arraycopy(one, 0, found, Math.min(at, found.length), Math.clamp(found.length - at, 0, SECTOR));
        });
        next.bytes = Arrays.copyOf(found, size);
        next.forced = next.bytes.clone();
        return next;
    }

    /** The same file with some bytes changed by the disk. */
    SimObjectFile damaged(int from, byte[] with) {
        SimObjectFile next = new SimObjectFile(random);
        next.bytes = bytes.clone();
        System.arraycopy(with, 0, next.bytes, from, Math.min(with.length, next.bytes.length - from));
        next.forced = next.bytes.clone();
        return next;
    }
}
