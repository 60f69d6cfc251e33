package io.hmfs.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a list becomes what HDFS makes of it, to the letter of its messages. Method: the cases of HDFS's own TestAclTransformation and
 * FSAclBaseTest, in our words: a mode and what stands beside it, a change, and what is there then.
 */
class AclRulesTest {
    private static final List<String> NAMES = List.of("a", "b", "foo", "sales", "diana", "bruce", "execs");

    private static String name(int id) {
        return NAMES.get(id);
    }

    private static List<AclItem> items(String text) {
        return Objects.requireNonNull(AclItem.parse(text.replace(',', '\0')), text);
    }

    /** A mode in octal, and what stands beside it. */
    private static Attributes object(String text) {
        String[] parts = text.split(" ", -1);
        Attributes object = new Attributes();
        object.mode = Integer.parseInt(parts[0], 8);
        object.acl = parts.length == 1
                ? Acl.NONE
                : items(parts[1]).stream().mapToLong(AclRulesTest::entry).toArray();
        assertTrue(Acl.isValid(object.acl), text);
        return object;
    }

    private static long entry(AclItem item) {
        return item.hasName()
                ? Acl.entry(item.isDefault(), item.type(), item.permission(), NAMES.indexOf(item.name()))
                : Acl.entry(item.isDefault(), item.type(), item.permission());
    }

    private static String text(Attributes object) {
        String entries = Arrays.stream(object.acl)
                .mapToObj(each -> AclRules.item(each, AclRulesTest::name).toString())
                .collect(Collectors.joining(","));
        return (Integer.toOctalString(object.mode) + " " + entries).trim();
    }

