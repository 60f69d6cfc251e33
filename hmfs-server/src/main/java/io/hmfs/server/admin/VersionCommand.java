package io.hmfs.server.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code hmfs version}. */
@Command(
        name = "version",
        description = "Print the versions of HMFS and of the Java that runs it.",
        footer = {"", "Example:", "  hmfs version"})
final class VersionCommand implements Callable<Integer> {
    private static final String POM = "/META-INF/maven/io.hmfs/hmfs-server/pom.properties";

    @Override
    public Integer call() {
        System.out.println("hmfs " + current());
        System.out.println("java " + Runtime.version() + " (" + System.getProperty("java.home") + ")");
        return 0;
    }

    /** The version that the build put into the jar; {@code unpackaged} when the classes are not in a jar. */
    static String current() {
        try (InputStream pom = VersionCommand.class.getResourceAsStream(POM)) {
            if (pom == null) {
                return "unpackaged";
            }
            Properties properties = new Properties();
            properties.load(pom);
            return properties.getProperty("version", "unpackaged");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
