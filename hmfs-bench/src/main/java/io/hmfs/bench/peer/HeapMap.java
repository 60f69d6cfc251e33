package io.hmfs.bench.peer;

import java.util.concurrent.ConcurrentHashMap;

/** The peer of the embedded engine: a hash map on the Java heap, which forgets everything and knows no directories. */
public final class HeapMap {
    private static final Object VALUE = new Object();

    private final ConcurrentHashMap<String, Object> map = new ConcurrentHashMap<>();

    /** Puts every key. */
    public void putAll(String[] keys) {
        for (String key : keys) {
            if (map.putIfAbsent(key, VALUE) != null) {
                throw new IllegalStateException(key + " was there already");
            }
        }
    }

    /** Gets every key. */
    public void getAll(String[] keys) {
        for (String key : keys) {
            if (map.get(key) == null) {
                throw new IllegalStateException(key + " is gone");
            }
        }
    }
}
