import ZeroMQ

/// What control messages travel through.
public enum ControlTransport {
    /// The library and its version, `libzmq 4.3.5`.
    public static var library: String { "libzmq \(ZeroMQLibrary.version)" }
}
