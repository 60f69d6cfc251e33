package io.hmfs.server.admin;

import io.hmfs.server.HmfsServer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code hmfs version}. */
@Command(
        name = "version",
        description = "Print the versions of HMFS and of the Java that runs it.",
        footer = {"", "Example:", "  hmfs version"})
final class VersionCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.out.println("hmfs " + HmfsServer.version());
        System.out.println("java " + Runtime.version() + " (" + System.getProperty("java.home") + ")");
        return 0;
    }
}
