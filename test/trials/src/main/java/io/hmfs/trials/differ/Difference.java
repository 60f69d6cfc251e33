package io.hmfs.trials.differ;

/**
 * What came out differently.
 *
 * @param at index of the operation after which it showed
 * @param what the operation without its user, or {@code tree FIELD TYPE PATH after [refused]} and the operation
 * @param kind the same without what is particular
 */
record Difference(int at, String what, String kind, CallOutcome hdfs, CallOutcome hmfs) {
    static Difference ofOperation(int at, Operation operation, CallOutcome hdfs, CallOutcome hmfs) {
        return new Difference(at, operation.call(), operation.kind().text(), hdfs, hmfs);
    }

    /** @param last the operation after which the trees were compared; an earlier one may have made the difference */
    static Difference ofTree(
            int at, Operation last, boolean refused, String field, String type, String path, String hdfs, String hmfs) {
        String kind = "tree " + field + " " + type;
        String what = kind + " " + path + " after " + (refused ? "refused " : "") + last.call();
        return new Difference(at, what, kind, CallOutcome.of(hdfs), CallOutcome.of(hmfs));
    }

    /** Differences with the same one are taken for one and the same; what shortens a session must keep it. */
    String signature() {
        return kind + ": " + shape(hdfs.text()) + " | " + shape(hmfs.text());
    }

    /** Of an exception the class and no message, of another outcome only that it is one, unless it is one of few. */
    private static String shape(String text) {
        if (text.startsWith("!")) {
            return text.split(":", 2)[0];
        }
        return text.matches("true|false|null|absent|ok") ? text : "value";
    }

    @Override
    public String toString() {
        return "%s%n  HDFS: %s%n  HMFS: %s".formatted(what, told(hdfs), told(hmfs));
    }

    private static String told(CallOutcome outcome) {
        return outcome.remark().isEmpty() ? outcome.text() : outcome.text() + "  (" + outcome.remark() + ")";
    }
}
