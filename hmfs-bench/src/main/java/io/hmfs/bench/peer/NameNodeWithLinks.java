package io.hmfs.bench.peer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.hadoop.fs.FileSystem;

/** The main class of a {@link NameNode} with symbolic links; HDFS's own is not on the class path of this module. */
final class NameNodeWithLinks {
    private NameNodeWithLinks() {}

    public static void main(String[] arguments) throws Throwable {
        FileSystem.enableSymlinks();
        MethodHandles.publicLookup()
                .findStatic(Class.forName(NameNode.MAIN), "main", MethodType.methodType(void.class, String[].class))
                .invoke(arguments);
    }
}
