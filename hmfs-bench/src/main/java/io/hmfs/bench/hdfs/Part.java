package io.hmfs.bench.hdfs;

/** One kind of work. */
public interface Part {
    /** Takes figures. */
    interface Figures {
        /** What was measured, its unit and value. */
        void add(String name, String unit, double figure);
    }

    /**
     * Does it once on one side, checks that it was done, and leaves nothing there.
     *
     * @param round its number, which no other round on that side has
     */
    void round(Side side, int round, Figures figures) throws Exception;
}
