package io.hmfs.hadoop.listing;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListPage;
import io.hmfs.client.NameFilter;
import io.hmfs.hadoop.attributes.FileAttributes;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.statistics.Op;
import io.hmfs.hadoop.statistics.OpCounts;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.GlobExpander;
import org.apache.hadoop.fs.GlobFilter;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.jspecify.annotations.Nullable;

/**
 * The filesystem as Hadoop's Globber sees it for one pattern. Globber waits for each answer, but the pattern and the
 * listings so far tell its next requests: they are sent ahead, {@value #AHEAD} at once. Globber decides what matches.
 * A request that was not foreseen, or whose answer is more than a plain yes or no, goes to the filesystem. For one
 * thread.
 */
public final class GlobView extends FilterFileSystem {
    private static final int AHEAD = 32;
    private static final char REPLACEMENT = '\uFFFD'; // in names, it stands for bytes that are no UTF-8

    private final FileAttributes attributes;
    private final Listings listings;
    private final OpCounts counts;
    private final ArrayDeque<Plan> plans = new ArrayDeque<>();
    private int underWay;
    private @Nullable Path directory; // has been listed with one entry: Globber will ask whether it was a file

    /** {@code files}: the filesystem that the others belong to. */
    public GlobView(FileSystem files, Path pattern, FileAttributes attributes, Listings listings, OpCounts counts) {
        super(files);
        this.attributes = attributes;
        this.listings = listings;
        this.counts = counts;
        try {
            for (String flat : GlobExpander.expand(pattern.toUri().getPath())) {
                plans.add(new Plan(pattern, flat));
            }
        } catch (IOException | IllegalArgumentException e) {
            plans.clear(); // no pattern: Globber will say so
        }
    }

    /** How each name begins and ends that a component of a pattern matches, as far as there are only plain characters. */
    static NameFilter fixedPart(String component) {
        int from = 0;
        while (from < component.length() && isPlain(component.charAt(from))) {
            from++;
        }
        int to = component.length();
        while (to > from && isPlain(component.charAt(to - 1))) {
            to--;
        }
        NameFilter fixed = new NameFilter(component.substring(0, from), component.substring(to));
        return fixed.fits() ? fixed : NameFilter.NONE;
    }

    private static boolean isPlain(char c) {
        return "*?[]{}\\".indexOf(c) < 0 && c != REPLACEMENT;
    }

    /** A path whose last name has a colon. Globber makes another path of the name, which does not take it for a scheme. */
    private static final class ColonPath extends Path {
        private static final long serialVersionUID = 1L;

        ColonPath(Path path) {
            super(path.toUri());
        }

        @Override
        public String getName() {
            return CUR_DIR + SEPARATOR + super.getName();
        }
    }

    /** Something that Globber will ask for: the entries of a directory, for a component, or what is at a path. */
    private static final class Ask {
        final Path path;
        final int component;
        final boolean listing;
        final NameFilter filter; // what of the directory Globber may take

        @Nullable
        CompletableFuture<ListPage> page;

        @Nullable
        CompletableFuture<FileInfo> info;

        /** For what is at a path. */
        Ask(Path path, int component) {
            this(path, component, false, NameFilter.NONE);
        }

        Ask(Path path, int component, boolean listing, NameFilter filter) {
            this.path = path;
            this.component = component;
            this.listing = listing;
            this.filter = filter;
        }
    }

    /** What Globber will ask for because of one of the patterns that braces with slashes stand for. */
    private final class Plan {
        private final List<String> components = new ArrayList<>();
        private final List<GlobFilter> filters = new ArrayList<>();
        final ArrayDeque<Ask> asked = new ArrayDeque<>();
        final ArrayDeque<Ask> toAsk = new ArrayDeque<>(); // comes behind all that was asked

        Plan(Path pattern, String flat) throws IOException {
            Path absolute = fixRelativePart(new Path(flat.isEmpty() ? Path.CUR_DIR : flat));
            for (String component : absolute.toUri().getPath().split(Path.SEPARATOR, -1)) {
                if (!component.isEmpty()) {
                    components.add(component);
                    filters.add(new GlobFilter(component));
                }
            }
            String scheme = pattern.toUri().getScheme();
            String authority = pattern.toUri().getAuthority();
            Path root = new Path(
                    scheme == null ? getUri().getScheme() : scheme,
                    authority == null ? getUri().getAuthority() : authority,
                    Path.SEPARATOR);
            if (components.isEmpty()) {
                toAsk.add(new Ask(root, 0));
            } else {
                goOn(root, 0);
            }
        }

