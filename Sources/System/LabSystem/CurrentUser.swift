import Glibc

/// The user this process runs as.
public enum CurrentUser {
    /// The numeric user id.
    public static var id: UInt32 { getuid() }
}
