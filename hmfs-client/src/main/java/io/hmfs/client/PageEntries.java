package io.hmfs.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Stands on one entry of a page after the other and reads it in place, without an object for each: {@link #next} before
 * the first. Not thread-safe.
 */
public final class PageEntries implements FileView {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final PageBody page;
    private int number; // of the entry that it stands on, from 1
    private int at;
    private int links; // among the entries up to this one
    private PageBody.Kind kind = new PageBody.Kind(false, false, false, false, 0, "", "");

    PageEntries(PageBody page) {
        this.page = page;
    }

    /** All entries as objects. */
    static List<FileInfo> infos(PageBody page) {
        List<FileInfo> infos = new ArrayList<>(page.count);
        PageEntries entries = new PageEntries(page);
        while (entries.next()) {
            infos.add(entries.info());
        }
        return infos;
    }

    /** Goes to the next entry; false: there is none. */
    public boolean next() {
        if (number == page.count) {
            return false;
        }
        if (number > 0) {
            at = page.next(at);
        }
        number++;
        kind = page.kind(at);
        links += kind.symlink() ? 1 : 0;
        return true;
    }

    /** An object for this entry. */
    public FileInfo info() {
        return new FileInfo(
                id(),
                page.directory,
                name(),
                directory(),
                mode(),
                owner(),
                group(),
                size(),
                mtimeNanos(),
                atimeMillis(),
                ctimeMillis(),
                target(),
                acl(),
                false);
    }

    /** Whether it is a directory whose entries are not in the listing of the tree: to be listed by itself. */
    public boolean apart() {
        return kind.apart();
    }

    @Override
    public long id() {
        return page.inode(at);
    }

    @Override
    public String name() {
        return page.name(at);
    }

    @Override
    public boolean directory() {
        return kind.directory();
    }

    @Override
    public boolean symlink() {
        return kind.symlink();
    }

    @Override
    public boolean acl() {
        return kind.acl();
    }

    @Override
    public int mode() {
        return kind.mode();
    }

    @Override
    public String owner() {
        return kind.owner();
    }

    @Override
    public String group() {
        return kind.group();
    }

    @Override
    public long size() {
        return page.size(at);
    }

    @Override
    public long mtimeNanos() {
        return page.mtimeNanos(at);
    }

    @Override
    public long atimeMillis() {
        return Math.floorDiv(page.atimeNanos(at), NANOS_PER_MILLI);
    }

    @Override
    public long ctimeMillis() {
        return Math.floorDiv(page.ctimeNanos(at), NANOS_PER_MILLI);
    }

    @Override
    public String target() {
        return kind.symlink() ? page.target(links - 1) : "";
    }
}
