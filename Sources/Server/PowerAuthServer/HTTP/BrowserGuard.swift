import HTTPTypes

/// Keeps web pages away from the resources of tools.
///
/// A page of anybody's, open in a browser on this machine, reaches loopback as well as the operator does. Two ways are
/// closed here: a name of the attacker's that leads to this machine (DNS rebinding; the request says the name as `Host`),
/// and a request to the right name from a page of elsewhere (which a browser marks with `Origin`). A third, the form that
/// a browser posts without asking, is closed by ``BodyType``.
struct BrowserGuard: Sendable {
    /// The names that the server may be called by, beside those of loopback.
    private let hostNames: Set<HostName>

    /// What the Android emulator calls the loopback of the machine that it runs on.
    private static let emulatorsLoopback = "10.0.2.2"

    /// - Parameter hostNames: in any case. The address that stands for all is nobody's name: browsers reach loopback by it.
    init(hostNames: [String]) {
        let names = (hostNames + [Self.emulatorsLoopback]).map(HostName.init)
        self.hostNames = Set(names.filter { !$0.isEveryAddress })
    }

    /// What keeps a request out; nil lets it in.
    /// - Parameter localAddress: where its connection arrived; a client that names this address means this server.
    func refusal(of request: HTTPRequest, on face: APISurface, at localAddress: String?) -> ErrorResponse? {
        guard face.isForTools else { return nil }
        guard let authority = request.authority?.lowercased(), let host = HostName(authority: authority),
            host.isLoopback || host == localAddress.map(HostName.init) || hostNames.contains(host)
        else { return .misdirected }
        guard let origin = request.headerFields[.origin] else { return nil }
        // Its port counts, too: another program of this machine is somebody else. The scheme does not, so that a proxy
        // may add TLS.
        let parts = origin.lowercased().split(separator: "://", maxSplits: 1)
        return parts.count == 2 && parts[1] == authority ? nil : .foreignOrigin
    }
}
