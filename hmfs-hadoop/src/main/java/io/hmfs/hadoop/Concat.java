package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.HadoopIllegalArgumentException;

/**
 * Appends files to another one, by HDFS's rules. Bytes stand under the inode that they were written to, so they are copied, a few chunks at
 * a time; one change of size makes them all visible, and then the sources go, each if it is what was copied. Whoever dies before that has
 * changed nothing, and after it leaves sources behind.
 */
final class Concat {
    private static final int BUFFER = 256 * 1024;

    private final Session session;

    Concat(Session session) {
        this.session = session;
    }

    void run(String target, List<String> sources) throws IOException {
        if (sources.isEmpty()) {
            throw new HadoopIllegalArgumentException("No sources given");
        }
        FileInfo into = file(target);
        List<FileInfo> from = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        for (String source : sources) {
            FileInfo file = file(source);
            check(file, source, into, target);
            if (!session.isFileClosed(source)) {
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
                session.delete(sources.get(i), false);
            }
        }
    }

    /** What has come to a source's path meanwhile, or was written there, was not copied and stays. */
    private boolean isAsCopied(String source, FileInfo copied) throws IOException {
        try {
            return FileVersion.of(session.stat(source)).equals(FileVersion.of(copied));
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    private FileInfo file(String path) throws IOException {
        FileInfo info = session.stat(path);
        if (info.symlink()) {
            throw new FileNotFoundException("concat: " + path + " is a symbolic link; name the file that it leads to");
        }
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
        HmfsOutputStream out = session.appender(target).stream();
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
        try (HmfsInputStream in = session.reader(source, session.readAhead())) {
            if (!in.version().equals(FileVersion.of(file))) {
                throw new IOException(
                        "concat: source file " + source + " is being written or replaced by somebody else");
            }
            for (int count = in.read(buffer, 0, BUFFER); count >= 0; count = in.read(buffer, 0, BUFFER)) {
                out.write(buffer, 0, count);
            }
        }
    }
}
