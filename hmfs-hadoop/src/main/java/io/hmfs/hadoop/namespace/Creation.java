package io.hmfs.hadoop.namespace;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;

/** Makes directories and symbolic links at absolute paths. Thread-safe. */
public final class Creation {
    private final ServerLink link;

    public Creation(ServerLink link) {
        this.link = link;
    }

    /**
     * Makes a directory.
     *
     * @param mode behind the umask
     * @param unmasked the mode before the umask, of which a default ACL may grant more
     * @param parents whether missing parents are made too. As in HDFS, a directory that exists is success in both cases
     */
    public void mkdir(String path, int mode, int unmasked, boolean parents) throws IOException {
        try {
            if (parents) {
                link.repeatable(client -> client.mkdir(path, mode, unmasked, true));
            } else {
                link.client().mkdir(path, mode, unmasked, false);
            }
        } catch (HmfsException e) {
            if (parents || e.code() != ResultCode.EXISTS || !isDirectory(path)) {
                throw HadoopErrors.translate(path, e);
            }
        }
    }

    private boolean isDirectory(String path) throws IOException {
        return link.ask(path, client -> client.stat(path)).directory();
    }

    /** Makes a symbolic link; {@code parents}: with its missing parents, which inherit their mode. */
    public void symlink(String path, String target, boolean parents) throws IOException {
        try {
            link.client().symlink(path, target, new CreateOptions(0, false, parents, CreateOptions.INHERITED));
        } catch (HmfsException e) {
            throw HadoopErrors.translate(path, e);
        }
    }
}
