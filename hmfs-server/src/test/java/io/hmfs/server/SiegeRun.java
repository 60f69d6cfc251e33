package io.hmfs.server;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** {@code bin/dev siege}: a server among hostile users for some minutes; exit code 0: its other users were served as they have to be. */
public final class SiegeRun {
    private static final double WAIT_MAX_MILLIS = 2_000;

    private SiegeRun() {}

    /** Arguments: directory for all files, minutes, seed, and names of attacks, or all. */
    public static void main(String[] args) throws Exception {
        long millis = (long) (Double.parseDouble(args[1]) * TimeUnit.MINUTES.toMillis(1));
        long calmMillis = Math.min(millis, TimeUnit.MINUTES.toMillis(1));
        SiegeAttack[] attacks =
                Arrays.stream(args).skip(3).map(SiegeAttack::valueOf).toArray(SiegeAttack[]::new);
        Siege.Verdict verdict;
        try (Siege siege = new Siege(Path.of(args[0]), Long.parseLong(args[2]), ServerChild.Jvm.LONG)) {
            System.err.println("siege: " + calmMillis / 1_000 + " s of calm, then " + millis / 1_000 + " s of siege");
            verdict = siege.run(calmMillis, millis, attacks);
        }
        System.out.print(verdict.enemies());
        boolean isFast = verdict.besieged() >= verdict.calm() / 2;
        boolean isSoon = verdict.longestMillis() <= WAIT_MAX_MILLIS;
        System.out.printf(
                "neighbours, calm        %,10.0f requests/s%n"
                        + "neighbours, besieged    %,10.0f requests/s, ratio %.2f%s%n"
                        + "longest wait of theirs  %,10.0f ms%s%n"
                        + "server in memory, most  %,10.0f MiB%n",
                verdict.calm(),
                verdict.besieged(),
                verdict.besieged() / verdict.calm(),
                isFast ? "" : ": less than half",
                verdict.longestMillis(),
                isSoon ? "" : ": more than 2 s",
                verdict.residentMax() / 1048576.0);
        System.out.println(verdict.wrong() == null ? "nothing wrong" : "WRONG: " + verdict.wrong());
        System.exit(verdict.wrong() == null && isFast && isSoon ? 0 : 1);
    }
}
