package io.hmfs.trials.differ;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** A running filesystem, with a client for each user. */
final class RemoteSubject implements Subject, AutoCloseable {
    /** The superuser of both sides: the user that runs this, who has started the servers. */
    static final String SUPERUSER = System.getProperty("user.name");
    /** Users in scripts. {@code super} is the superuser. */
    static final List<String> USERS = List.of("super", "alice", "bob", "carol");
    /** Groups that both sides give to the users. */
    static final Map<String, String> GROUPS = Map.of("alice", "staff,crew", "bob", "staff", "carol", "crew");

    private static final short OPEN_TO_ALL = 0777;
    private static final int CLOSE_SECONDS = 60;
    private static final int LOOK_MILLIS = 20;

    private final Map<String, Client> clients = new LinkedHashMap<>();
    private final Client superuser;
    private int sessions;

    /**
     * Connects all users.
     *
     * @param namesAndValues settings of the clients
     */
    RemoteSubject(String uri, List<String> namesAndValues) throws IOException, InterruptedException {
        for (String user : USERS) {
            Configuration conf = new Configuration();
            conf.set("fs.defaultFS", uri);
            conf.set("fs.permissions.umask-mode", user.equals("bob") ? "002" : "022");
            for (int i = 0; i < namesAndValues.size(); i += 2) {
                conf.set(namesAndValues.get(i), namesAndValues.get(i + 1));
            }
            clients.put(user, new Client(user.equals("super") ? SUPERUSER : user, uri, conf));
        }
        superuser = client("super");
    }

    private Client client(String user) {
        Client client = clients.get(user);
        if (client == null) {
            throw new IllegalArgumentException("no such user: " + user + "; there are " + USERS);
        }
        return client;
    }

    @Override
    public void fresh() throws IOException {
        FileSystem fs = superuser.fs();
        fs.delete(new Path(session()), true);
        sessions++;
        for (Client client : clients.values()) {
            client.root(session() + "/root");
        }
        fs.delete(new Path(session()), true);
        for (Path each : List.of(new Path(session()), superuser.path(""))) {
            fs.mkdirs(each);
            fs.setPermission(each, new FsPermission(OPEN_TO_ALL));
        }
    }

    /** What a link in the root makes by {@code ..} is in here too, and goes with the session. */
    private String session() {
        return "/differ-" + sessions;
    }

    @Override
    public CallOutcome run(Operation operation) throws IOException {
        Client client = client(operation.user());
        CallOutcome outcome = client.run(() -> operation.kind().run(client, operation.arguments()));
        if (operation.kind() == ApiCall.FS_TRUNCATE && superuser.fs() instanceof DistributedFileSystem hdfs) {
            awaitClosed(hdfs, client.path(operation.arguments().get(0)));
        }
        return outcome;
    }

    /** HDFS's DataNode cuts a block after the answer; until then nothing else may change the file. */
    private static void awaitClosed(DistributedFileSystem hdfs, Path path) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            Path file = hdfs.resolvePath(path);
            while (hdfs.getFileStatus(file).isFile() && !hdfs.isFileClosed(file)) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("not cut within " + CLOSE_SECONDS + " s: " + path);
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (IOException | IllegalArgumentException e) {
            return; // nothing there, or nothing with such a name
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public SortedMap<String, SortedMap<String, String>> tree() throws IOException {
        SortedMap<String, SortedMap<String, String>> tree = new TreeMap<>();
        Path session = new Path(session());
        if (superuser.fs().exists(session)) {
            add(superuser.fs().getFileLinkStatus(session), tree);
        }
        return tree;
    }

    private void add(FileStatus status, SortedMap<String, SortedMap<String, String>> tree) throws IOException {
        FileSystem fs = superuser.fs();
        Path path = status.getPath();
        SortedMap<String, String> fields = new TreeMap<>(superuser.describe(status));
        tree.put(superuser.told(path.toString()), fields);
        if (status.isSymlink()) {
            return;
        }
        if (status.hasAcl()) {
            fields.put("acl", Client.acl(fs.getAclStatus(path)));
        }
        fields.put("xattrs", Client.xattrs(fs.getXAttrs(path)));
        if (status.isFile()) {
            fields.put("content", Client.content(fs.open(path)));
        } else {
            for (FileStatus child : fs.listStatus(path)) {
                add(child, tree);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients.values()) {
            client.close();
        }
    }
}
