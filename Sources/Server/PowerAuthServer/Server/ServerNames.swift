/// The server's names in the answer of `/status` (server.md, sections 5.1 and 25).
public struct ServerNames: Sendable {
    /// For programs.
    public var name = "powerauth-server"
    /// For people.
    public var displayName = "PowerAuth Server"
    /// Where it runs, such as `test`; empty by default.
    public var environment = ""

    /// The defaults.
    public init() {}
}