    private static String change(String before, String how, String asked) {
        Attributes object = object(before);
        List<AclItem> whole = AclRules.whole(object, AclRulesTest::name);
        try {
            List<AclItem> changed = switch (how) {
                case "modify" -> AclRules.modify(whole, items(asked));
                case "remove" -> AclRules.remove(whole, items(asked));
                case "set" -> AclRules.replace(whole, items(asked));
                case "removeDefault" -> AclRules.removeDefault(whole);
                default -> AclRules.removeAll(whole);
            };
            AclRules.store(changed, NAMES::indexOf, object);
            return text(object);
        } catch (InvalidAclException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest(name = "{0}: {1} {2}")
    @CsvSource(
            delimiter = ';',
            value = {
                "640; modify; user:foo:r-x; 650 user:foo:r-x,group::r--",
                "640 user:foo:r--,group::r--; modify; user:foo:rwx; 670 user:foo:rwx,group::r--",
                "640; modify; user:foo:rwx,mask::r--; 640 user:foo:rwx,group::r--",
                "640 user:foo:rwx,group::r--; modify; other::r--; 674 user:foo:rwx,group::r--",
                "640 user:foo:rwx,group::r--; modify; default:user:a:r-x; "
                        + "640 user:foo:rwx,group::r--,default:user::rw-,default:user:a:r-x,default:group::r--,"
                        + "default:mask::r-x,default:other::---",
                "1750; modify; default:user:foo:rwx; "
                        + "1750 default:user::rwx,default:user:foo:rwx,default:group::r-x,default:mask::rwx,default:other::---",
                "750; modify; default:group::rwx; 750 default:user::rwx,default:group::rwx,default:other::---",
                "640; modify; mask::r-x; 650 group::r--",
                // Of two entries with one key HDFS takes the one that its binary search meets.
                "640; modify; user::r--,user::rwx,group::---; 700",
                "640; modify; default:mask::r-x; 640",
                "650 group::r--; modify; group::rwx; 670 group::rwx",
                "750; modify; user:b:r-x,user:a:rwx,group:sales:--x; 770 user:a:rwx,user:b:r-x,group::r-x,group:sales:--x",
                "750; modify; user:a:rwx,user:a:r--; Invalid ACL: multiple entries with same scope, type and name.",
                "750; modify; mask:a:rwx; Invalid ACL: this entry type must not have a name: mask:a:rwx.",
                "750; modify; other:a:rwx; Invalid ACL: this entry type must not have a name: other:a:rwx.",
                "640 user:foo:rwx,group::r--; remove; user:foo:; 640 group::r--",
                "660 user:foo:rw-,group::r--; remove; user:foo:,mask::; 640",
                "660 user:foo:rw-,group::r--; remove; mask::; Invalid ACL: mask is required and cannot be deleted.",
                "660 user:foo:rw-,group::r--; remove; user::; Invalid ACL: the user, group and other entries are required.",
                "660 user:foo:rw-,group::r--; remove; group:sales:; 660 user:foo:rw-,group::r--",
                "660 user:a:rwx,user:b:--x,group::r--; remove; user:a:; 650 user:b:--x,group::r--",
                "750 default:user::rwx,default:user:foo:rwx,default:group::r-x,default:mask::rwx,default:other::---;"
                        + " remove; default:user:foo:;"
                        + " 750 default:user::rwx,default:group::r-x,default:mask::r-x,default:other::---",
                "750 default:user::rwx,default:group::r-x,default:mask::r-x,default:other::---; remove; default:mask::;"
                        + " 750 default:user::rwx,default:group::r-x,default:other::---",
                "750 default:user::rwx,default:group::r-x,default:other::---; remove; default:user::,default:group::,default:other::; 750",
                "755 default:user::r--,default:group::r--,default:other::r--; remove; default:user::;"
                        + " 755 default:user::rwx,default:group::r--,default:other::r--",
                "770 user:foo:rwx,group::r-x,default:user::rwx,default:group::r-x,default:other::---; removeDefault; ''; 770 user:foo:rwx,group::r-x",
                "750 default:user::rwx,default:group::r-x,default:other::---; removeDefault; ''; 750",
                "1770 user:foo:rwx,group::r-x,default:user::rwx,default:group::r-x,default:other::---; removeAll; ''; 1750",
                "750; removeAll; ''; 750",
                "640; set; user::rwx,user:foo:rw-,group::r--,other::---; 760 user:foo:rw-,group::r--",
                "640 user:foo:rwx,group::r--; set; user::rw-,group::r--,other::r--; 644",
                "640 user:foo:rwx,group::r--; set; user::rw-,user:foo:rwx,group::r--,mask::-w-,other::r--; "
                        + "624 user:foo:rwx,group::r--",
                "640; set; user:foo:rwx,group::r--,other::---; Invalid ACL: the user, group and other entries are required.",
                "640; set; user::rwx; Invalid ACL: the user, group and other entries are required.",
                "770 user:foo:rwx,group::r-x; set; default:user:a:r-x; 770 user:foo:rwx,group::r-x,"
                        + "default:user::rwx,default:user:a:r-x,default:group::r-x,default:mask::r-x,default:other::---",
                "750 default:user::rwx,default:group::r-x,default:other::---; set; user::rw-,group::r--,other::---; "
                        + "640 default:user::rwx,default:group::r-x,default:other::---"
            })
    void aListBecomesWhatHdfsMakesOfIt(String before, String how, String asked, String after) {
        assertEquals(after, change(before, how, asked));
    }

    @Test
    void eachListHasRoomFor32() {
        List<AclItem> most = new ArrayList<>();
        IntStream.range(0, AclRules.ENTRIES_MAX - 4).forEach(i -> most.add(new AclItem(false, Acl.USER, "u" + i, 7)));
        List<AclItem> whole = AclRules.whole(object("750"), AclRulesTest::name);
        Attributes object = object("750");
        try {
            AclRules.store(AclRules.modify(whole, most), name -> Integer.parseInt(name.substring(1)), object);
        } catch (InvalidAclException e) {
            throw new AssertionError(e);
        }
        assertTrue(Acl.isValid(object.acl) && object.acl.length == AclRules.ENTRIES_MAX - 3);
        most.add(new AclItem(false, Acl.GROUP, "one more", 7));
        assertEquals(
                "Invalid ACL: ACL has 33 access entries, which exceeds maximum of 32.",
                refusal(whole, most),
                "with the base");
        IntStream.range(0, 33).forEach(i -> most.add(new AclItem(true, Acl.USER, "u" + i, 7)));
        assertEquals(
                "Invalid ACL: ACL has 33 default entries, which exceeds maximum of 32.", refusal(whole, most), "alone");
    }

    private static String refusal(List<AclItem> whole, List<AclItem> asked) {
        try {
            return AclRules.modify(whole, asked).toString();
        } catch (InvalidAclException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest(name = "{0} in {1}, directory {2}")
    @CsvSource(
            delimiter = ';',
            value = {
                "666; 755 default:user::rwx,default:user:foo:rwx,default:group::r-x,default:mask::rwx,default:other::r-x; false;"
                        + " 664 user:foo:rwx,group::r-x",
                "1777; 755 default:user::rwx,default:user:foo:rwx,default:group::r-x,default:mask::rwx,default:other::r-x; true;"
                        + " 1775 user:foo:rwx,group::r-x,default:user::rwx,default:user:foo:rwx,default:group::r-x,"
                        + "default:mask::rwx,default:other::r-x",
                "666; 755 default:user::rw-,default:group::rwx,default:other::r--; false; 664",
                "640; 755 default:user::r--,default:group::rwx,default:other::rwx; false; 440",
                "777; 755 default:user::rwx,default:group::r-x,default:other::---; true;"
                        + " 750 default:user::rwx,default:group::r-x,default:other::---",
                "600; 755 default:user::rwx,default:group::r--,default:group:sales:rwx,default:mask::r-x,default:other::r-x; false;"
                        + " 600 group::r--,group:sales:rwx",
                "666; 750 user:a:r--,group::---,default:user::rwx,default:group::r-x,default:mask::r-x,default:other::r-x; false;"
                        + " 644 group::r-x"
            })
    void whatIsMadeGetsTheDefaults(String asked, String parent, boolean directory, String made) {
        Attributes child = new Attributes();
        long[] above = object(parent).acl;
        child.mode = Inheritance.mode(above, Integer.parseInt(asked, 8));
        child.acl = Inheritance.acl(above, directory);
        assertTrue(Acl.isValid(child.acl));
        assertEquals(made, text(child));
    }

    @Test
    void anEntryIsReadAsItIsWritten() {
        for (String each : List.of("user::rwx", "default:group:sales:-w-", "mask::r-x", "other::---", "user:a:b:r--")) {
            assertEquals(each, items(each).getFirst().toString());
        }
        assertEquals("a:b", items("user:a:b:r--").getFirst().name());
        assertEquals("user:a:", items("user:a:").getFirst().toString());
        for (String each :
                List.of("user", "user:a", "owner::rwx", "user::rw", "user::rwxr", "user::xwr", ":::", "default:")) {
            assertNull(AclItem.parse(each), each);
        }
    }
}
