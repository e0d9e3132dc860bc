import LabKit
import LabPeer

/// What an app gets from the lab: its SDK object, and what the lab file says about it.
@MainActor
public final class AppContext<SDK> {
    /// The name of the app in scenarios.
    public let name: String
    /// What the lab file hands to the app under `settings`.
    public let settings: [String: String]
    private let peer: Peer
    private let used: () throws -> SDK

    init(_ peer: Peer, sdk: @escaping () throws -> SDK) {
        self.peer = peer
        used = sdk
        name = peer.app.name
        settings = peer.app.own?.settings ?? [:]
    }

    /// The SDK object that the lab's own commands act on, made as the lab file configures it. Ask for it each time:
    /// `createSDK` replaces it.
    ///
    /// - Throws: the cause when its configuration was refused.
    public var sdk: SDK {
        get throws { try used() }
    }

    /// Where the lab's enrolment server listens, which passes requests of apps on; without a slash at the end.
    ///
    /// - Throws: when the server does not come up within ten seconds.
    public var serverURL: String {
        get throws { try peer.app.powerAuth.baseEndpointUrl ?? peer.serverReady().enrollmentURL }
    }

    /// Writes a sentence into the trace of the app, where `waitFor: { event: log }` and the page of a run see it. Never
    /// a secret.
    public func log(_ message: String) {
        peer.emit(.log, ["level": "info", "message": .string(message)])
    }
}
