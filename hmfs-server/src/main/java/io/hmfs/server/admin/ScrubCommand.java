package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ScrubStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs scrub}. */
@Command(
        name = "scrub",
        description = {
            "Have a running server read all data of files in its builtin store and verify it, for superusers.",
            "The server and its clients go on working meanwhile. One that is under way already is waited for."
        },
        footer = {
            "",
            "Exit code: 0 nothing is damaged, 1 a failure, 2 wrong usage, 4 something is damaged.",
            "Examples:",
            "  hmfs scrub                  begin, wait, and list what is damaged: file, first and last byte",
            "  hmfs scrub --rate 200M      read up to 200 MiB in a second, and not as the server is set",
            "  hmfs scrub --no-wait        begin, and leave it to the server; its log and its metrics tell what it finds",
            "  hmfs scrub --status --json  what the one under way, or the last one, has found so far, for programs"
        })
final class ScrubCommand implements Callable<Integer> {
    static final int DAMAGED = 4;
    private static final int POLL_MILLIS = 500;

    @Mixin
    private ServerView server = new ServerView();

    @Option(
            names = "--status",
            description = "Begin nothing: show the one under way, or the last one since the server's start.")
    private boolean status;

    @Option(names = "--no-wait", description = "Do not wait for the end.")
    private boolean noWait;

    @Option(
            names = "--rate",
            paramLabel = "SIZE",
            description = "Bytes in a second that are read at most (default: scrub-rate of the server).")
    private @Nullable String rate;

    @Option(names = "--json", description = "Write one JSON object, times in milliseconds since 1970.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        String asked = rate;
        if (status && (noWait || asked != null)) {
            throw CommandException.usage("--status begins nothing; --no-wait and --rate say how to begin");
        }
        long bytesPerSecond = asked == null ? 0 : Quantities.bytes("--rate", asked);
        if (asked != null && bytesPerSecond == 0) {
            throw CommandException.usage("--rate is '" + asked + "'; it must be over zero");
        }
        ScrubStatus found;
        List<ScrubStatus.Damage> damages;
        try (HmfsClient client = server.connect()) {
            found = status ? client.scrub(0) : client.beginScrub(bytesPerSecond);
            if (!status && !noWait) {
                found = await(client, found);
            }
            damages = damages(client, found);
        } catch (HmfsException e) {
            throw server.explained(e);
        }
        if (json) {
            System.out.println(json(found, damages));
        } else {
            print(found, damages, System.out);
        }
        return found.damaged() > 0 ? DAMAGED : 0;
    }

    private static ScrubStatus await(HmfsClient client, ScrubStatus begun) throws IOException, InterruptedException {
        ProgressBar bar = ProgressBar.of("");
        long total = ProgressBar.isTerminal() ? bytes(client) : 0;
        ScrubStatus now = begun;
        while (now.isRunning() && now.number() == begun.number()) {
            bar.at("read", now.bytes(), total);
            Thread.sleep(POLL_MILLIS);
            now = client.scrub(0);
        }
        bar.end();
        if (now.number() != begun.number() || !now.isWhole()) {
            throw CommandException.failure("the server has ended before the scrub did; begin again");
        }
        return now;
    }

    /** What there is to read, or 0: that is not known, for a directory is damaged. */
    private static long bytes(HmfsClient client) throws IOException {
        try {
            return client.trees().summary("/").bytes();
        } catch (HmfsException e) {
            if (e.code() == ResultCode.DAMAGED) {
                return 0;
            }
            throw e;
        }
    }

    private static List<ScrubStatus.Damage> damages(HmfsClient client, ScrubStatus first) throws IOException {
        List<ScrubStatus.Damage> all = new ArrayList<>(first.damages());
        ScrubStatus part = first;
        while (part.next() > 0) {
            part = client.scrub(part.next());
            all.addAll(part.damages());
        }
        return all;
    }

    private static void print(ScrubStatus scrub, List<ScrubStatus.Damage> damages, PrintStream out) {
        if (scrub.number() == 0) {
            out.println("no scrub since the server's start");
            return;
        }
        row(out, "began", time(scrub.beganMillis()));
        row(out, "ended", scrub.isRunning() ? "not yet" : time(scrub.endedMillis()));
        row(out, "files", String.format(Locale.ROOT, "%,d", scrub.files()));
        row(
                out,
                "read",
                String.format(Locale.ROOT, "%,d objects, %s", scrub.objects(), Quantities.readable(scrub.bytes())));
        row(out, "not read", String.format(Locale.ROOT, "%,d objects", scrub.unread()));
        row(out, "damaged", String.format(Locale.ROOT, "%,d parts of files and directories", scrub.damaged()));
        for (ScrubStatus.Damage each : damages) {
            out.println("  " + visible(each.path()) + ": " + what(each));
        }
        if (scrub.damaged() > damages.size()) {
            out.println("  and more; the server's log names them all");
        }
    }

    private static String what(ScrubStatus.Damage damage) {
        return damage.to() == 0
                ? "an entry of this directory, and no file behind it was read; stop the server, and run hmfs fsck"
                : "bytes " + damage.from() + " to " + (damage.to() - 1);
    }

    private static void row(PrintStream out, String name, String value) {
        out.printf("%-10s %s%n", name, value);
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Nothing in a path may steer a terminal. */
    private static String visible(String path) {
        return path.replaceAll("\\p{Cntrl}", "?");
    }

    private static String json(ScrubStatus scrub, List<ScrubStatus.Damage> damages) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("number", scrub.number());
        all.put("running", scrub.isRunning());
        all.put("whole", scrub.isWhole());
        all.put("files", scrub.files());
        all.put("objects", scrub.objects());
        all.put("bytes", scrub.bytes());
        all.put("unread", scrub.unread());
        all.put("damaged", scrub.damaged());
        all.put("beganMillis", scrub.beganMillis());
        all.put("endedMillis", scrub.endedMillis());
        all.put(
                "damages",
                new Json.Raw(damages.stream().map(ScrubCommand::json).collect(Collectors.joining(",", "[", "]"))));
        return Json.object(all);
    }

    private static String json(ScrubStatus.Damage damage) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("path", damage.path());
        all.put("inode", damage.inode());
        all.put("from", damage.from());
        all.put("to", damage.to());
        return Json.object(all);
    }
}
