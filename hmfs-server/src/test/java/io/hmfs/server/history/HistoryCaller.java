package io.hmfs.server.history;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.server.history.HistoryCall.Place;
import io.hmfs.server.history.HistoryCall.Seen;
import io.hmfs.server.history.HistoryCall.Verb;
import io.hmfs.server.history.HistoryTree.Spot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One client that makes calls, one after the other, and writes down what it heard. */
final class HistoryCaller {
    private static final Verb[] VERBS = {
        Verb.CREATE, Verb.CREATE, Verb.CREATE, Verb.CREATE, Verb.MKDIR, Verb.MKDIR, Verb.DELETE, Verb.DELETE,
        Verb.DELETE, Verb.RMDIR, Verb.RMDIR, Verb.RENAME, Verb.RENAME, Verb.REPLACE, Verb.REPLACE, Verb.REPLACE,
        Verb.STAT, Verb.STAT, Verb.STAT, Verb.STAT, Verb.CHMOD, Verb.TRUNCATE, Verb.APPEND, Verb.APPEND
    };
    private static final int KINDS = 20;
    private static final int TOGETHER_MAX = 4;
    private static final int MODES = 010000;
    private static final int SIZES = 50_000; // within one block of the data store

    private final int number;
    private final HmfsClient client;
    private final World world;
    private final AtomicLong clock;
    private final AtomicInteger numbers;
    private final Random random;
    private final List<HistoryCall> calls = new ArrayList<>();
    private final Map<Place, Seen> files = new HashMap<>();
    private volatile long removed;

    /** {@code numbers} gives each change a mode or size that is not used again soon. */
    HistoryCaller(int number, HmfsClient client, World world, AtomicLong clock, AtomicInteger numbers, Random random) {
        this.number = number;
        this.client = client;
        this.world = world;
        this.clock = clock;
        this.numbers = numbers;
        this.random = random;
        client.onRemoved((inode, _) -> removed = inode);
    }

    /** Makes so many calls on names of these groups, and tells of each answer. */
    List<HistoryCall> call(List<List<Spot>> groups, int count, Runnable answered) throws IOException {
        calls.clear();
        files.clear(); // of other groups
        for (int i = 0; i < count; i++) {
            List<Spot> group = groups.get(random.nextInt(groups.size()));
            switch (random.nextInt(KINDS)) {
                case 0 -> list(group.getFirst().parent());
                case 1, 2 -> runTogether(group, Verb.CREATE);
                case 3, 4 -> runTogether(group, Verb.STAT);
                default -> run(choose(group));
            }
            answered.run();
        }
        return List.copyOf(calls);
    }

    private Place place(List<Spot> group) {
        Spot top = group.get(random.nextInt(group.size()));
        String child = random.nextInt(4) == 0 ? World.CHILDREN.get(random.nextInt(World.CHILDREN.size())) : "";
        return new Place(top.parent(), top.name(), child);
    }

    private HistoryCall choose(List<Spot> group) {
        Verb verb = VERBS[random.nextInt(VERBS.length)];
        Place at = place(group);
        int unlike = numbers.incrementAndGet();
        return switch (verb) {
            case CREATE, MKDIR, CHMOD -> new HistoryCall(number, verb, at, null, unlike % MODES, null);
            case TRUNCATE -> new HistoryCall(number, verb, at, null, unlike % SIZES, null);
            case RENAME, REPLACE -> new HistoryCall(number, verb, at, place(group), 0, null);
            case APPEND -> {
                Seen file = files.get(at);
                yield file == null
                        ? new HistoryCall(number, Verb.STAT, at, null, 0, null)
                        : new HistoryCall(number, verb, at, null, unlike % SIZES, file);
            }
            default -> new HistoryCall(number, verb, at, null, 0, null);
        };
    }

