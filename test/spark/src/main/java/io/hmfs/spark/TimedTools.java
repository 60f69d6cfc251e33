package io.hmfs.spark;

import io.delta.kernel.DataWriteContext;
import io.delta.kernel.Operation;
import io.delta.kernel.Transaction;
import io.delta.kernel.TransactionCommitResult;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.hook.PostCommitHook;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.tools.DistCpOptions;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.types.Types;

/**
 * What table formats and DistCp take, for each line {@code KIND DIRECTORY FILES} on standard input; each answers with a line {@code RESULT files=… all=…}:
 * the files that are there, and the milliseconds of it all. {@code iceberg}, {@code delta}: a new table in that
 * directory, to which each commit adds a file's name, and no file. {@code distcp}: a copy of the directory beside it,
 * one job, with maps in four threads of this JVM.
 */
public final class TimedTools {
    private static final String PROPERTIES = "spark.hadoop."; // as a Spark would be given them
    private static final int MAPS = 4;
    private static final int POLL_MILLIS = 10;

    private TimedTools() {}

    public static void main(String[] args) throws Exception {
        Configuration conf = new Configuration();
        conf.set("hadoop.tmp.dir", System.getProperty("spark.local.dir"));
        System.getProperties().forEach((name, value) -> {
            if (name.toString().startsWith(PROPERTIES)) {
                conf.set(name.toString().substring(PROPERTIES.length()), value.toString());
            }
        });
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", 3);
                Path directory = new Path(words[1]);
                int files = Integer.parseInt(words[2]);
                long start = System.nanoTime();
                long there =
                        switch (words[0]) {
                            case "iceberg" -> iceberg(conf, directory, files);
                            case "delta" -> delta(conf, directory, files);
                            case "distcp" -> distCp(conf, directory);
                            default -> throw new IllegalArgumentException("iceberg, delta or distcp, not " + words[0]);
                        };
                double all = (System.nanoTime() - start) / 1e6;
                System.out.printf(Locale.ROOT, "RESULT files=%d all=%.3f%n", there, all);
            }
        }
    }

    /** As a catalog of directories commits: the next version's file is renamed to its name, which must not be there. */
    private static long iceberg(Configuration conf, Path directory, int commits) throws IOException {
        try (HadoopCatalog catalog = new HadoopCatalog(conf, directory.toString())) {
            Table table = catalog.createTable(
                    TableIdentifier.of("bench", "commits"),
                    new Schema(Types.NestedField.required(1, "n", Types.IntegerType.get())));
            for (int i = 0; i < commits; i++) {
                table.newFastAppend()
                        .appendFile(DataFiles.builder(table.spec())
                                .withPath(table.location() + "/data/" + i + ".parquet")
                                .withFileSizeInBytes(1)
                                .withRecordCount(1)
                                .build())
                        .commit();
            }
            table.refresh();
            return Long.parseLong(
                    table.currentSnapshot().summary().get(SnapshotSummary.TOTAL_DATA_FILES_PROP));
        }
    }

    /** As Delta's connectors commit, with a checkpoint of the log whenever it asks for one. */
    private static long delta(Configuration conf, Path directory, int commits) throws IOException {
        Engine engine = DefaultEngine.create(conf);
        StructType schema = new StructType().add("n", IntegerType.INTEGER);
        table(engine, directory)
                .createTransactionBuilder(engine, "hmfs", Operation.CREATE_TABLE)
                .withSchema(engine, schema)
                .build(engine)
                .commit(engine, CloseableIterable.emptyIterable());
        for (int i = 0; i < commits; i++) {
            Transaction transaction = table(engine, directory)
                    .createTransactionBuilder(engine, "hmfs", Operation.WRITE)
                    .build(engine);
            Row state = transaction.getTransactionState(engine);
            DataWriteContext context = Transaction.getWriteContext(engine, state, Map.of());
            DataFileStatus file = new DataFileStatus(directory + "/" + i + ".parquet", 1, 1, Optional.empty());
            CloseableIterator<Row> added =
                    Transaction.generateAppendActions(engine, state, Utils.singletonCloseableIterator(file), context);
            TransactionCommitResult done = transaction.commit(engine, CloseableIterable.inMemoryIterable(added));
            for (PostCommitHook hook : done.getPostCommitHooks()) {
                hook.threadSafeInvoke(engine);
            }
        }
        return table(engine, directory).getLatestSnapshot(engine).getVersion(); // the first commit, number 0, made the table
    }

    private static io.delta.kernel.Table table(Engine engine, Path directory) {
        return io.delta.kernel.Table.forPath(engine, directory.toString());
    }

    private static long distCp(Configuration shared, Path directory) throws Exception {
        Configuration conf = new Configuration(shared);
        conf.set("fs.defaultFS", directory.toUri().resolve("/").toString());
        conf.setInt("mapreduce.client.progressmonitor.pollinterval", POLL_MILLIS); // its end is noticed so much later
        conf.setInt("mapreduce.local.map.tasks.maximum", MAPS);
        Path copy = directory.suffix("-copy");
        DistCpOptions options =
                new DistCpOptions.Builder(List.of(directory), copy).maxMaps(MAPS).build();
        new DistCp(conf, options).execute(); // which waits for the job and throws if it fails
        return copy.getFileSystem(conf).getContentSummary(copy).getFileCount();
    }
}
