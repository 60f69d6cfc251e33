package io.hmfs.core.check;

/** Repairs that take more than a store of one word. Each is durable when it returns, or is found again by the next check. */
interface Repairs {
    /** Later than all times that were issued so far; the next start begins there or later. */
    long now();

    /** A new id. */
    long newId();

    /** Leads the key that stands in an object to it; false if the index has no room. */
    boolean addWord(long at);

    /** Gives an entry an id that no data is under, and says of a file that its bytes are lost, not that they are zeros. */
    void withoutData(long at);

    /** Links an entry at the head of a list, as a create does. */
    void link(long content, long at);

    /** Takes an entry off a list that leads to it. */
    void unlink(long content, long at);

    /** A content for a directory that has lost its own; NULL if there is no space. */
    long newContent(long access, long id);

    /** Renames an entry in its own directory, to a name made of its id that no other entry has. */
    void renameInPlace(long at, boolean directory);

    /** Moves an entry, which is on no list, below /lost+found; under its own name if that is free there. */
    void toLostAndFound(long at);

    /** An access object in /lost+found for a content with children that has none. */
    void newDirectoryFor(long content);

    /** Ends what the repairs have begun. */
    void close();
}
