import NIOHTTP1

/// Finds requests that do not say clearly which host they are for: those behind it, such as a guard against web pages, would judge
/// one name and a proxy in front another (RFC 9112, sections 3.2 and 3.2.2).
package enum RequestAuthority {
    /// Replaces the host of such a request. No host has this name; a client that sends it is refused, too.
    package static let ambiguous = "?"

    /// The request with ``ambiguous`` as its host, unless it names one host.
    static func marked(_ head: HTTPRequestHead) -> HTTPRequestHead {
        guard !isClear(head) else { return head }
        var marked = head
        marked.headers.replaceOrAdd(name: "Host", value: ambiguous)
        return marked
    }

    private static func isClear(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["host"]
        let mayLackHost = (head.version.major, head.version.minor) < (1, 1)
        guard hosts.count == 1 || (hosts.isEmpty && mayLackHost) else { return false }
        guard !head.uri.utf8.starts(with: "/".utf8), let scheme = head.uri.firstRange(of: "://") else { return true }
        let authority = head.uri[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return hosts.allSatisfy { $0.lowercased() == authority.lowercased() }
    }
}
