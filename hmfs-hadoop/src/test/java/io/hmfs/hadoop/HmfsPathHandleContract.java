package io.hmfs.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** One more of {@link HmfsContracts}: that of Hadoop 3.4 has another constructor (test/trials/contract/junit4). */
public class HmfsPathHandleContract extends AbstractContractPathHandleTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
        return new HmfsContracts.Contract(conf);
    }
}
