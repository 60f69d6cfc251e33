package io.hmfs.bench.hdfs;

/** What {@code hmfs bench hdfs} can measure. */
enum HdfsOp {
    PUT,
    CP,
    GET,
    DU,
    FIND,
    CHMOD,
    RM,
    COMMIT,
    SPARK,
    PARQUET,
    OVERWRITE,
    ICEBERG,
    DELTA,
    DISTCP,
    PLAN,
    IO,
    CALLS
}
