package io.hmfs.trials.differ;

import java.util.Random;

/** What an argument of an operation means, and how one is drawn. */
enum Argument {
    PATH {
        @Override
        String draw(Random random) {
            StringBuilder path = new StringBuilder();
            int depth = random.nextInt(20) == 0 ? 0 : 1 + Math.min(random.nextInt(4), random.nextInt(4));
            for (int i = 0; i < depth; i++) {
                path.append('/').append(random.nextInt(30) == 0 ? any(random, ODD) : any(random, NAMES));
            }
            return path.isEmpty() ? "/" : path.toString();
        }
    },
    /** Of a symbolic link: absolute, or from where the link is. */
    TARGET {
        @Override
        String draw(Random random) {
            return switch (random.nextInt(4)) {
                case 0 -> any(random, NAMES);
                case 1 -> "../" + any(random, NAMES);
                default -> PATH.draw(random);
            };
        }
    },
    GLOB {
        @Override
        String draw(Random random) {
            return any(random, "/*", "/a*", "/{a,b}/*", "/[a-b]", "/?/?", "/*/*/*", "/a/b", "/[^a]/c", "/*/../a", "/");
        }
    },
    PERMISSION {
        @Override
        String draw(Random random) {
            return any(
                    random, "0755", "0777", "0700", "1777", "0644", "0600", "0000", "0555", "0711", "0444", "0733",
                    "0770");
        }
    },
    BOOLEAN {
        @Override
        String draw(Random random) {
            return "" + random.nextBoolean();
        }
    },
    /** A number of bytes; blocks have 1,024. */
    SIZE {
        @Override
        String draw(Random random) {
            return any(random, "0", "0", "1", "100", "1023", "1024", "1025", "2048", "3000");
        }
    },
    /** A user, or {@code ""} to leave it. */
    OWNER {
        @Override
        String draw(Random random) {
            return any(random, "root", "alice", "bob", "carol", "");
        }
    },
    /** A group, or {@code ""} to leave it. */
    GROUP {
        @Override
        String draw(Random random) {
            return any(random, "staff", "crew", "supergroup", "", "");
        }
    },
    /** A time in milliseconds, or -1 to leave it. */
    TIME {
        @Override
        String draw(Random random) {
            return any(random, "1000", "20000", "300000", "1", "-1", "-1", "0");
        }
    },
    REPLICATION {
        @Override
        String draw(Random random) {
            return any(random, "1", "2", "3");
        }
    },
    ACTION {
        @Override
        String draw(Random random) {
            return any(random, "r--", "-w-", "--x", "rwx", "rw-", "r-x", "---");
        }
    },
    ACL {
        @Override
        String draw(Random random) {
            StringBuilder acl = new StringBuilder(entry(random));
            while (random.nextInt(3) > 0) {
                acl.append(',').append(entry(random));
            }
            return acl.toString();
        }

        private String entry(Random random) {
            return any(random, "", "", "default:")
                    + any(
                            random,
                            "user:alice",
                            "user:bob",
                            "user:carol",
                            "group:staff",
                            "group:crew",
                            "user:",
                            "group:",
                            "mask:",
                            "other:")
                    + ":"
                    + ACTION.draw(random);
        }
    },
    /** All that {@code setAcl} needs. */
    WHOLE_ACL {
        @Override
        String draw(Random random) {
            return random.nextInt(4) == 0
                    ? ACL.draw(random)
                    : "user::rwx,group::" + ACTION.draw(random) + ",other::" + ACTION.draw(random) + ","
                            + ACL.draw(random);
        }
    },
    ATTRIBUTE {
        @Override
        String draw(Random random) {
            return random.nextInt(6) == 0
                    ? any(
                            random,
                            "trusted.t",
                            "security.s",
                            "system.s",
                            "raw.r",
                            "none",
                            "user.",
                            "USER.A",
                            "user.ü",
                            "")
                    : any(random, "user.a", "user.b", "user.c");
        }
    },
    VALUE {
        @Override
        String draw(Random random) {
            return any(random, "", "1", "two", "three three");
        }
    },
    /** Flags of a setXAttr. */
    SET_FLAGS {
        @Override
        String draw(Random random) {
            return any(random, "CREATE", "REPLACE", "CREATE,REPLACE", "CREATE,REPLACE");
        }
    },
    /** Flags of a create. */
    CREATE_FLAGS {
        @Override
        String draw(Random random) {
            return any(
                    random, "CREATE", "CREATE,OVERWRITE", "CREATE,OVERWRITE", "OVERWRITE", "CREATE,APPEND", "APPEND");
        }
    },
    /** A quota of names, -1 for none. */
    QUOTA {
        @Override
        String draw(Random random) {
            return any(random, "-1", "1", "2", "3", "5", "10", "0");
        }
    };

    private static final String[] NAMES = {"a", "a", "b", "b", "c", "d"};
    private static final int NAME_MAX = 255;
    private static final String[] ODD = {
        "a b",
        " ",
        "a:b",
        ":",
        "ü",
        "e\u0301",
        "\u65e5\u672c",
        "\uff5e",
        "\ud83d\ude00",
        ".snapshot",
        ".reserved",
        ".",
        "a/..",
        "...",
        ".a",
        "a%20b",
        "[a]",
        "{a",
        "*",
        "a\\b",
        "a+b",
        "a#b",
        "a?b",
        "",
        "A",
        "x".repeat(NAME_MAX),
        "x".repeat(NAME_MAX + 1)
    };

    private static String any(Random random, String... values) {
        return values[random.nextInt(values.length)];
    }

    abstract String draw(Random random);
}
