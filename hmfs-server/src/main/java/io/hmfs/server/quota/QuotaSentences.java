package io.hmfs.server.quota;

import java.util.Locale;

/** What HDFS says of a quota that does not allow more. */
final class QuotaSentences {
    private static final String PREFIXES = "KMGTPE";
    private static final int BITS = 10;

    private QuotaSentences() {}

    static String names(String path, long quota, long count) {
        return "The NameSpace quota (directories and files) of directory " + path + " is exceeded: quota=" + quota
                + " file count=" + count;
    }

    static String space(String path, long quota, long count) {
        return "The DiskSpace quota of " + path + " is exceeded: quota = " + quota + " B = " + readable(quota)
                + " but diskspace consumed = " + count + " B = " + readable(count);
    }

    /** In the largest unit that it reaches, with two places if it is no whole number of them; 0 or more. */
    static String readable(long bytes) {
        int unit = 0;
        while (unit < PREFIXES.length() && (bytes >>> (BITS * (unit + 1))) != 0) {
            unit++;
        }
        if (unit == 0) {
            return bytes + " B";
        }
        long one = 1L << (BITS * unit);
        String number = (bytes & (one - 1)) == 0
                ? Long.toString(bytes >>> (BITS * unit))
                : String.format(Locale.ENGLISH, "%.2f", bytes / (double) one);
        if (number.startsWith("1024") && unit < PREFIXES.length()) { // rounded up
            unit++;
            number = "1.00";
        }
        return number + ' ' + PREFIXES.charAt(unit - 1) + 'B';
    }
}
