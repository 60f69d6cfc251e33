package io.hmfs.core;

import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Calls of several threads with their times and answers, and the search for an order over the model that explains them. */
final class History {
    /** The one answer that no model gives; nothing has happened then. */
    private static final String FULL = Status.NO_SPACE.toString();

    /** What differs though the same has happened, and what no operation here changes. */
    private static final Pattern UNLIKE = Pattern.compile(" (id=\\d+|owner=\\S+)");

    private History() {}

    /** Attributes by which an object is known: every create and chmod has a mode of its own. */
    private static String text(Status status, Attributes a) {
        return status != Status.OK
                ? status.toString()
                : a.type + " mode=" + Integer.toOctalString(a.mode) + " size=" + a.size
                        + (a.nlink == 1 ? "" : " nlink=" + a.nlink)
                        + (a.mtimeNanos < Snapshot.SET_BY_A_TEST ? " mtime=" + a.mtimeNanos : "");
    }

    private static String text(ReferenceNamespace.@Nullable Node node) {
        return node == null ? "NOT_FOUND" : withoutIds(node.text());
    }

    private static String withoutIds(String entry) {
        return UNLIKE.matcher(entry).replaceAll("");
    }

    static Map<String, String> text(Map<String, String> snapshot) {
        Map<String, String> entries = new TreeMap<>();
        snapshot.forEach((path, entry) -> entries.put(path, withoutIds(entry)));
        return entries;
    }

    /** One operation of a program, and what became of it. */
    static final class Call {
        final String verb;
        final long directory;
        final String name;
        final long target;
        final String newName;
        final int number;
        long begun;
        long ended = Long.MAX_VALUE;

        /** When the machine lost power before it was answered: it has happened before that or never. */
        long lost = Long.MAX_VALUE;

        String answer = "";

        /** What a listing showed under the name before what {@link #answer} says; see {@link #listed}. */
        private @Nullable Call before;

        Call(String verb, long directory, String name, long target, String newName, int number) {
            this.verb = verb;
            this.directory = directory;
            this.name = name;
            this.target = target;
            this.newName = newName;
            this.number = number;
        }

        /** Remembers when it was called, what it said, and when. */
        void run(PoolNamespace n, AtomicLong time) {
            begun = time.incrementAndGet();
            answer = on(n);
            ended = time.incrementAndGet();
        }

        String on(PoolNamespace n) {
            Attributes a = new Attributes();
            Name first = Name.of(name);
            return switch (verb) {
                case "create" -> n.create(directory, first, number, 0, 0, a).toString();
                case "mkdir" -> n.mkdir(directory, first, number, 0, 0, a).toString();
                case "delete" -> text(n.delete(directory, first, a), a);
                case "rmdir" -> n.rmdir(directory, first).toString();
                case "chmod" -> n.chmod(directory, first, number).toString();
                case "truncate" -> n.truncate(directory, first, number).toString();
                case "append" -> n.append(directory, first, target, number).toString();
                case "times" ->
                    n.setTimes(directory, first, number, Namespace.KEEP).toString();
                case "sweep" -> {
                    n.sweep(directory);
                    yield "OK";
                }
                case "scan" -> {
                    n.scanInBackground();
                    yield "OK";
                }
                case "list" -> listed(n, first.toString());
                case "link" ->
                    n.link(directory, first, target, Name.of(newName), a).toString();
                case "rename" ->
                    n.rename(directory, first, target, Name.of(newName), number % 3 > 0, a)
                            + (a.id == 0 ? "" : " replacing, left " + a.nlink);
                case "createAll" -> {
                    CreateBatch batch = new CreateBatch(2);
                    batch.addFile(directory, first, number, 0, 0);
                    batch.addFile(directory, Name.of(newName), number, 0, 0);
                    n.createAll(batch);
                    yield batch.status(0) + " " + batch.status(1);
                }
                case "statAll" -> text(BatchedStat.of(n, directory, first, a), a);
                default -> text(n.stat(directory, first, a), a);
            };
        }

        /**
         * What a listing says about one name. It shows each name of a file once, at a moment of its own. So a name comes again if its file was shown and
         * then deleted, and one that was not shown yet got its name: such a listing is a look at the name for each time, one after the other.
         */
        private String listed(Namespace n, String wanted) {
            before = null;
            Set<Long> ofOneName = new HashSet<>();
            List<String> found = new ArrayList<>();
            Status status = n.list(directory, new ListCursor(), (each, a) -> {
                if (each.toString().equals(wanted)) {
                    found.add(a.nlink > 1 || ofOneName.add(a.id) ? text(Status.OK, a) : "TWICE");
                }
                return true;
            });
            if (status != Status.OK) {
                return status.toString();
            }
            for (int i = 0; i < found.size() - 1; i++) {
                Call look = new Call(verb, directory, name, target, newName, number);
                look.begun = begun;
                look.answer = found.get(i);
                look.before = before;
                before = look;
            }
            return found.isEmpty() ? "NOT_FOUND" : found.getLast();
        }

