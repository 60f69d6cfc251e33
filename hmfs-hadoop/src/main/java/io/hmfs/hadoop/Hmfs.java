package io.hmfs.hadoop;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/** HMFS for {@code FileContext}: the same filesystem behind Hadoop's other interface. */
public final class Hmfs extends DelegateToFileSystem {
    private final HmfsFileSystem files;

    /** The constructor that Hadoop calls by reflection. */
    public Hmfs(URI address, Configuration conf) throws IOException, URISyntaxException {
        this(address, new HmfsFileSystem(), conf);
    }

    private Hmfs(URI address, HmfsFileSystem files, Configuration conf) throws IOException, URISyntaxException {
        super(address, files, conf, HmfsFileSystem.SCHEME, true);
        this.files = files;
    }

    /** One atomic rename where the default of the superclass would delete first. */
    @Override
    public void renameInternal(Path source, Path target, boolean overwrite) throws IOException {
        checkPath(source);
        checkPath(target);
        files.rename(source, target, overwrite ? Options.Rename.OVERWRITE : Options.Rename.NONE);
    }

    @Override
    public boolean isValidName(String path) {
        return true; // the server judges names, and its answer has a class of its own
    }
}
