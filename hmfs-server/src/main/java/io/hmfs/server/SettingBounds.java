package io.hmfs.server;

/** Refuses a setting that is out of its range. */
final class SettingBounds {
    private SettingBounds() {}

    static void check(String setting, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(setting + " is " + value + "; it must be " + min + " to " + max);
        }
    }
}
