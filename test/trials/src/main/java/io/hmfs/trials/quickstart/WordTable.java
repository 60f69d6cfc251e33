package io.hmfs.trials.quickstart;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The figures of a word count, by plain Java on the local disk: what the Spark job over {@code hmfs://} must print. A word is a
 * run of the letters a to z in lower case; the digest is over the lines {@code word TAB n} in the order of the words.
 */
record WordTable(long words, long distinct, String sha256) {
    private static final Pattern RESULT = Pattern.compile(
            "^RESULT words=(\\d+) distinct=(\\d+) sha256=(\\p{XDigit}+) parts=(\\d+)$", Pattern.MULTILINE);

    /** Counts the files under the directories. */
    static WordTable count(List<Path> directories) throws IOException {
        TreeMap<String, Long> counts = new TreeMap<>();
        for (Path directory : directories) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    add(new String(Files.readAllBytes(file), StandardCharsets.UTF_8), counts);
                }
            }
        }
        MessageDigest digest = Digests.sha256();
        long words = 0;
        for (var entry : counts.entrySet()) {
            digest.update((entry.getKey() + '\t' + entry.getValue() + '\n').getBytes(StandardCharsets.UTF_8));
            words += entry.getValue();
        }
        return new WordTable(words, counts.size(), Digests.hex(digest));
    }

    private static void add(String text, TreeMap<String, Long> counts) {
        int start = -1;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ' ' : text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (letter && start < 0) {
                start = i;
            } else if (!letter && start >= 0) {
                counts.merge(lower(text.substring(start, i)), 1L, Long::sum);
                start = -1;
            }
        }
    }

    private static String lower(String ascii) {
        return ascii.toLowerCase(java.util.Locale.ROOT);
    }

    /** Compares with what the Spark job printed; fails with both. Returns the number of Parquet files. */
    long compare(String output) throws StepException {
        Matcher matcher = RESULT.matcher(output);
        if (!matcher.find()) {
            throw new StepException("the Spark job printed no result");
        }
        WordTable other =
                new WordTable(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)), matcher.group(3));
        if (!equals(other)) {
            throw new StepException("Spark over hmfs:// counted " + other + ", plain Java on the local disk " + this);
        }
        return Long.parseLong(matcher.group(4));
    }
}
