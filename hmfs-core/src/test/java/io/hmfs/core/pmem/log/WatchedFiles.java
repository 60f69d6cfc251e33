package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.log.PowerCutDisk.Kind;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The filesystem of a {@link PowerCutDisk}: the real one, where each change of a file in that directory is told to the disk.
 *
 * <p>What the log does not use throws, and that is the point: a log that began to make, move or replace files in another way would fail
 * its tests at once, instead of passing them with changes that were not watched.
 */
final class WatchedFiles extends FileSystemProvider {
    private final PowerCutDisk disk;
    private final Path real;
    private final FileSystem system = new OneDirectory();

    WatchedFiles(PowerCutDisk disk, Path real) {
        this.disk = disk;
        this.real = real;
    }

    Path root() {
        return watched(real);
    }

    /** A path that is the real one in all but its filesystem. */
    private Path watched(Path path) {
        return (Path) Proxy.newProxyInstance(
                WatchedFiles.class.getClassLoader(),
                new Class<?>[] {Path.class, Wrapped.class},
                (proxy, method, given) -> {
                    Object[] arguments = given == null ? new Object[0] : given.clone();
                    for (int i = 0; i < arguments.length; i++) {
                        arguments[i] = arguments[i] instanceof Wrapped wrapped ? wrapped.unwrap() : arguments[i];
                    }
                    if (method.getName().equals("unwrap")) {
                        return path;
                    }
                    if (method.getName().equals("getFileSystem")) {
                        return system;
                    }
                    try {
                        Object result = method.invoke(path, arguments);
                        return result instanceof Path found ? watched(found) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** What a watched path also is. */
    interface Wrapped {
        Path unwrap();
    }

    private static Path plain(Path path) {
        return path instanceof Wrapped wrapped ? wrapped.unwrap() : path;
    }

    private boolean isHere(Path path) {
        return real.equals(path.getParent());
    }

    private static String name(Path path) {
        return path.getFileName().toString();
    }

    @Override
    public FileChannel newFileChannel(Path given, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        Path path = plain(given);
        if (path.equals(real)) {
            return new WatchedChannel(FileChannel.open(path, options, attributes), disk, Kind.SYNC_DIRECTORY, ".");
        }
        if (!isHere(path) || !options.contains(StandardOpenOption.WRITE)) {
            return FileChannel.open(path, options, attributes);
        }
        String name = name(path);
        FileChannel[] opened = new FileChannel[1];
        if (Files.exists(path) && !options.contains(StandardOpenOption.CREATE_NEW)) {
            opened[0] = FileChannel.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
            if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
                disk.does(Kind.TRUNCATE, name, 0, new byte[0], () -> opened[0].truncate(0));
            }
        } else {
            disk.does(Kind.CREATE, name, 0, new byte[0], () -> opened[0] = FileChannel.open(path, options, attributes));
        }
        return new WatchedChannel(opened[0], disk, Kind.FORCE, name);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public void delete(Path given) throws IOException {
        Path path = plain(given);
        if (isHere(path)) {
            disk.does(Kind.DELETE, name(path), 0, new byte[0], () -> Files.delete(path));
        } else {
            Files.delete(path);
        }
    }

    /** All names at once: a caller that closes it has nothing to close. */
    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(plain(directory), filter)) {
            found.forEach(path -> all.add(watched(path)));
        }
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return all.iterator();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void createDirectory(Path given, FileAttribute<?>... attributes) throws IOException {
        Path made = plain(given);
        if (isHere(made)) {
            disk.does(Kind.CREATE, name(made), 0, new byte[0], () -> Files.createDirectory(made, attributes));
        } else {
            Files.createDirectory(made, attributes);
        }
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw PowerCutDisk.unwatched("FileSystemProvider.copy");
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) {
        throw PowerCutDisk.unwatched("FileSystemProvider.move");
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        return Files.isSameFile(plain(path), plain(other));
    }

    @Override
    public boolean isHidden(Path path) {
        return false;
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        return Files.getFileStore(plain(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        Path asked = plain(path);
        asked.getFileSystem().provider().checkAccess(asked, modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return Files.getFileAttributeView(plain(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return Files.readAttributes(plain(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return Files.readAttributes(plain(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, @Nullable Object value, LinkOption... options)
            throws IOException {
        Files.setAttribute(plain(path), attribute, value, options);
    }

    @Override
    public String getScheme() {
        return "watched";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw PowerCutDisk.unwatched("FileSystemProvider.newFileSystem");
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw PowerCutDisk.unwatched("FileSystemProvider.getFileSystem");
    }

    @Override
    public Path getPath(URI uri) {
        throw PowerCutDisk.unwatched("FileSystemProvider.getPath");
    }

    /** Only its provider is ever asked for. */
    private final class OneDirectory extends FileSystem {
        @Override
        public FileSystemProvider provider() {
            return WatchedFiles.this;
        }

        @Override
        public void close() {}

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            return "/";
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            throw PowerCutDisk.unwatched("FileSystem.getRootDirectories");
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            throw PowerCutDisk.unwatched("FileSystem.getFileStores");
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return real.getFileSystem().supportedFileAttributeViews();
        }

        @Override
        public Path getPath(String first, String... more) {
            return watched(Path.of(first, more));
        }

        @Override
        public PathMatcher getPathMatcher(String pattern) {
            throw PowerCutDisk.unwatched("FileSystem.getPathMatcher");
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            throw PowerCutDisk.unwatched("FileSystem.getUserPrincipalLookupService");
        }

        @Override
        public WatchService newWatchService() {
            throw PowerCutDisk.unwatched("FileSystem.newWatchService");
        }
    }
}