    private void run(HistoryCall call) throws IOException {
        removed = 0;
        call.begun = clock.incrementAndGet();
        calls.add(call);
        try {
            FileInfo info = ask(call);
            call.seen = info == null ? null : Seen.of(info);
        } catch (HmfsException e) {
            call.answer = e.code();
        }
        call.ended = clock.incrementAndGet();
        call.removed = call.isOpen() ? 0 : removed;
        Seen seen = call.seen;
        if (seen != null && !seen.directory()) {
            files.put(call.at, seen);
        }
    }

    /** Several calls that are sent together, so that the server may execute them as one batch. */
    private void runTogether(List<Spot> group, Verb verb) throws IOException {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int i = 1 + random.nextInt(TOGETHER_MAX); i > 0; i--) {
            int mode = verb == Verb.CREATE ? numbers.incrementAndGet() % MODES : 0;
            HistoryCall call = new HistoryCall(number, verb, place(group), null, mode, null);
            String path = world.path(call.at);
            call.begun = clock.incrementAndGet();
            calls.add(call);
            CompletableFuture<FileInfo> answer = verb == Verb.CREATE
                    ? client.createAsync(path, new CreateOptions(mode, false, false, 0))
                    : client.statAsync(path);
            answers.add(answer.handle((info, error) -> hear(call, info, error)));
        }
        for (CompletableFuture<?> answer : answers) {
            try {
                answer.join();
            } catch (CompletionException e) {
                throw new IOException("no outcome", e.getCause());
            }
        }
    }

    private HistoryCall hear(HistoryCall call, @Nullable FileInfo info, @Nullable Throwable error) {
        call.ended = clock.incrementAndGet();
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        if (cause instanceof HmfsException refused) {
            call.answer = refused.code();
        } else if (cause != null) {
            throw new CompletionException(cause);
        }
        call.seen = info == null ? null : Seen.of(info);
        return call;
    }

    private @Nullable FileInfo ask(HistoryCall call) throws IOException {
        String path = world.path(call.at);
        switch (call.verb) {
            case CREATE -> {
                return client.create(path, new CreateOptions(call.number, false, false, 0));
            }
            case MKDIR -> {
                return client.mkdir(path, call.number, false);
            }
            case STAT -> {
                return client.stat(path);
            }
            case DELETE -> client.delete(path);
            case RMDIR -> client.rmdir(path);
            case RENAME -> client.rename(path, world.path(Objects.requireNonNull(call.to)), false);
            case REPLACE -> client.rename(path, world.path(Objects.requireNonNull(call.to)), true);
            case CHMOD -> client.chmod(path, call.number);
            case TRUNCATE -> client.truncate(path, call.number);
            case APPEND -> client.append(info(Objects.requireNonNull(call.file), call.at.last()), call.number);
        }
        return null;
    }

    private static FileInfo info(Seen file, String name) {
        return new FileInfo(
                file.id(), file.parent(), name, false, file.mode(), "", "", file.size(), 0, 0, 0, "", false, false);
    }

    /** A listing is no snapshot: it says of each name what was there at some moment, as a stat of that name would. */
    private void list(long directory) throws IOException {
        long begun = clock.incrementAndGet();
        Map<String, FileInfo> listed = new HashMap<>();
        try {
            World.list(client, world.path(directory)).forEach(entry -> listed.put(entry.name(), entry));
        } catch (HmfsException e) {
            if (e.code() == ResultCode.TIMEOUT) {
                return; // it has said nothing
            }
            throw e;
        }
        long ended = clock.incrementAndGet();
        for (String name : World.NAMES) {
            FileInfo entry = listed.remove(name);
            HistoryCall look = new HistoryCall(number, Verb.STAT, new Place(directory, name, ""), null, 0, null);
            look.begun = begun;
            look.ended = ended;
            look.answer = entry == null ? ResultCode.NOT_FOUND : ResultCode.OK;
            look.seen = entry == null ? null : Seen.of(entry);
            calls.add(look);
        }
        if (!listed.isEmpty()) {
            throw new AssertionError("names that no client made: " + listed);
        }
    }
}
