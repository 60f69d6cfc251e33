package io.hmfs.hadoop.link;

import org.apache.hadoop.fs.UnresolvedLinkException;

/** A symbolic link stands on a path; the filesystem catches this and goes on where the link leads. */
public final class LinkOnPathException extends UnresolvedLinkException {
    private static final long serialVersionUID = 1L;

    private final String leadsTo;

    /** {@code leadsTo} is a path, or an address, relative to the directory of {@code path} if it is relative. */
    public LinkOnPathException(String path, String leadsTo) {
        super(path + ": a symbolic link leads to " + leadsTo);
        this.leadsTo = leadsTo;
    }

    public String leadsTo() {
        return leadsTo;
    }
}
