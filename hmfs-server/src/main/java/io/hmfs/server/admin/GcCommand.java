package io.hmfs.server.admin;

import io.hmfs.client.Census;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ServerInfo;
import io.hmfs.client.gc.BuiltinObjects;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.ObjectStoreProvider;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import io.hmfs.client.gc.StoredObject;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs gc}. */
@Command(
        name = "gc",
        description = {
            "Show objects of the data store that no file refers to, and remove them if asked to, for superusers.",
            "The server and its clients may go on working meanwhile."
        },
        footer = {
            "",
            "  orphans            objects of files that are gone: what a killed client leaves behind",
            "  unfinished blocks  begun and never ended, of files that are there (Hadoop filesystems only)",
            "  behind the size    blocks that no committed size covers; never removed",
            "  young              any of these, changed within --older-than; never removed",
            "  on record          removed files whose objects a client has still to remove; they count as orphans at any age",
            "  unknown names      what is no object of HMFS; never removed",
            "",
            "HADOOP_CONF_DIR is read if set, for data stores that are Hadoop filesystems.",
            "Examples:",
            "  hmfs gc                           how many there are",
            "  hmfs gc --list                    which ones",
            "  hmfs gc --delete                  remove orphans that are a day old",
            "  hmfs gc --delete --unfinished --older-than 72h"
        })
final class GcCommand implements Callable<Integer> {

    @Mixin
    private ServerView server = new ServerView();

    @Option(names = "--delete", description = "Remove orphans.")
    private boolean delete;

    @Option(
            names = "--unfinished",
            description =
                    "With --delete: unfinished blocks too. A writer that has been at one for longer than --older-than fails.")
    private boolean unfinished;

    @Option(
            names = "--older-than",
            paramLabel = "TIME",
            defaultValue = "24h",
            description = "Leave alone what was changed within this time (default: 24h).")
    private String olderThan = "24h";

    @Option(
            names = "--most",
            description = "With --delete: even if more of the files with objects are gone than are there.")
    private boolean most;

    @Option(names = "--list", description = "Name each object, one a line: what it is, bytes, age, name.")
    private boolean list;

    @Option(names = "--json", description = "Write one JSON object, ages in milliseconds.")
    private boolean json;

    private final long startMillis = System.currentTimeMillis();

    @Override
    public Integer call() throws IOException {
        if ((unfinished || most) && !delete) {
            throw CommandException.usage("--unfinished and --most say what to remove; they need --delete");
        }
        if (list && json) {
            throw CommandException.usage("--list and --json exclude each other");
        }
        long olderThanMillis = Quantities.millis("--older-than", olderThan);
        try (HmfsClient client = server.connect()) {
            if (delete && client.isInSafeMode()) {
                throw CommandException.failure("the server is in safe mode; nothing was removed");
            }
            Census census = new Census(client);
            try (ObjectStore store = open(server.address().host(), census)) {
                Orphans.Options options = new Orphans.Options(olderThanMillis, delete, unfinished, most);
                run(client.server(), census, store, options);
            }
        } catch (HmfsException e) {
            throw server.explained(e);
        }
        return 0;
    }

    private void run(ServerInfo info, Census census, ObjectStore store, Orphans.Options options) throws IOException {
        Shown progress = new Shown();
        Orphans orphans = new Orphans(census, store, options, progress);
        try {
            orphans.run();
        } catch (Orphans.MostAreGoneException e) {
            progress.end();
            throw CommandException.failure(
                    e.getMessage() + "; nothing was removed. Is it this server's store? If so, add --most");
        } catch (IOException e) {
            progress.end();
            if (orphans.removed().objects() > 0) {
                System.err.println(removed(orphans) + " before it failed");
            }
            throw e;
        }
        progress.end();
        if (json) {
            System.out.println(json(info, orphans));
        } else {
            print(info, orphans, System.out);
        }
    }

