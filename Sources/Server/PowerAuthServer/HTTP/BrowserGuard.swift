import HTTPTypes

/// Blocks requests of web pages to the resources of tools.
///
/// Any web page in a browser on this machine can reach loopback. Two ways are blocked here: an attacker's host name
/// that resolves to this machine (DNS rebinding; the name is in `Host`), and a request to the right name from a page of
/// another origin (which a browser marks with `Origin`). A third, a form posted without a preflight, is blocked by
/// ``BodyType``.
struct BrowserGuard: Sendable {
    /// The names that the server may be called by, beside those of loopback.
    private let hostNames: Set<HostName>

    /// The Android emulator's address for the loopback of its host.
    private static let emulatorsLoopback = "10.0.2.2"

    /// - Parameter hostNames: in any letter case. The wildcard address is not accepted as a name: browsers reach
    ///   loopback by it.
    init(hostNames: [String]) {
        let names = (hostNames + [Self.emulatorsLoopback]).map(HostName.init)
        self.hostNames = Set(names.filter { !$0.isEveryAddress })
    }

    /// The reason to refuse a request; nil accepts it.
    /// - Parameter localAddress: where its connection arrived; a client that names this address means this server.
    func refusal(of request: HTTPRequest, on face: APISurface, at localAddress: String?) -> ErrorResponse? {
        guard face.isForTools else { return nil }
        guard let authority = request.authority?.lowercased(), let host = HostName(authority: authority),
            host.isLoopback || host == localAddress.map(HostName.init) || hostNames.contains(host)
        else { return .misdirected }
        guard let origin = request.headerFields[.origin] else { return nil }
        // The port must match: another program of this machine is another origin. The scheme need not, so that a proxy
        // may add TLS.
        let parts = origin.lowercased().split(separator: "://", maxSplits: 1)
        return parts.count == 2 && parts[1] == authority ? nil : .foreignOrigin
    }
}
