import CLabSystem

/// Memory that was freed, and that the allocator keeps for the next allocation.
public enum FreedMemory {
    /// Gives whole pages of it back to the system, of all threads; takes some milliseconds. Any thread.
    ///
    /// The allocator does that by itself at some times and not at others, and what one thread has freed another does
    /// not always get. So code that has read much and is about to allocate much calls this in between; otherwise the
    /// two may add up.
    public static func giveBack() {
        malloc_trim(0)
    }
}
