import CZeroMQ

/// The library of the system that the lab's sockets are made with.
public enum ZeroMQLibrary {
    /// The version that is loaded, `4.3.5`.
    public static var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
