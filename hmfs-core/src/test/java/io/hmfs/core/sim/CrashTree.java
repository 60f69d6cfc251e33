package io.hmfs.core.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a program, such as a recovery, comes to after each image that a power loss could leave, without a run on each: a run depends
 * on what it reads alone, so it comes to the same on all images that agree in the words that it reads. The runs make a tree, of the
 * words in the order in which they are read, with a branch for each value that was met; only where no run has gone yet is there a
 * new one. The idea is that of Jaaru (Gorjiara, Xu and Demsky, ASPLOS '21), which decides at a load which of the stores it sees.
 *
 * <p>One tree serves all moments of all runs on pools of one layout. The program runs in one thread and does the same where it reads
 * the same: where the tree notices that it does not, that is an error.
 */
public final class CrashTree<T> {
    /** Words that are read one after the other, and then one by whose value it is told how to go on, or the end. */
    private static final class Node<T> {
        private final int[] words;
        private final long[] values;
        private final int from;
        private int to;
        private Map<Long, Node<T>> next = Map.of();
        private @Nullable T result;

        Node(int[] words, long[] values, int from, int to, @Nullable T result) {
            this.words = words;
            this.values = values;
            this.from = from;
            this.to = to;
            this.result = result;
        }

        /** Makes the read {@code at} the one by whose value it is told. */
        void splitAt(int at) {
            Node<T> rest = new Node<>(words, values, at + 1, to, result);
            rest.next = next;
            next = new HashMap<>(Map.of(values[at], rest));
            result = null;
            to = at;
        }
    }

    private record Found<T>(T result, CrashImage image) {}

    private static final int CLEAN = -1;

    /** Each run takes some tens of kilobytes: with so many the tree begins anew. */
    private static final int KEPT_MAX = 20_000;

    /** One of so many results is come to once more. */
    private static final int REPEATED = 40;

    private final Function<SimPoolFile, T> program;
    private final Random random;
    private @Nullable Node<T> root;
    private int runs;
    private int forgotten;

    /** {@code random} chooses, of the images that a run cannot tell apart, the one it runs on. */
    public CrashTree(Function<SimPoolFile, T> program, Random random) {
        this.program = program;
        this.random = random;
    }

    /** How often the program has run. */
    public int runs() {
        return runs;
    }

    /**
     * Hands out each result that an image of a power loss now leads to, with one such image; {@code verdict} may explore in turn. It
     * takes at most so many new runs, not counting a tree's first; false if it would take more, and then some are missing, chosen by chance, but not
     * what nothing kept and everything kept lead to. Some are run once more on another image, to see that they come to the same.
     */
    public boolean explore(SimPoolFile running, int runsMax, BiConsumer<T, CrashImage> verdict) {
        if (runs - forgotten > KEPT_MAX) {
            root = null;
            forgotten = runs;
        }
        Moment moment = new Moment(running, runsMax);
        if (root == null) {
            root = moment.run(0, moment.all);
        }
        moment.walk(root, 0, moment.all);
        boolean missing = moment.missing;
        if (missing) {
            moment.walkExtremes(root);
        }
        for (Found<T> found : moment.found) {
            if (random.nextInt(REPEATED) == 0) {
                T again = program.apply(running.crashed(found.image));
                if (!again.equals(found.result)) {
                    throw new AssertionError("image " + found.image + ": " + again
                            + " and not, as after the same reads, " + found.result);
                }
            }
            verdict.accept(found.result, found.image);
        }
        return !missing;
    }

    /** The images of one moment. Of each dirty line those first parts of its stores are possible that agree with all reads so far. */
    private final class Moment {
        private final SimPoolFile running;
        private final CrashImages images;

        /** By line: which of the dirty ones it is. */
        private final int[] dirty;

        private final int[][] all;
        private final List<Found<T>> found = new ArrayList<>();

        /** The words that were read to get here. */
        private int[] loaded = new int[1024];

        private int runsLeft;
        private boolean missing;

        Moment(SimPoolFile running, int runsMax) {
            this.running = running;
            this.images = running.pmem().allImages();
            this.runsLeft = runsMax;
            dirty = new int[(int) (running.pmem().size() / SimPmem.LINE)];
            Arrays.fill(dirty, CLEAN);
            all = new int[images.lines()][];
            for (int i = 0; i < all.length; i++) {
                dirty[images.line(i)] = i;
                all[i] = new int[images.logged(i) + 1];
                Arrays.setAll(all[i], kept -> kept);
            }
        }

        /** {@code read} words were read before the node. */
        void walk(Node<T> node, int read, int[][] possible) {
            for (int at = node.from; at < node.to; at++) {
                if (!isSure(node.words[at], node.values[at], possible)) {
                    node.splitAt(at);
                }
            }
            int count = node.to - node.from;
            if (node.result != null) {
                found.add(new Found<>(node.result, any(possible)));
                return;
            }
            if (read + count >= loaded.length) {
                loaded = Arrays.copyOf(loaded, 2 * (read + count));
            }
            System.arraycopy(node.words, node.from, loaded, read, count + 1);
            int word = node.words[node.to];
            int line = dirty[word / CrashImages.LINE_WORDS];
            if (line == CLEAN) {
                branch(node, images.clean(word), read + count + 1, possible);
                return;
            }
            long first = images.word(line, possible[line][0], word);
            if (isSure(word, first, possible)) { // nearly always, and far cheaper
                branch(node, first, read + count + 1, possible);
                return;
            }
            Map<Long, List<Integer>> byValue = new TreeMap<>();
            for (int kept : possible[line]) {
                byValue.computeIfAbsent(images.word(line, kept, word), _ -> new ArrayList<>())
                        .add(kept);
            }
            List<Long> values = new ArrayList<>(byValue.keySet());
            Collections.shuffle(values, random);
            for (long value : values) {
                int[][] fewer = possible.clone();
                fewer[line] = Objects.requireNonNull(byValue.get(value)).stream()
                        .mapToInt(kept -> kept)
                        .toArray();
                branch(node, value, read + count + 1, fewer);
            }
        }

        /** With nothing kept and with everything kept. */
        void walkExtremes(Node<T> tree) {
            int[][] nothing = new int[all.length][];
            int[][] everything = new int[all.length][];
            for (int i = 0; i < all.length; i++) {
                nothing[i] = new int[] {0};
                everything[i] = new int[] {all[i].length - 1};
            }
            runsLeft = 2;
            walk(tree, 0, nothing);
            walk(tree, 0, everything);
        }

        private void branch(Node<T> node, long value, int read, int[][] possible) {
            Node<T> next = node.next.get(value);
            if (next == null) {
                if (runsLeft == 0) {
                    missing = true;
                    return;
                }
                runsLeft--;
                next = run(read, possible);
                node.next.put(value, next);
            }
            walk(next, read, possible);
        }

        /** Whether all of the images that are possible have the value there. */
        private boolean isSure(int word, long value, int[][] possible) {
            int line = dirty[word / CrashImages.LINE_WORDS];
            if (line == CLEAN) {
                return images.clean(word) == value;
            }
            for (int kept : possible[line]) {
                if (images.word(line, kept, word) != value) {
                    return false;
                }
            }
            return true;
        }

        private CrashImage any(int[][] possible) {
            int[] kept = new int[possible.length];
            for (int i = 0; i < kept.length; i++) {
                kept[i] = possible[i][random.nextInt(possible[i].length)];
            }
            return images.image(kept);
        }

        /** On one of these images; its first reads are those already loaded. */
        private Node<T> run(int read, int[][] possible) {
            runs++;
            CrashImage image = any(possible);
            SimPoolFile crashed = running.crashed(image);
            ReadPath path = new ReadPath((int) (crashed.pmem().size() / Long.BYTES));
            crashed.pmem().reads = path;
            T result;
            try {
                result = program.apply(crashed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("image " + image + ": " + e.getMessage(), e);
            }
            if (!path.beginsWith(loaded, read)) {
                throw new AssertionError(
                        "image " + image + ": a run reads other words than one before, which read the same until then");
            }
            return new Node<>(path.wordsFrom(read), path.valuesFrom(read), 0, path.count() - read, result);
        }
    }
}
