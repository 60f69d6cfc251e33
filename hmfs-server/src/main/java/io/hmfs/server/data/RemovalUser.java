package io.hmfs.server.data;

/**
 * A user who asks for removed files or clears them.
 *
 * @param uid the user's number in the pool; -1 if nothing there belongs to the user
 * @param mark tells the user from all others
 * @param isUnlimited whether the user is a superuser
 */
public record RemovalUser(int uid, long mark, boolean isUnlimited) {}
