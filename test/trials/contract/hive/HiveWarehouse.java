import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.Table;
import org.apache.hadoop.hive.metastore.client.builder.DatabaseBuilder;
import org.apache.hadoop.hive.metastore.client.builder.PartitionBuilder;
import org.apache.hadoop.hive.metastore.client.builder.TableBuilder;
import org.apache.hadoop.hive.metastore.conf.MetastoreConf;

/**
 * Hive's metastore in the process of its client, with the metastore-site.xml on the class path: {@code make} makes a database, a table with a partition
 * and prints where they are; {@code drop}, in another process, drops the table with its data.
 */
public final class HiveWarehouse {
    private static final String DATABASE = "tour";
    private static final String TABLE = "words";

    private HiveWarehouse() {}

    public static void main(String[] args) throws Exception {
        Configuration conf = MetastoreConf.newMetastoreConf();
        try (HiveMetaStoreClient metastore = new HiveMetaStoreClient(conf)) {
            if (args[0].equals("make")) {
                make(metastore, conf);
            } else {
                metastore.dropTable(DATABASE, TABLE, true, false);
                System.out.println("tables " + metastore.getAllTables(DATABASE));
            }
        }
        System.exit(0); // threads of the metastore live on
    }

    private static void make(HiveMetaStoreClient metastore, Configuration conf) throws Exception {
        Database database = new DatabaseBuilder().setName(DATABASE).create(metastore, conf);
        System.out.println("database " + metastore.getDatabase(database.getName()).getLocationUri());
        Table table = new TableBuilder()
                .setDbName(DATABASE)
                .setTableName(TABLE)
                .addCol("word", "string")
                .addPartCol("day", "string")
                .create(metastore, conf);
        System.out.println("table " + metastore.getTable(DATABASE, TABLE).getSd().getLocation());
        new PartitionBuilder().inTable(table).addValue("monday").addToTable(metastore, conf);
        System.out.println("partition "
                + metastore.getPartition(DATABASE, TABLE, "day=monday").getSd().getLocation());
    }
}
