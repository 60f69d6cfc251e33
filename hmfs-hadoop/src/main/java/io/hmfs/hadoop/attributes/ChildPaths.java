package io.hmfs.hadoop.attributes;

import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * Makes the paths of what stands below one directory. Hadoop's constructor parses the text of a path three times; where
 * a name has no character that a URI escapes or gives a meaning to, resolving it against the directory's URI makes an
 * equal path and parses the name alone. Thread-safe.
 */
public final class ChildPaths implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char each = 0; each < PLAIN.length; each++) {
            PLAIN[each] = (each >= '0' && each <= '9')
                    || (each >= 'A' && each <= 'Z')
                    || (each >= 'a' && each <= 'z')
                    || "-_.=+,@~/".indexOf(each) >= 0;
        }
    }

    private final Path directory;
    private transient volatile @Nullable URI base; // its URI with a slash at its end; null until it is needed

    /** {@code directory}: qualified. */
    public ChildPaths(Path directory) {
        this.directory = directory;
    }

    /** The path of what stands below the directory, {@code name}: its name or path there, as the server tells it. */
    public Path child(String name) {
        return isPlain(name) ? new Path(base().resolve(URI.create(name))) : parsed(directory, name);
    }

    /** As {@link #child}, by Hadoop's constructor; a colon in the name is no scheme. */
    static Path parsed(Path directory, String name) {
        return name.indexOf(':') < 0 ? new Path(directory, name) : new Path(directory, new Path(null, null, name));
    }

    private URI base() {
        URI made = base;
        if (made == null) {
            URI uri = directory.toUri();
            String path = directory.isRoot() ? uri.getPath() : uri.getPath() + Path.SEPARATOR;
            try {
                made = new URI(uri.getScheme(), uri.getAuthority(), path, null, null);
            } catch (URISyntaxException e) {
                throw new IllegalStateException(e); // it was a path's
            }
            base = made;
        }
        return made;
    }

    private static boolean isPlain(String name) {
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            if (each >= PLAIN.length || !PLAIN[each]) {
                return false;
            }
        }
        return true;
    }
}
