package io.hmfs.hadoop.namespace;

import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import io.hmfs.hadoop.attributes.FileAttributes;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.stream.FileStreams;
import io.hmfs.hadoop.stream.HmfsInputStream;
import io.hmfs.hadoop.stream.HmfsOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.HadoopIllegalArgumentException;

/**
 * Appends files to another one, by HDFS's rules. Bytes stand under the inode that they were written to, so they are
 * copied, a few chunks at a time; one change of size makes them all visible; then each source is deleted that is
 * still what was copied. A client that dies before the change of size has changed nothing; one that dies after it
 * leaves sources behind. Thread-safe.
 */
public final class Concat {
    private static final int BUFFER = 256 * 1024;

    private static final int READ = 4;
    private static final int WRITE = 2;

    private final ServerLink link;
    private final FileAttributes attributes;
    private final FileStreams streams;
    private final Removal removal;

    public Concat(ServerLink link, FileAttributes attributes, FileStreams streams, Removal removal) {
        this.link = link;
        this.attributes = attributes;
        this.streams = streams;
        this.removal = removal;
    }

    /** Appends {@code sources}, in their order, to {@code target}: absolute paths of one directory. */
    public void run(String target, List<String> sources) throws IOException {
        if (sources.isEmpty()) {
            throw new HadoopIllegalArgumentException("No sources given");
        }
        FileInfo into = file(target, WRITE);
        List<FileInfo> from = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        Set<String> parents = new HashSet<>();
        for (String source : sources) {
            String parent = source.substring(0, Math.max(source.lastIndexOf('/'), 1));
            FileInfo file;
            try {
                file = file(source, READ);
            } catch (FileNotFoundException e) {
                checkAccess(parent, WRITE); // as in HDFS, a user that may not write the directory is told that
                throw e;
            }
            if (parents.add(parent)) {
                checkAccess(parent, WRITE); // the source is deleted at the end
            }
            check(file, source, into, target);
            if (!streams.isFileClosed(source)) {
                throw new HadoopIllegalArgumentException(
                        "concat: source file " + source + " is invalid or empty or underConstruction");
            }
            seen.add(file.id());
            from.add(file);
        }
        if (seen.size() < sources.size()) {
            throw new HadoopIllegalArgumentException("concat: at least two of the source files are the same");
        }
        copy(target, sources, from);
        for (int i = 0; i < sources.size(); i++) {
            if (isAsCopied(sources.get(i), from.get(i))) {
                removal.run(sources.get(i), false);
            }
        }
    }

    /** All is asked before anything changes: a user that may not do the whole does no part of it. */
    private void checkAccess(String path, int permission) throws IOException {
        link.change(path, client -> client.acls().access(path, permission));
    }

    /** Whether a source is what was copied; a file that came to its path or was written meanwhile stays. */
    private boolean isAsCopied(String source, FileInfo copied) throws IOException {
        try {
            return FileVersion.of(attributes.statLink(source)).equals(FileVersion.of(copied));
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    private FileInfo file(String path, int permission) throws IOException {
        FileInfo info = attributes.statLink(path);
        if (info.symlink()) {
            throw new IOException("concat: " + path + " is a symbolic link; name the file that it leads to");
        }
        checkAccess(path, permission);
        if (info.directory()) {
            throw new FileNotFoundException("Path is not a file: " + path);
        }
        return info;
    }

    private static void check(FileInfo file, String source, FileInfo into, String target) {
        if (file.parentId() != into.parentId()) {
            throw new HadoopIllegalArgumentException(
                    "Source file " + source + " is not in the same directory with the target " + target);
        }
        if (file.id() == into.id()) {
            throw new HadoopIllegalArgumentException(
                    "concat: the src file " + source + " is the same with the target file " + target);
        }
        if (file.size() == 0) {
            throw new HadoopIllegalArgumentException(
                    "concat: source file " + source + " is invalid or empty or underConstruction");
        }
    }

    private void copy(String target, List<String> sources, List<FileInfo> from) throws IOException {
        HmfsOutputStream out = streams.append(target);
        boolean whole = false;
        try {
            byte[] buffer = new byte[BUFFER];
            for (int i = 0; i < from.size(); i++) {
                copy(sources.get(i), from.get(i), out, buffer);
            }
            whole = true;
        } finally {
            if (whole) {
                out.close();
            } else {
                out.abort();
            }
        }
    }

    private void copy(String source, FileInfo file, HmfsOutputStream out, byte[] buffer) throws IOException {
        try (HmfsInputStream in = streams.open(source)) {
            if (!in.version().equals(FileVersion.of(file))) {
                throw new IOException(
                        "concat: source file " + source + " is being written or replaced by another client");
            }
            for (int count = in.read(buffer, 0, BUFFER); count >= 0; count = in.read(buffer, 0, BUFFER)) {
                out.write(buffer, 0, count);
            }
        }
    }
}
