package io.hmfs.hadoop;

import io.hmfs.hadoop.namespace.PagedDelete;
import java.io.IOException;
import java.net.URI;
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
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSafeModeTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractSetTimesTest;
import org.apache.hadoop.fs.contract.AbstractContractStreamIOStatisticsTest;
import org.apache.hadoop.fs.contract.AbstractContractUnbufferTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/**
 * Hadoop's own abstract contract tests, each bound to HMFS; contract/hmfs.xml says what we claim. Those of Hadoop
 * 3.5.0 are tests of JUnit 5, which {@link HmfsContractTest} runs, those up to 3.4 of JUnit 4: nothing here names
 * either, so that {@code bin/dev contract filesystem} can compile this file against both.
 */
public final class HmfsContracts {
    /** System property: address of the server. */
    static final String ADDRESS = "hmfs.contract.address";

    private HmfsContracts() {}

    /** The contract on that server. */
    static final class Contract extends AbstractFSContract {
        Contract(Configuration conf) {
            super(conf);
            addConfResource("contract/hmfs.xml");
        }

        @Override
        public FileSystem getTestFileSystem() throws IOException {
            return FileSystem.get(URI.create(System.getProperty(ADDRESS)), getConf());
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

    public static class Append extends AbstractContractAppendTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class BulkDelete extends AbstractContractBulkDeleteTest {
        @Override
        protected int getExpectedPageSize() {
            return PagedDelete.PAGE_SIZE;
        }

        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Concat extends AbstractContractConcatTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class ContentSummary extends AbstractContractContentSummaryTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class CopyFromLocal extends AbstractContractCopyFromLocalTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Create extends AbstractContractCreateTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Delete extends AbstractContractDeleteTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class EnclosingRoot extends AbstractContractGetEnclosingRoot {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Etag extends AbstractContractEtagTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class GetFileStatus extends AbstractContractGetFileStatusTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class LeaseRecovery extends AbstractContractLeaseRecoveryTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Mkdir extends AbstractContractMkdirTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class MultipartUploader extends AbstractContractMultipartUploaderTest {
        /** More than a chunk, of which a server's default is 256 KiB. */
        @Override
        protected int partSizeInBytes() {
            return (256 << 10) + 1024;
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

    public static class Open extends AbstractContractOpenTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Rename extends AbstractContractRenameTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class RootDirectory extends AbstractContractRootDirectoryTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class SafeMode extends AbstractContractSafeModeTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Seek extends AbstractContractSeekTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class SetTimes extends AbstractContractSetTimesTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class StreamIOStatistics extends AbstractContractStreamIOStatisticsTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class Unbuffer extends AbstractContractUnbufferTest {
        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }

    public static class VectoredRead extends AbstractContractVectoredReadTest {
        public VectoredRead(String bufferType) {
            super(bufferType);
        }

        @Override
        protected AbstractFSContract createContract(Configuration conf) {
            return new Contract(conf);
        }
    }
}
