package io.hmfs.trials.quickstart;

import io.hmfs.bench.process.StepException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;

/** What must be on the server: every directory and every file with its size and checksum, by absolute path. */
final class Expected {
    /** A file's bytes. */
    record Content(long size, String sha256) {}

    private final ConcurrentSkipListMap<String, Content> files = new ConcurrentSkipListMap<>();
    private final TreeSet<String> directories = new TreeSet<>();

    void addFile(String path, Content content) {
        files.put(path, content);
    }

    void addDirectory(String path) {
        directories.add(path);
    }

    /** Files by path, in order. */
    Map<String, Content> files() {
        return files;
    }

    int fileCount() {
        return files.size();
    }

    int directoryCount() {
        return directories.size();
    }

    /** Paths of the files under a directory, in order. */
    List<String> filesUnder(String directory) {
        return new ArrayList<>(files.subMap(directory + "/", directory + "0").keySet());
    }

    /** Renames a file, or a directory with all that is in it. */
    void rename(String source, String target) {
        move(source, target);
        for (String path : filesUnder(source)) {
            move(path, target + path.substring(source.length()));
        }
        for (String path : directoriesAt(source)) {
            directories.remove(path);
            directories.add(target + path.substring(source.length()));
        }
    }

    private void move(String source, String target) {
        Content content = files.remove(source);
        if (content != null) {
            files.put(target, content);
        }
    }

    /** Removes a file, or a directory with all that is in it. */
    void remove(String path) {
        if (files.remove(path) == null) {
            filesUnder(path).forEach(files::remove);
            directories.removeAll(directoriesAt(path));
        }
    }

    private List<String> directoriesAt(String directory) {
        List<String> found = new ArrayList<>(directories.subSet(directory + "/", directory + "0"));
        if (directories.contains(directory)) {
            found.add(directory);
        }
        return found;
    }

    /** Compares names and sizes; fails with the first few differences. */
    void compare(Listing actual) throws StepException {
        TreeMap<String, String> differences = new TreeMap<>();
        files.forEach((path, content) -> {
            Long size = actual.files().get(path);
            if (size == null) {
                differences.put(path, "missing");
            } else if (size != content.size()) {
                differences.put(path, size + " bytes instead of " + content.size());
            }
        });
        for (String path : actual.files().keySet()) {
            if (!files.containsKey(path)) {
                differences.put(path, "should not be there");
            }
        }
        for (String path : directories) {
            if (!actual.directories().contains(path)) {
                differences.put(path + "/", "missing");
            }
        }
        for (String path : actual.directories()) {
            if (!directories.contains(path)) {
                differences.put(path + "/", "should not be there");
            }
        }
        if (!differences.isEmpty()) {
            Map.Entry<String, String> first = differences.firstEntry();
            throw new StepException(
                    differences.size() + " differences between what was written and what is listed, first: "
                            + first.getKey() + ": " + first.getValue());
        }
    }

    /** What a server lists: sizes of files by path, and directories. */
    record Listing(Map<String, Long> files, TreeSet<String> directories) {}
}