        String on(ReferenceNamespace n, long id) {
            ReferenceNamespace.Node node = n.child(directory, name);
            ReferenceNamespace.Node victim = n.child(target, newName);
            return switch (verb) {
                case "create" ->
                    n.make(FileType.FILE, directory, name, number, 0, 0, id).toString();
                case "mkdir" ->
                    n.make(FileType.DIRECTORY, directory, name, number, 0, 0, id)
                            .toString();
                case "delete" -> {
                    Status status = n.delete(directory, name);
                    yield status == Status.OK ? text(node) : status.toString();
                }
                case "rmdir" -> n.rmdir(directory, name).toString();
                case "chmod" -> n.chmod(directory, name, number).toString();
                case "truncate" -> n.truncate(directory, name, number).toString();
                case "append" -> n.append(directory, name, target, number).toString();
                case "times" -> n.setMtime(directory, name, number).toString();
                case "sweep", "scan" -> "OK";
                case "list" -> n.hasDirectory(directory) ? text(node) : "NO_SUCH_DIRECTORY";
                case "link" -> n.link(directory, name, target, newName).toString();
                case "rename" -> {
                    Status status = n.rename(directory, name, target, newName, number % 3 > 0);
                    if (status != Status.OK || victim == null || victim.equals(node)) {
                        yield status.toString();
                    }
                    yield status + " replacing, left " + victim.nlink();
                }
                case "createAll" ->
                    n.make(FileType.FILE, directory, name, number, 0, 0, id) + " "
                            + n.make(FileType.FILE, directory, newName, number, 0, 0, id + 100);
                default -> text(node);
            };
        }

        @Override
        public String toString() {
            return verb + " " + directory + " " + name
                    + (newName.isEmpty() ? "" : " to " + target + " " + newName)
                    + " " + Integer.toOctalString(number) + " [" + begun + ", "
                    + (ended == Long.MAX_VALUE ? "cut off" : ended + "] " + shown());
        }

        private String shown() {
            return before == null ? answer : before.shown() + ", then " + answer;
        }
    }

    /**
     * Whether some order of the calls gives their answers and, at its end, what was seen. Depth first over all orders that respect
     * time; a call that was cut off may be left out.
     */
    static boolean isExplained(List<Call> calls, ReferenceNamespace state, Map<String, String> seen) {
        List<Call> looks = new ArrayList<>();
        for (Call call : calls) {
            for (Call look = call.before; look != null; look = look.before) {
                look.ended = call.ended;
                look.lost = call.lost;
                looks.add(look);
            }
            looks.add(call);
        }
        return isExplained(looks, state, seen, new boolean[looks.size()]);
    }

    private static boolean isExplained(
            List<Call> calls, ReferenceNamespace state, Map<String, String> seen, boolean[] used) {
        long firstEnd = Long.MAX_VALUE;
        for (int i = 0; i < used.length; i++) {
            firstEnd = used[i] ? firstEnd : Math.min(firstEnd, calls.get(i).ended);
        }
        if (firstEnd == Long.MAX_VALUE && text(state.snapshot()).equals(seen)) {
            return true;
        }
        for (int i = 0; i < used.length; i++) {
            Call call = calls.get(i);
            boolean isNext = call.before == null || used[calls.indexOf(call.before)];
            if (!used[i] && isNext && call.begun != 0 && call.begun < firstEnd && !isLostBefore(call, calls, used)) {
                ReferenceNamespace next = new ReferenceNamespace(state);
                String answer = call.answer.equals(FULL) ? FULL : call.on(next, 1000 + i);
                if (call.ended == Long.MAX_VALUE || answer.equals(call.answer)) {
                    used[i] = true;
                    if (isExplained(calls, next, seen, used)) {
                        return true;
                    }
                    used[i] = false;
                }
            }
        }
        return false;
    }

    /** Whether the machine that this call ran on had lost power before one of those that have happened already was begun. */
    private static boolean isLostBefore(Call call, List<Call> calls, boolean[] used) {
        for (int i = 0; i < used.length; i++) {
            if (used[i] && calls.get(i).begun > call.lost) {
                return true;
            }
        }
        return false;
    }
}
