package io.hmfs.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** x. */
@Command(name = "net")
final class NetCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
