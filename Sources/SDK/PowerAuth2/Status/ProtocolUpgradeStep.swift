import Foundation

/// What an upgrade of the protocol needs next (sdk.md, section 9.11).
enum ProtocolUpgradeStep: Equatable, Sendable {
    /// Note in the state that an upgrade is running, then start it on the server.
    case begin
    /// Start an upgrade on the server that the state already knows.
    case start
    /// Commit the upgrade on the server.
    case commit
    /// Note in the state that the upgrade is over.
    case finish
    /// Nothing; both sides use the newest protocol.
    case none

    /// - Parameters:
    ///   - server: protocol of the activation on the server.
    ///   - local: protocol of the activation on the device.
    ///   - pending: protocol that a running upgrade leads to, or `.NA`.
    /// - Throws: `protocolUpgrade` when the two sides cannot come together.
    init(
        server: PowerAuthCoreProtocolVersion, local: PowerAuthCoreProtocolVersion,
        pending: PowerAuthCoreProtocolVersion
    ) throws(NSError) {
        switch (server, local, pending) {
        case (.V2, .V2, .NA): self = .begin
        case (.V2, .V2, .V3): self = .start
        case (.V2, .V3, .V3): self = .commit
        case (.V3, .V3, .V3): self = .finish
        case (.V3, .V3, .NA): self = .none
        case (.V3, .V2, _): throw .powerAuth(.protocolUpgrade, "Server-Client protocol version mishmash.")
        case (.V2, _, _), (.V3, _, _): throw .powerAuth(.protocolUpgrade, "Internal protocol upgrade error.")
        default: throw .powerAuth(.protocolUpgrade, "Unknown server version.")
        }
    }
}
