package io.hmfs.client;

import java.util.List;

/**
 * The access control list of a file or directory.
 *
 * @param mode permission bits, 0–07777; the group's are the mask if there are access entries
 * @param entries those beyond the mode, in their order, as {@code user:NAME:rwx}, {@code group::r-x},
 *     {@code default:other::---}
 */
public record AclInfo(String owner, String group, int mode, List<String> entries) {}
