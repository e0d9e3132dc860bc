/// The locks of a stopped process that matter for its sleep, the most pressing ones.
enum HeldLocks: Equatable, Sendable {
    /// None that another process could wait for.
    case none
    /// One of the system's: the keychain, the preferences, the dialogs. It takes precedence over all others: the whole
    /// device would wait, including the agent.
    case system
    /// One in a container shared by an app group.
    case groupContainer

    /// Judges a list of locks.
    ///
    /// - Parameters:
    ///   - locks: Path and kind of each lock. Shared record locks are left out: SQLite keeps some on every open
    ///     database, and readers of a write-ahead log block no other process.
    ///   - groups: Directory of the group containers.
    ///   - device: Directory of the device; the system's own files lie in it, those of apps below it.
    init(_ locks: [(path: String, isExclusive: Bool)], groups: String, device: String) {
        let exclusive = locks.filter(\.isExclusive).map(\.path)
        if exclusive.contains(where: {
            $0.hasPrefix(device + "/") && !$0.dropFirst(device.count + 1).contains("/")
        }) {
            self = .system
        } else if exclusive.contains(where: { $0.hasPrefix(groups + "/") }) {
            self = .groupContainer
        } else {
            self = .none
        }
    }
}
