import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.util.RecoverLeaseFSUtils;

/**
 * What HBase does with the log of a region server that is gone: {@code HBaseLease FILE} writes a file by one client and recovers its lease by
 * another. Prints {@code RESULT closed=… fenced=… length=…}.
 */
public final class HBaseLease {
    private static final int BYTES = 1000;

    private HBaseLease() {}

    public static void main(String[] args) throws IOException {
        Path file = new Path(args[0]);
        Configuration conf = new Configuration();
        try (FileSystem regionServer = FileSystem.newInstance(file.toUri(), conf);
                FileSystem master = FileSystem.newInstance(file.toUri(), conf)) {
            FSDataOutputStream log = regionServer.create(file);
            log.write(new byte[BYTES]);
            log.hflush();
            RecoverLeaseFSUtils.recoverFileLease(master, file, conf);
            boolean closed = ((LeaseRecoverable) master).isFileClosed(file);
            boolean fenced = false;
            try {
                log.write(new byte[BYTES]);
                log.hflush();
            } catch (IOException e) {
                fenced = true;
            }
            long length = master.getFileStatus(file).getLen();
            System.out.println("RESULT closed=" + closed + " fenced=" + fenced + " length=" + length);
        }
    }
}
