import CLabSystem

/// The process at the other end of a Unix socket, as reported by the kernel.
public enum SocketPeer {
    /// The process that has made a connection, as its listener sees it.
    ///
    /// - Parameter descriptor: A connected Unix socket.
    /// - Returns: The process id; nil for anything else.
    public static func process(of descriptor: Int32) -> Int32? {
        let pid = csystem_peer_pid(descriptor)
        return pid > 0 ? pid : nil
    }
}
