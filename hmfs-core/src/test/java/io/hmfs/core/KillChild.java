package io.hmfs.core;

import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The process that {@code NamespaceKillTest} kills: threads that work on one pool and say, each in one write to the pipe, what they
 * are about to do and what they were answered.
 */
final class KillChild {
    static final int THREADS = 2;
    private static final String[] NAMES = {"a", "b", "c", "d", "l".repeat(66)};
    private static final int DIRECTORIES_MAX = 6;

    private KillChild() {}

    /** An operation as text: {@code verb directory name directory name number}. */
    record Operation(String verb, long directory, String name, long target, String newName, int number) {
        static Operation parse(String[] words, int from) {
            return new Operation(
                    words[from],
                    Long.parseLong(words[from + 1]),
                    words[from + 2],
                    Long.parseLong(words[from + 3]),
                    words[from + 4],
                    Integer.parseInt(words[from + 5]));
        }

        @Override
        public String toString() {
            return verb + " " + directory + " " + name + " " + target + " " + newName + " " + number;
        }

        Status on(Namespace n, Attributes out) {
            Name first = Name.of(name);
            Name second = Name.of(newName);
            return switch (verb) {
                case "create" -> n.create(directory, first, number & 07777, number, number, out);
                case "mkdir" -> n.mkdir(directory, first, number & 07777, number, number, out);
                case "delete" -> n.delete(directory, first, out);
                case "rmdir" -> n.rmdir(directory, first);
                case "rename" -> n.rename(directory, first, target, second, number % 4 != 0, out);
                case "chmod" -> n.chmod(directory, first, number & 07777);
                case "truncate" -> n.truncate(directory, first, number);
                case "times" -> n.setTimes(directory, first, number, Namespace.KEEP);
                default -> n.stat(directory, first, out);
            };
        }

        Status on(ReferenceNamespace n, long id) {
            return switch (verb) {
                case "create" -> n.make(FileType.FILE, directory, name, number & 07777, number, number, id);
                case "mkdir" -> n.make(FileType.DIRECTORY, directory, name, number & 07777, number, number, id);
                case "delete" -> n.delete(directory, name);
                case "rmdir" -> n.rmdir(directory, name);
                case "rename" -> n.rename(directory, name, target, newName, number % 4 != 0);
                case "chmod" -> n.chmod(directory, name, number & 07777);
                case "truncate" -> n.truncate(directory, name, number);
                case "times" -> n.setMtime(directory, name, number);
                default -> n.stat(directory, name);
            };
        }
    }

    /** The log that a pool is opened with, if it has one: small files, so that many are folded. */
    static LogOptions log(Path directory) {
        return LogOptions.in(directory).withSizes(256 << 10, 1 << 20, 1024).withOnVolatile(true);
    }

    private static OpenOptions options(@Nullable String log) {
        return log == null ? OpenOptions.process() : OpenOptions.logged(log(Path.of(log)));
    }

    /** Arguments: pool, seed, the shared directory's id, the id of each thread's own directory. */
    public static void main(String[] args) throws Exception {
        FileOutputStream pipe = new FileOutputStream(FileDescriptor.out);
        Namespace namespace = Hmfs.open(Path.of(args[0]), options(System.getProperty("hmfs.log")));
        long seed = Long.parseLong(args[1]);
        long shared = Long.parseLong(args[2]);
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            long own = Long.parseLong(args[3 + i]);
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    work(thread, new Random(seed * THREADS + thread), namespace, shared, own, pipe);
                } catch (RuntimeException | Error | IOException e) {
                    say(pipe, "! " + thread + " " + e.toString().replace('\n', ' '));
                }
            });
        }
        while (System.in.read() >= 0) {
            // until killed
        }
    }

    /** The names of a thread are its own, the shared directory's list is that of all threads. */
    private static void work(
            int thread, Random random, Namespace namespace, long shared, long own, FileOutputStream pipe)
            throws IOException {
        List<Long> directories = new ArrayList<>(List.of(shared, own, shared));
        Attributes out = new Attributes();
        while (true) {
            Operation operation = choose(thread, random, directories);
            say(pipe, "> " + thread + " " + operation);
            out.id = 0;
            Status status = operation.on(namespace, out);
            say(pipe, "< " + thread + " " + status + " " + out.id);
            if (operation.verb().equals("mkdir") && status == Status.OK) {
                directories.add(out.id);
                if (directories.size() > DIRECTORIES_MAX) {
                    directories.remove(3);
                }
            }
        }
    }

    static Operation choose(int thread, Random random, List<Long> directories) {
        String[] verbs = {
            "create",
            "create",
            "create",
            "mkdir",
            "delete",
            "rmdir",
            "rename",
            "rename",
            "rename",
            "chmod",
            "truncate",
            "times",
            "stat"
        };
        String verb = verbs[random.nextInt(verbs.length)];
        String kind = verb.equals("mkdir") || verb.equals("rmdir") || random.nextInt(8) == 0 ? "d" : "f";
        String name = kind + thread + NAMES[random.nextInt(NAMES.length)];
        String newName = kind + thread + NAMES[random.nextInt(NAMES.length)];
        // A directory's mtime moves with its children: times are set on files alone.
        String named = verb.equals("times") ? "f" + name.substring(1) : name;
        return new Operation(
                verb,
                directories.get(random.nextInt(directories.size())),
                named,
                directories.get(random.nextInt(directories.size())),
                newName,
                random.nextInt(10_000));
    }

    private static void say(FileOutputStream pipe, String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
