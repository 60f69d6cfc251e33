package io.hmfs.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractContractAppendTest;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractConcatTest;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractCopyFromLocalTest;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractEtagTest;
import org.apache.hadoop.fs.contract.AbstractContractGetEnclosingRoot;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractLeaseRecoveryTest;
import org.apache.hadoop.fs.contract.AbstractContractMkdirTest;
import org.apache.hadoop.fs.contract.AbstractContractMultipartUploaderTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSafeModeTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractSetTimesTest;
import org.apache.hadoop.fs.contract.AbstractContractStreamIOStatisticsTest;
import org.apache.hadoop.fs.contract.AbstractContractUnbufferTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.api.Nested;

/**
 * Goal: HMFS keeps the contract of Hadoop filesystems, as Hadoop itself tests it.
 * Method: Hadoop's own abstract contract tests, each as a nested class, against one server; contract/hmfs.xml says what we claim.
 */
class HmfsContractTest {
    /** The contract on the shared server. */
    static final class Contract extends AbstractFSContract {
        Contract(Configuration conf) {
            super(conf);
            addConfResource("contract/hmfs.xml");
        }

        @Override
        public FileSystem getTestFileSystem() throws IOException {
            return FileSystem.get(ServerProcess.shared().uri(), getConf());
        }

        @Override
        public String getScheme() {
            return "hmfs";
        }

        @Override
        public Path getTestPath() {
            return new Path("/contract");
        }
    }

    @Nested
    class Append extends AbstractContractAppendTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class BulkDelete extends AbstractContractBulkDeleteTest {
        @Override
        protected int getExpectedPageSize() {
            return PagedDelete.PAGE_SIZE;
        }

        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Concat extends AbstractContractConcatTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class ContentSummary extends AbstractContractContentSummaryTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class CopyFromLocal extends AbstractContractCopyFromLocalTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Create extends AbstractContractCreateTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Delete extends AbstractContractDeleteTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class EnclosingRoot extends AbstractContractGetEnclosingRoot {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Etag extends AbstractContractEtagTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class GetFileStatus extends AbstractContractGetFileStatusTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class LeaseRecovery extends AbstractContractLeaseRecoveryTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Mkdir extends AbstractContractMkdirTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class MultipartUploader extends AbstractContractMultipartUploaderTest {
        @Override
        protected int partSizeInBytes() {
            return ServerProcess.CHUNK_SIZE + 1024;
        }

        @Override
        protected boolean finalizeConsumesUploadIdImmediately() {
            return true;
        }

        @Override
        protected boolean supportsConcurrentUploadsToSamePath() {
            return true;
        }

        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Open extends AbstractContractOpenTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class PathHandle extends AbstractContractPathHandleTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Rename extends AbstractContractRenameTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class RootDirectory extends AbstractContractRootDirectoryTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class SafeMode extends AbstractContractSafeModeTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Seek extends AbstractContractSeekTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class SetTimes extends AbstractContractSetTimesTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class StreamIOStatistics extends AbstractContractStreamIOStatisticsTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class Unbuffer extends AbstractContractUnbufferTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    @Nested
    class VectoredRead extends AbstractContractVectoredReadTest {
        VectoredRead(String bufferType) {
            super(bufferType);
        }

        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }
}
