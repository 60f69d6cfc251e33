package io.hmfs.client;

/**
 * Learns whether waiting for an answer without parking is worth while, from whether answers came in that time. After a wait
 * in vain some calls do not try: 1, then 3, 7 and so on up to {@link #PAUSE_MOST}, half as many after each that was not in
 * vain.
 *
 * <p>Threads use it without order. A store that is lost makes one pause a little longer or shorter.
 */
final class Patience {
    static final int PAUSE_MOST = 255;

    private int pause;
    private int left; // calls of this pause

    /** Whether a thread should try; counts the calls that do not. */
    boolean isWorthWhile() {
        int now = left;
        if (now == 0) {
            return true;
        }
        left = now - 1;
        return false;
    }

    /** What a wait without parking has shown. */
    void learn(boolean answered) {
        if (answered) {
            pause /= 2;
        } else {
            pause = Math.min(PAUSE_MOST, 2 * pause + 1);
            left = pause;
        }
    }
}
