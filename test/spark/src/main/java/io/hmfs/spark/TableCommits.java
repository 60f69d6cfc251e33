package io.hmfs.spark;

import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;

/**
 * Commits to a table of Iceberg's HadoopCatalog, one after the other and without data, so that writers meet: {@code create WAREHOUSE TABLE}
 * makes it, {@code append WAREHOUSE TABLE WRITER COMMITS} adds a file's name by each commit and says {@code COMMIT n} after it, {@code check
 * WAREHOUSE TABLE} says what is there. The last line of an append is {@code RESULT conflicts=…}, how often the other was faster; that of a
 * check {@code RESULT files=… distinct=… snapshots=… linear=…}.
 */
public final class TableCommits {
    private TableCommits() {}

    public static void main(String[] args) throws IOException {
        try (HadoopCatalog catalog = new HadoopCatalog(new Configuration(), args[1])) {
            TableIdentifier name = TableIdentifier.of("contract", args[2]);
            switch (args[0]) {
                case "create" ->
                    catalog.createTable(
                            name,
                            new Schema(Types.NestedField.required(1, "n", Types.IntegerType.get())),
                            null,
                            Map.of("commit.retry.num-retries", "0"));
                case "append" -> append(catalog.loadTable(name), args[3], Integer.parseInt(args[4]));
                case "check" -> check(catalog.loadTable(name));
                default -> throw new IllegalArgumentException("create, append or check, not " + args[0]);
            }
        }
    }

    private static void append(Table table, String writer, int commits) {
        int conflicts = 0;
        int done = 0;
        while (done < commits) {
            DataFile file = DataFiles.builder(table.spec())
                    .withPath(table.location() + "/data/" + writer + "-" + done + ".parquet")
                    .withFileSizeInBytes(1)
                    .withRecordCount(1)
                    .build();
            try {
                table.newFastAppend().appendFile(file).commit();
                System.out.println("COMMIT " + done);
                done++;
            } catch (CommitFailedException e) { // nothing was changed: the other was faster
                conflicts++;
                table.refresh();
            }
        }
        System.out.println("RESULT conflicts=" + conflicts);
    }

    private static void check(Table table) throws IOException {
        Set<String> names = new HashSet<>();
        int files = 0;
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                files++;
                names.add(task.file().location());
            }
        }
        int snapshots = 0;
        for (Snapshot ignored : table.snapshots()) {
            snapshots++;
        }
        int ancestors = 1;
        Long parent = table.currentSnapshot().parentId();
        while (parent != null) {
            ancestors++;
            parent = table.snapshot(parent).parentId();
        }
        System.out.println("RESULT files=" + files + " distinct=" + names.size() + " snapshots=" + snapshots
                + " linear=" + (ancestors == snapshots));
    }
}
