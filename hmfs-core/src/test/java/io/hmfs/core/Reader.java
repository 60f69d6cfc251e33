package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a reader of a namespace that changes meanwhile says, and what it may say. */
interface Reader {
    /** An answer, as text for a stat, or a listing with one line for each entry. */
    List<String> read(PoolNamespace namespace);

    /** Throws unless the answer could be given while the namespace went through these states. */
    void check(List<String> answer, List<List<String>> states);

    /** Says one thing about one object: one of the states explains it. */
    record Stat(String name, NamespaceReaderTest.Action action, Attributes out) implements Reader {
        @Override
        public List<String> read(PoolNamespace namespace) {
            Status status = action.on(namespace);
            return List.of(status == Status.OK ? text(out) : status.toString());
        }

        @Override
        public void check(List<String> answer, List<List<String>> states) {
            assertTrue(states.contains(answer), () -> answer + ", where it was " + states);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static String text(Attributes a) {
        return a.type + " " + a.id + " " + Integer.toOctalString(a.mode) + " " + a.size;
    }

    /** Says no more than how much there is: as much as in one of the states, or between two. */
    record Counting(long directory) implements Reader {
        @Override
        public List<String> read(PoolNamespace namespace) {
            List<String> seen = new ArrayList<>();
            Count count = Count.in(namespace, directory);
            for (long i = count.files + count.directories; i > 0; i--) {
                seen.add("entry");
            }
            return seen;
        }

        @Override
        public void check(List<String> answer, List<List<String>> states) {
            IntSummaryStatistics sizes = states.stream().mapToInt(List::size).summaryStatistics();
            assertTrue(
                    answer.size() >= sizes.getMin() && answer.size() <= sizes.getMax(),
                    () -> answer.size() + " entries, where there were " + sizes);
        }
    }

    /** No snapshot: but a name or object that is there in all states shows exactly once. */
    record Listing(long directory, int page) implements Reader {
        @Override
        public List<String> read(PoolNamespace namespace) {
            List<String> seen = new ArrayList<>();
            for (ListCursor cursor = new ListCursor(); !cursor.atEnd(); ) {
                int before = seen.size();
                Status status = namespace.list(
                        directory, cursor, (name, a) -> seen.size() < before + page && seen.add(name + " " + text(a)));
                if (status != Status.OK) {
                    return List.of(status.toString());
                }
            }
            return seen;
        }

        @Override
        public void check(List<String> answer, List<List<String>> states) {
            if (states.stream().anyMatch(state -> Set.copyOf(state).equals(Set.copyOf(answer)))
                    && answer.size() == Set.copyOf(answer).size()) {
                return; // what it was at one moment
            }
            Map<String, Integer> shown = new TreeMap<>();
            answer.forEach(entry -> shown.merge(entry.substring(0, entry.indexOf(' ')), 1, Integer::sum));
            shown.forEach((name, times) -> assertEquals(1, times, () -> name + " in " + answer));
            for (String entry : answer) {
                assertTrue(states.stream().anyMatch(state -> state.contains(entry)), () -> entry + " in " + answer);
            }
            Set<String> always = new TreeSet<>(names(states.getFirst()));
            states.forEach(state -> always.retainAll(names(state)));
            assertTrue(shown.keySet().containsAll(always), () -> always + " in " + answer);
            checkObjects(answer, states);
        }

        /** An object that takes a place shows there, and only if the place has not been shown before. */
        private static void checkObjects(List<String> answer, List<List<String>> states) {
            Map<String, Set<String>> namesOf = new TreeMap<>();
            states.forEach(state -> state.forEach(entry ->
                    namesOf.computeIfAbsent(object(entry), _ -> new TreeSet<>()).add(entry)));
            namesOf.forEach((object, entries) -> {
                boolean always = states.stream()
                        .allMatch(state ->
                                state.stream().anyMatch(entry -> object(entry).equals(object)));
                boolean tookPlace = entries.stream()
                        .anyMatch(entry -> states.stream()
                                .anyMatch(state -> state.stream()
                                        .anyMatch(other -> names(List.of(other)).equals(names(List.of(entry)))
                                                && !object(other).equals(object))));
                long times = answer.stream()
                        .filter(entry -> object(entry).equals(object))
                        .count();
                if (always && !tookPlace) {
                    assertEquals(1, times, () -> "object " + object + " in " + answer);
                }
            });
        }

        private static String object(String entry) {
            return entry.split(" ", -1)[2];
        }

        private static List<String> names(List<String> state) {
            return state.stream()
                    .map(entry -> entry.substring(0, entry.indexOf(' ')))
                    .toList();
        }
    }
}
