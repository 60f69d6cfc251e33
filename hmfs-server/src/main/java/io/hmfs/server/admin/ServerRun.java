package io.hmfs.server.admin;

/** placeholder */
final class ServerRun {
    private ServerRun() {}

    static int run(ServerSettings settings) {
        System.out.println(settings.text(ServerSetting.POOL));
        return 1;
    }
}
