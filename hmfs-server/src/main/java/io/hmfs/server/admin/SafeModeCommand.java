package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hmfs safemode}. */
@Command(
        name = "safemode",
        description = "Have a running server take no changes, for superusers; or ask whether it does.",
        footer = {
            "",
            "What the server has begun when it enters safe mode may still end. A restart ends safe mode.",
            "Examples:",
            "  hmfs safemode get",
            "  hmfs safemode enter --server meta1:8930",
            "  hmfs safemode wait && start-the-jobs"
        })
final class SafeModeCommand implements Callable<Integer> {
    private static final int POLL_MILLIS = 500;

    /** What can be asked for. */
    enum Action {
        GET,
        ENTER,
        LEAVE,
        WAIT
    }

    @Mixin
    private ServerView server = new ServerView();

    @Parameters(
            arity = "0..1",
            paramLabel = "ACTION",
            description = "get (default), enter, leave, or wait: until it is off.")
    private Action action = Action.GET;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (HmfsClient client = server.connect()) {
            if (action == Action.ENTER || action == Action.LEAVE) {
                client.setSafeMode(action == Action.ENTER);
            }
            while (action == Action.WAIT && client.isInSafeMode()) {
                Thread.sleep(POLL_MILLIS);
            }
            System.out.println("safe mode is " + (client.isInSafeMode() ? "on" : "off"));
        } catch (HmfsException e) {
            throw server.explained(e);
        }
        return 0;
    }
}
