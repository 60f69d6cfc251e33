package io.hmfs.hadoop.store;

import java.net.URI;

/**
 * Where a RADOS data store is: {@code rados://POOL[/NAMESPACE]}, or {@code rados://USER@CLUSTER/POOL[/NAMESPACE]}.
 *
 * @param user without {@code client.}; empty: as the settings say
 * @param cluster the cluster's name, after which its configuration file is called
 * @param namespace of the pool; empty: the default one
 */
record RadosAddress(String user, String cluster, String pool, String namespace) {
    static final String SCHEME = "rados";

    private static final String CLUSTER = "ceph";

    /** Throws {@code IllegalArgumentException}, which says how one is written. */
    static RadosAddress of(URI uri) {
        String authority = uri.getAuthority() == null ? "" : uri.getAuthority();
        String path = uri.getPath() == null || uri.getPath().isEmpty()
                ? ""
                : uri.getPath().substring(1);
        int at = authority.indexOf('@');
        String user = at < 0 ? "" : authority.substring(0, at);
        String[] rest = (at < 0 ? authority + "/" + path : path).split("/", -1);
        String namespace = rest.length > 1 ? rest[1] : "";
        boolean isWhole = rest.length <= 2 || (rest.length == 3 && rest[2].isEmpty());
        String cluster = at < 0 ? CLUSTER : authority.substring(at + 1);
        if (!isWhole || rest[0].isEmpty() || cluster.isEmpty() || at == 0 || uri.getQuery() != null) {
            throw new IllegalArgumentException(
                    uri + ": write rados://POOL[/NAMESPACE] or rados://USER@CLUSTER/POOL[/NAMESPACE]");
        }
        return new RadosAddress(user, cluster, rest[0], namespace);
    }
}
