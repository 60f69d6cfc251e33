package io.hmfs.hadoop.namespace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: a tree that is deleted entry by entry loses what is below it and nothing else.
 * Method: the class itself, on the shared server. Whole deletes are in the contract tests and in
 * HadoopStoreEndToEndTest.
 */
class TreeDeleteTest extends OwnDirectory {
    @Test
    void a_directory_that_became_a_link_is_not_followed_by_a_delete_under_way() throws IOException {
        Path kept = new Path(directory, "kept");
        fs.mkdirs(new Path(kept, "sub"));
        write("kept/sub/f", bytes(1, 1));
        String link = new Path(directory, "link").toUri().getPath();
        URI uri = TestServerProcess.shared().uri();
        try (HmfsClient client = HmfsClient.connect(uri.getHost(), uri.getPort(), ClientOptions.defaults())) {
            client.symlink(link, kept.toUri().getPath(), new CreateOptions(0, false, false, 0755));
            new TreeDelete(client, 4, 10).run(link); // the delete was told of a directory there
            new TreeDelete(client, 4, 10).run(link + "/sub");
        }
        assertTrue(fs.exists(new Path(kept, "sub/f")));
    }
}
