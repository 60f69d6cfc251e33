package io.hmfs.core.sim;

import io.hmfs.core.lock.LockOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;

/** All combinations, over the lines that have stores in flight, of how many of its stores each line kept. */
final class CrashImages {
    static final int LINE_WORDS = 8;

    private final int[] lines;
    private final int[] logged;
    private final SortedMap<Integer, LineLog> logs;
    private final IntToLongFunction memory;

    /** By line, once a caller has asked, and by how many stores it has kept. */
    private final long[][][] contents;

    /** {@code logs} are those with stores in flight, and {@code memory} tells what is seen of a word. */
    CrashImages(SortedMap<Integer, LineLog> logs, IntToLongFunction memory) {
        this.logs = logs;
        this.memory = memory;
        lines = new int[logs.size()];
        logged = new int[logs.size()];
        contents = new long[logs.size()][0][];
        int i = 0;
        for (Map.Entry<Integer, LineLog> entry : logs.entrySet()) {
            lines[i] = entry.getKey();
            logged[i++] = entry.getValue().count();
        }
    }

    long count() {
        long count = 1;
        for (int items : logged) {
            if (count > Long.MAX_VALUE / (items + 1)) {
                return Long.MAX_VALUE;
            }
            count *= items + 1;
        }
        return count;
    }

    /** How many lines have stores in flight. */
    int lines() {
        return lines.length;
    }

    int line(int index) {
        return lines[index];
    }

    /** How many stores to the line are in flight. */
    int logged(int index) {
        return logged[index];
    }

    /** The value of a word in every image; the line of the word has no stores in flight. */
    long clean(int word) {
        return memory.applyAsLong(word);
    }

    /** What stands in a word of the line if that has kept so many stores. */
    long word(int index, int kept, int word) {
        if (contents[index].length == 0) {
            contents[index] = content(index);
        }
        return contents[index][kept][word % LINE_WORDS];
    }

    private long[][] content(int index) {
        long[][] content = new long[logged[index] + 1][];
        int first = lines[index] * LINE_WORDS;
        LineLog log = Objects.requireNonNull(logs.get(lines[index]));
        content[0] = new long[LINE_WORDS];
        Arrays.setAll(content[0], i -> log.durable(first + i));
        for (int store = 0; store < logged[index]; store++) {
            content[store + 1] = content[store].clone();
            log.copyStore(store, content[store + 1], first);
        }
        return content;
    }

    /** The image is another pool: the locks that the thread holds, if it was interrupted in an operation, are not that one's. */
    private static void show(Consumer<CrashImage> consumer, CrashImage image) {
        LockOrder.apart(() -> consumer.accept(image));
    }

    boolean forEach(int limit, long seed, Consumer<CrashImage> consumer) {
        if (count() <= limit) {
            all(consumer);
            return true;
        }
        sample(limit, new Random(seed), consumer);
        return false;
    }

    /** Counts through all combinations, one digit for each line. */
    private void all(Consumer<CrashImage> consumer) {
        int[] kept = new int[lines.length];
        while (true) {
            show(consumer, image(kept));
            int digit = 0;
            while (digit < kept.length && kept[digit] == logged[digit]) {
                kept[digit++] = 0;
            }
            if (digit == kept.length) {
                return;
            }
            kept[digit]++;
        }
    }

    /** There are more combinations than {@code limit}, so drawing until there are enough different ones ends. */
    private void sample(int limit, Random random, Consumer<CrashImage> consumer) {
        Set<CrashImage> seen = new HashSet<>();
        offer(image(new int[lines.length]), limit, seen, consumer);
        offer(image(logged), limit, seen, consumer);
        for (int i = 0; i < lines.length; i++) {
            int[] aloneKept = new int[lines.length];
            aloneKept[i] = logged[i];
            offer(image(aloneKept), limit, seen, consumer);
            int[] aloneLost = logged.clone();
            aloneLost[i] = 0;
            offer(image(aloneLost), limit, seen, consumer);
        }
        int[] kept = new int[lines.length];
        while (seen.size() < limit) {
            for (int i = 0; i < kept.length; i++) {
                kept[i] = random.nextInt(logged[i] + 1);
            }
            offer(image(kept), limit, seen, consumer);
        }
    }

    /** Each line in turn keeps a part of its stores, and all others keep everything. */
    void cuts(Consumer<CrashImage> consumer) {
        for (int i = 0; i < lines.length; i++) {
            int[] cut = logged.clone();
            while (--cut[i] > 0) {
                show(consumer, image(cut));
            }
        }
    }

    private static void offer(CrashImage image, int limit, Set<CrashImage> seen, Consumer<CrashImage> consumer) {
        if (seen.size() < limit && seen.add(image)) {
            show(consumer, image);
        }
    }

    CrashImage image(int[] kept) {
        return new CrashImage(lines, logged, kept);
    }
}
