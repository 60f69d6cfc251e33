package io.hmfs.hadoop;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * Goal: HMFS keeps the contract of Hadoop filesystems, as Hadoop itself tests it.
 * Method: Hadoop's own abstract contract tests ({@link HmfsContracts}), each as a nested class, against one server.
 */
class HmfsContractTest {
    @BeforeAll
    static void address() throws IOException {
        System.setProperty(
                HmfsContracts.ADDRESS, TestServerProcess.shared().uri().toString());
    }

    @Nested
    class Append extends HmfsContracts.Append {}

    @Nested
    class BulkDelete extends HmfsContracts.BulkDelete {}

    @Nested
    class Concat extends HmfsContracts.Concat {}

    @Nested
    class ContentSummary extends HmfsContracts.ContentSummary {}

    @Nested
    class CopyFromLocal extends HmfsContracts.CopyFromLocal {}

    @Nested
    class Create extends HmfsContracts.Create {}

    @Nested
    class Delete extends HmfsContracts.Delete {}

    @Nested
    class EnclosingRoot extends HmfsContracts.EnclosingRoot {}

    @Nested
    class Etag extends HmfsContracts.Etag {}

    @Nested
    class GetFileStatus extends HmfsContracts.GetFileStatus {}

    @Nested
    class LeaseRecovery extends HmfsContracts.LeaseRecovery {}

    @Nested
    class Mkdir extends HmfsContracts.Mkdir {}

    @Nested
    class MultipartUploader extends HmfsContracts.MultipartUploader {}

    @Nested
    class Open extends HmfsContracts.Open {}

    @Nested
    class PathHandle extends HmfsPathHandleContract {}

    @Nested
    class Rename extends HmfsContracts.Rename {}

    @Nested
    class RootDirectory extends HmfsContracts.RootDirectory {}

    @Nested
    class SafeMode extends HmfsContracts.SafeMode {}

    @Nested
    class Seek extends HmfsContracts.Seek {}

    @Nested
    class SetTimes extends HmfsContracts.SetTimes {}

    @Nested
    class StreamIOStatistics extends HmfsContracts.StreamIOStatistics {}

    @Nested
    class Unbuffer extends HmfsContracts.Unbuffer {}

    @Nested
    class VectoredRead extends HmfsContracts.VectoredRead {
        VectoredRead(String bufferType) {
            super(bufferType);
        }
    }
}
