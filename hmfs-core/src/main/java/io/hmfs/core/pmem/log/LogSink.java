package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.LogFigures;

/** Where what the ring holds goes, to outlive the machine. */
interface LogSink {
    /** Asks for what is published up to here to be written. Called under the monitor of {@link LogGroupCommit}. */
    void ask(long position);

    /** What it has done so far; may be asked for when the ring's memory is unmapped. */
    LogFigures figures();
}
