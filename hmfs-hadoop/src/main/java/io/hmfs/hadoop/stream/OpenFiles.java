package io.hmfs.hadoop.stream;

import io.hmfs.client.FileInfo;
import io.hmfs.hadoop.link.ServerLink;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The output streams of one filesystem that are not closed yet. Thread-safe. */
final class OpenFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    private final ServerLink link;
    private final Map<Closeable, OpenFile> open = new ConcurrentHashMap<>();

    OpenFiles(ServerLink link) {
        this.link = link;
    }

    void add(Closeable stream, OpenFile file) {
        open.put(stream, file);
    }

    void remove(Closeable stream) {
        open.remove(stream);
    }

    /** Tells the streams that {@code source} is now {@code target}, so that they still find their file. */
    void renamed(String source, String target) throws IOException {
        for (OpenFile file : open.values()) {
            file.parentMoved(source, target);
            if (file.isAt(source)) {
                FileInfo there = link.repeatable(client -> client.stat(target));
                file.moved(target, there);
            }
        }
    }

    /** Closes them all, as HDFS does when a filesystem is closed; failures are logged. */
    void closeAll() {
        for (Closeable stream : new ArrayList<>(open.keySet())) {
            try {
                stream.close();
            } catch (IOException e) {
                LOG.warn("A file that was left open could not be committed", e);
            }
        }
    }
}
