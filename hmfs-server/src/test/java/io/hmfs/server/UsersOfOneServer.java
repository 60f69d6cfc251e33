package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A real server with a superuser and two other users; bob has a home directory. */
abstract class UsersOfOneServer {
    static final CreateOptions PLAIN = new CreateOptions(0640, false, false, 0755);

    @TempDir
    Path directory;

    ServerFixture fixture;
    HmfsClient admin;
    HmfsClient bob;
    HmfsClient eve;

    @BeforeEach
    void start() throws IOException {
        fixture = new ServerFixture(directory);
        admin = fixture.client();
        bob = fixture.client("bob");
        eve = fixture.client("eve");
        admin.mkdir("/home/bob", 0755, true);
        admin.chown("/home/bob", "bob", "staff");
    }

    @AfterEach
    void stop() {
        eve.close();
        bob.close();
        admin.close();
        fixture.close();
    }

    static String denied(Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(ResultCode.ACCESS_DENIED, thrown.code(), thrown.getMessage());
        return thrown.reason();
    }

    FileInfo secretOfBob() throws IOException {
        LeasedFiles.of(bob, "/home/bob/secret", PLAIN, "secret".getBytes(StandardCharsets.UTF_8));
        return bob.stat("/home/bob/secret");
    }
}
