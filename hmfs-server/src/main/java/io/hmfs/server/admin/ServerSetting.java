package io.hmfs.server.admin;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What can be set about a server; each one as a flag ({@code --data-store}), a variable ({@code HMFS_DATA_STORE}) and a key of
 * the properties file ({@code data-store}).
 */
enum ServerSetting {
    POOL("pool", "FILE", null, "The pool, made by hmfs format."),
    HOST("host", "NAME", "127.0.0.1", "Address to listen on; 0.0.0.0 for all."),
    PORT("port", "N", "8930", "Port to listen on; 0 takes a free one and prints it."),
    PERSISTENCE(
            "persistence",
            "MODE",
            "process",
            "What an answered operation survives. process: the death of the server process; pmem: power failure,"
                    + " needs a pool on DAX memory."),
    EMULATE_PMEM(
            "emulate-pmem",
            "BOOL",
            "false",
            "Allow pmem on memory that is not DAX: for measurements only, it does not survive power failure."),
    DATA_STORE(
            "data-store",
            "STORE",
            "builtin",
            "Where file data goes. builtin: objects in data-dir, streamed by this server; else the URI of a Hadoop"
                    + " filesystem that clients write to (s3a://bucket/data)."),
    DATA_DIR("data-dir", "DIR", "", "Directory of the builtin store (default: the pool's name with .data).");

    private final String key;
    private final String label;
    private final @Nullable String fallback;
    private final String description;

    ServerSetting(String key, String label, @Nullable String fallback, String description) {
        this.key = key;
        this.label = label;
        this.fallback = fallback;
        this.description = description;
    }

    String key() {
        return key;
    }

    String flag() {
        return "--" + key;
    }

    String variable() {
        return "HMFS_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    String label() {
        return label;
    }

    /** The default; null when it must be given. */
    @Nullable
    String fallback() {
        return fallback;
    }

    String description() {
        return description;
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(ServerSetting::key).toList();
    }

    static @Nullable ServerSetting ofKey(String key) {
        return Arrays.stream(values())
                .filter(s -> s.key.equals(key))
                .findFirst()
                .orElse(null);
    }
}
