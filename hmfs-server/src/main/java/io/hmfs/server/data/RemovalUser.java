package io.hmfs.server.data;

/** Who asks for removed files, or says that their objects are gone: the user's number in the pool, or -1; what tells the user from all others; whether it is a superuser. */
public record RemovalUser(int uid, long mark, boolean isUnlimited) {}