        /** From this directory Globber goes on with this component. */
        private void goOn(Path from, int component) {
            Path at = from;
            for (int i = component; i < components.size(); i++) {
                if (filters.get(i).hasPattern()) {
                    toAsk.add(new Ask(at, i, true, fixedPart(components.get(i))));
                    return;
                }
                at = new Path(at, components.get(i).replaceAll("\\\\(.)", "$1"));
            }
            if (component < components.size()) {
                toAsk.add(new Ask(at, components.size() - 1));
            }
        }

        void listed(Ask ask, FileStatus[] entries) {
            if (ask.component == components.size() - 1) {
                return;
            }
            GlobFilter filter = filters.get(ask.component);
            for (FileStatus entry : entries) {
                if (entry.isDirectory() && filter.accept(entry.getPath())) {
                    goOn(new Path(ask.path, entry.getPath().getName()), ask.component + 1);
                }
            }
        }

        void ask(int underWayMax) {
            while (underWay < underWayMax && !toAsk.isEmpty()) {
                ask();
            }
        }

        private void ask() {
            Ask ask = toAsk.remove();
            asked.add(ask);
            underWay++;
            try {
                String name = nameOf(ask.path);
                if (ask.listing) {
                    ask.page = listings.firstPage(name, ask.filter);
                } else {
                    ask.info = attributes.statLinkAsync(name);
                }
            } catch (IllegalArgumentException e) {
                // of another filesystem: Globber's own request will be refused
            }
        }

        /** The next ask, if it is this one. */
        @Nullable
        Ask take(Path path, boolean listing) {
            if (asked.isEmpty() && !toAsk.isEmpty()) {
                ask();
            }
            Ask next = asked.peek();
            if (next == null || next.listing != listing || !next.path.equals(path)) {
                return null;
            }
            asked.remove();
            underWay--;
            return next;
        }

        boolean isOver() {
            return asked.isEmpty() && toAsk.isEmpty();
        }
    }

    private @Nullable Ask take(Path path, boolean listing) {
        while (plans.size() > 1 && plans.element().isOver()) {
            plans.remove();
        }
        Plan plan = plans.peek();
        if (plan == null) {
            return null;
        }
        askAhead();
        return plan.take(path, listing);
    }

    /** The patterns to come have half of the room, as long as this one needs the other half. */
    private void askAhead() {
        int most = AHEAD;
        for (Plan plan : plans) {
            plan.ask(most);
            most = AHEAD / 2;
        }
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        directory = null;
        Ask ask = take(path, true);
        if (ask == null) {
            return readable(super.listStatus(path));
        }
        ListPage first = ask.page == null ? null : answer(ask, ask.page);
        FileStatus[] entries;
        if (first == null) {
            entries = super.listStatus(path);
            if (entries.length == 1 && entries[0].getPath().equals(makeQualified(path))) {
                return entries; // a file
            }
        } else {
            counts.read(Op.LIST_STATUS);
            entries = Listings.sorted(listings.list(nameOf(path), makeQualified(path), first, ask.filter, false));
            directory = entries.length == 1 ? path : null;
        }
        readable(entries);
        plans.element().listed(ask, entries);
        askAhead();
        return entries;
    }

    private static FileStatus[] readable(FileStatus[] entries) {
        for (FileStatus entry : entries) {
            if (entry.getPath().getName().indexOf(':') >= 0) {
                entry.setPath(new ColonPath(entry.getPath()));
            }
        }
        return entries;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        if (path.equals(directory)) {
            directory = null;
            return new FileStatus(0, true, 0, 0, 0, path);
        }
        Ask ask = take(path, false);
        FileInfo info = ask == null || ask.info == null ? null : answer(ask, ask.info);
        if (info == null || info.symlink()) {
            return super.getFileStatus(path);
        }
        counts.read(Op.GET_FILE_STATUS);
        return attributes.status(info, makeQualified(path));
    }

    /** The path as the server knows it. */
    private String nameOf(Path path) {
        checkPath(path);
        return fixRelativePart(path).toUri().getPath();
    }

    /** The answer; null if it has to be asked for without this. */
    private <T> @Nullable T answer(Ask ask, CompletableFuture<T> asked) throws IOException {
        try {
            return FutureIO.awaitFuture(asked);
        } catch (HmfsException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY -> {
                    counts.read(ask.listing ? Op.LIST_STATUS : Op.GET_FILE_STATUS);
                    throw HadoopErrors.translateLookup(nameOf(ask.path), e);
                }
                default -> {
                    return null;
                }
            }
        }
    }
}
