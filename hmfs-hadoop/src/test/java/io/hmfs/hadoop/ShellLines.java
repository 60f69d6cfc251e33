package io.hmfs.hadoop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ToolRunner;

/** Hadoop's shell for each line of standard input, whose arguments stand between tabs, to the first that fails. Needs no class of HMFS. */
final class ShellLines {
    private ShellLines() {}

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(line);
            FsShell shell = new FsShell(new Configuration());
            int code;
            try {
                code = ToolRunner.run(shell, line.split("\t"));
            } finally {
                shell.close(); // as FsShell's own main does
            }
            if (code != 0) {
                System.exit(code);
            }
        }
    }
}
