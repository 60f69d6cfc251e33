package io.hmfs.bench.load;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * The keys of a load, made before anything is timed: bytes for the engine and Strings for the map, in the order of creation and in
 * the random order of look-up, laid out alike for both.
 *
 * @param directories directories that file {@code i} is spread over: {@code i % directories}
 * @param names 16 bytes a file, in the order of creation
 * @param lookUpNames the same in the order of look-up
 * @param order number of the file that is looked up at each step
 * @param strings the map's keys, in the order of creation
 * @param lookUpStrings what the map is asked with, in the order of look-up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeySet(
        int directories, byte[] names, byte[] lookUpNames, int[] order, String[] strings, String[] lookUpStrings) {
    /** Bytes of each name. */
    static final int NAME_LENGTH = 16;

    private static final long SEED = 8930;
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    static KeySet of(EngineOptions options) {
        int files = options.files();
        int[] order = shuffled(files);
        byte[] names = new byte[files * NAME_LENGTH];
        String[] strings = new String[files];
        for (int i = 0; i < files; i++) {
            String name = name(options.names(), i);
            byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(bytes, 0, names, i * NAME_LENGTH, NAME_LENGTH);
            strings[i] = key(options, i, name);
        }
        byte[] lookUpNames = new byte[names.length];
        String[] lookUpStrings = new String[files];
        for (int i = 0; i < files; i++) {
            int file = order[i];
            System.arraycopy(names, file * NAME_LENGTH, lookUpNames, i * NAME_LENGTH, NAME_LENGTH);
            lookUpStrings[i] = options.lookUp() == EngineOptions.LookUp.SAME
                    ? strings[file]
                    : key(options, file, name(options.names(), file));
        }
        return new KeySet(options.directories(), names, lookUpNames, order, strings, lookUpStrings);
    }

    private static String key(EngineOptions options, int file, String name) {
        return options.directories() == 1 ? name : file % options.directories() + "/" + name;
    }

    private static String name(EngineOptions.Names names, int file) {
        if (names == EngineOptions.Names.COUNTED) {
            return "part-%011d".formatted(file);
        }
        long mixed = (file + 1) * SCATTER; // a bijection: no name comes twice
        mixed ^= mixed >>> 32;
        return "%016x".formatted(mixed * SCATTER);
    }

    private static int[] shuffled(int count) {
        int[] order = new int[count];
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }
}
