package io.hmfs.hadoop;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Makes many files soon. */
public final class ManyFiles {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, true, 0755);
    private static final int AT_ONCE = 500;

    private ManyFiles() {}

    private static HmfsClient client(FileSystem fs) throws IOException {
        return ((HmfsFileSystem) fs).mount().link().client();
    }

    /** Makes empty files of these names, and the directories above them. */
    public static void make(FileSystem fs, Path directory, List<String> names) throws IOException {
        HmfsClient client = client(fs);
        for (int from = 0; from < names.size(); from += AT_ONCE) {
            List<CompletableFuture<?>> made = new ArrayList<>();
            for (String name : names.subList(from, Math.min(names.size(), from + AT_ONCE))) {
                made.add(client.createAsync(new Path(directory, name).toUri().getPath(), PLAIN));
            }
            CompletableFuture.allOf(made.toArray(new CompletableFuture<?>[0])).join();
        }
    }
}