    private static ObjectStore open(String host, Census census) throws IOException {
        ServerInfo info = census.server();
        if (info.dataStore().equals(ServerInfo.BUILTIN)) {
            return new BuiltinObjects(census);
        }
        for (ObjectStoreProvider provider : ServiceLoader.load(ObjectStoreProvider.class)) {
            return provider.open(host, info);
        }
        throw CommandException.failure("the data store is " + info.dataStore()
                + ", and the plugin that can read it is not on the class path: start this with bin/hmfs gc");
    }

    private static String name(Kind kind) {
        return switch (kind) {
            case ORPHAN -> "orphans";
            case UNFINISHED -> "unfinished blocks";
            case BEYOND -> "behind the size";
            case YOUNG -> "young";
        };
    }

    private void print(ServerInfo info, Orphans orphans, PrintStream out) {
        out.printf(Locale.ROOT, "%-18s %s%n", "data store", info.dataStore());
        out.printf(
                Locale.ROOT,
                "%-18s %,d objects, files with objects %,d, directories %,d%n%n",
                "looked at",
                orphans.objects(),
                orphans.files(),
                orphans.directories());
        out.printf(Locale.ROOT, "%-18s %12s %12s %14s%n", "", "objects", "bytes", "oldest");
        for (Kind kind : Kind.values()) {
            Orphans.Tally tally = orphans.found(kind);
            out.printf(
                    Locale.ROOT,
                    "%-18s %,12d %12s %14s%n",
                    name(kind),
                    tally.objects(),
                    Quantities.readable(tally.bytes()),
                    tally.objects() == 0 ? "-" : age(tally.oldestMillis()));
        }
        out.printf(Locale.ROOT, "%-18s %,12d%n", "unknown names", orphans.unknown());
        out.printf(Locale.ROOT, "%-18s %,12d files%n", "on record", orphans.recorded());
        if (delete) {
            out.printf("%n%s%n", removed(orphans));
        } else if (orphans.found(Kind.ORPHAN).objects() > 0) {
            out.printf("%nNothing was removed; remove orphans with: hmfs gc --delete%n");
        }
    }

    private static String removed(Orphans orphans) {
        Orphans.Tally removed = orphans.removed();
        return String.format(
                Locale.ROOT,
                "removed %,d %s, %s",
                removed.objects(),
                removed.objects() == 1 ? "object" : "objects",
                Quantities.readable(removed.bytes()));
    }

    private String age(long modifiedMillis) {
        return Quantities.duration(Math.max(0, startMillis - modifiedMillis));
    }

    private String json(ServerInfo info, Orphans orphans) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("dataStore", info.dataStore());
        all.put("objects", orphans.objects());
        all.put("files", orphans.files());
        all.put("directories", orphans.directories());
        for (Kind kind : Kind.values()) {
            all.put(label(kind), tally(orphans.found(kind)));
        }
        all.put("unknown", orphans.unknown());
        all.put("recorded", orphans.recorded());
        all.put("removed", tally(orphans.removed()));
        return Json.object(all);
    }

    private static String label(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private Json.Raw tally(Orphans.Tally tally) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("objects", tally.objects());
        all.put("bytes", tally.bytes());
        if (tally.objects() > 0) {
            all.put("oldestMillis", Math.max(0, startMillis - tally.oldestMillis()));
        }
        return new Json.Raw(Json.object(all));
    }

    /** Shows on a terminal how far the search is, and on standard output what is to be listed. */
    private final class Shown implements Orphans.Listener {
        private final ProgressBar bar = ProgressBar.of("");

        @Override
        public void progress(String step, long done, long of) {
            if (!list) {
                bar.at(step, done, of);
            }
        }

        void end() {
            bar.end();
        }

        @Override
        public void found(Kind kind, StoredObject object) {
            if (list) {
                System.out.printf(
                        Locale.ROOT,
                        "%-10s %12d  %14s  %s%n",
                        label(kind),
                        object.bytes(),
                        age(object.modifiedMillis()),
                        object.name());
            }
        }

        @Override
        public void unknown(String name) {
            if (list) {
                System.out.printf(Locale.ROOT, "%-10s %12s  %14s  %s%n", "unknown", "", "", name);
            }
        }
    }
}
