package io.hmfs.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a measuring JVM says, one fact a line, tabs between: {@code round name subject unit value}, {@code count name value}. */
public final class Lines {
    private record Key(String name, String subject) {}

    private final Map<Key, List<Double>> rounds = new LinkedHashMap<>();
    private final Map<Key, String> units = new LinkedHashMap<>();
    private final Map<String, Number> counters = new LinkedHashMap<>();

    /** Takes one line. */
    public void add(String line) {
        String[] words = line.split("\t", -1);
        if (words.length == 5 && words[0].equals("round")) {
            round(words[1], words[2], words[3], Double.parseDouble(words[4]));
        } else if (words.length == 3 && words[0].equals("count")) {
            counters.put(words[1], number(words[2]));
        } else {
            System.err.println(line); // the JVM itself has something to say
        }
    }

    private static Number number(String text) {
        if (text.contains(".")) {
            return Double.parseDouble(text);
        }
        return Long.parseLong(text);
    }

    /** Every series that there is, in the order in which they began. */
    public List<Series> all() {
        List<Series> all = new ArrayList<>();
        rounds.keySet().forEach(key -> all.add(series(key.name(), key.subject())));
        return all;
    }

    /** Takes what one round found. */
    public void round(String name, String subject, String unit, double figure) {
        Key key = new Key(name, subject);
        units.put(key, unit);
        rounds.computeIfAbsent(key, _ -> new ArrayList<>()).add(figure);
    }

    /** The rounds of one subject. */
    public Series series(String name, String subject) {
        Key key = new Key(name, subject);
        return new Series(name, subject, units.getOrDefault(key, ""), rounds.getOrDefault(key, List.of()));
    }

    public Map<String, Number> counters() {
        return counters;
    }
}
