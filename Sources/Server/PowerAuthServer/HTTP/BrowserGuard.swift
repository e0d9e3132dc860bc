// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

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

/// A host as a URL or a setting names it, in the one spelling that it is compared in.
struct HostName: Hashable, Sendable {
    /// A name in lower case, or an address as the system writes it.
    let text: String
    /// Whether it is an address and not a name.
    let isAddress: Bool

    /// - Parameter text: a name in any case, or an address without brackets.
    init(_ text: String) {
        let address = (try? SocketAddress(ipAddress: text, port: 0))?.ipAddress
        isAddress = address != nil
        // A server that listens on IPv6 sees its IPv4 clients so.
        let mapped = "::ffff:"
        if let address, address.hasPrefix(mapped), address.contains(".") {
            self.text = String(address.dropFirst(mapped.count))
        } else {
            self.text = address ?? (text.hasSuffix(".") ? String(text.dropLast()) : text).lowercased()
        }
    }

    /// Reads `localhost:8080`, `[::1]:8080` or a host alone (RFC 3986, section 3.2).
    /// - Returns: nil for anything else.
    init?(authority: String) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            self.init(String(authority[authority.index(after: authority.startIndex)..<end]))
            guard isAddress else { return nil }
        } else {
            let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2, let host = parts.first, !host.isEmpty, !host.contains("@") else { return nil }
            self.init(String(host))
        }
    }

    /// Whether it cannot lead anywhere but to the machine itself (RFC 6761, section 6.3, for names).
    var isLoopback: Bool {
        isAddress ? text.hasPrefix("127.") || text == "::1" : text == "localhost" || text.hasSuffix(".localhost")
    }

    /// As written in a URL.
    var inURL: String { isAddress && text.contains(":") ? "[\(text)]" : text }

    /// Whether a server that listens here does so on every address of the machine.
    var isEveryAddress: Bool { text == "0.0.0.0" || text == "::" }
}
