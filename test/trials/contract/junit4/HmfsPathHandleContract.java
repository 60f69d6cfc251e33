package io.hmfs.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** The one contract test whose constructor Hadoop 3.4 has differently; in place of that in hmfs-hadoop. */
public class HmfsPathHandleContract extends AbstractContractPathHandleTest {
    public HmfsPathHandleContract(String name, HandleOpt[] options, boolean serialized) {
        super(name, options, serialized);
    }

    @Override
    protected AbstractFSContract createContract(Configuration conf) {
        return new HmfsContracts.Contract(conf);
    }
}
