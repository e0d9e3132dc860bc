import Synchronization

/// Names of HTTP headers that the log leaves out; capital letters make no difference (networking.md, section 11.3).
///
/// Thread rule: any thread.
public final class HeaderBlockList: Sendable {
    private let names = Mutex([
        // The vendor's list, with its repetition.
        "accept-language", "content-type", "content-length", "accept-language", "transfer-encoding", "date", "server",
        "user-agent", "connection", "x-content-type-options", "x-xss-protection", "cache-control", "pragma", "expires",
        "x-frame-options", "vary",
    ])

    /// Adds a name.
    public func add(element: String) { add(elements: [element]) }

    /// Adds names.
    public func add(elements: [String]) {
        names.withLock { $0 += elements.map { $0.lowercased() } }
    }

    /// Removes a name, however often it was added.
    public func remove(element: String) {
        let name = element.lowercased()
        names.withLock { names in names.removeAll { $0 == name } }
    }

    /// Removes names, each of them once as often as it is given: one that was added twice stays.
    public func removeAll(elements: [String]) {
        names.withLock { names in
            for element in elements {
                if let index = names.firstIndex(of: element.lowercased()) { names.remove(at: index) }
            }
        }
    }

    /// Removes all names.
    public func removeAll() { names.withLock { $0 = [] } }

    /// The names, in small letters.
    public func headersToSkip() -> [String] { names.withLock { $0 } }

    /// The lines about a set of headers.
    func render(_ headers: [(name: String, value: String)]) -> String {
        guard !headers.isEmpty else { return "no headers" }
        let skipped = Set(headersToSkip())
        let shown = headers.filter { header in
            let name = header.name.lowercased()
            return !skipped.contains(name) && !Self.isSecret(name)
        }
        return "\(headers.count - shown.count) filtered out" + shown.map { "\n  - \($0.name): \($0.value)" }.joined()
    }

    /// Headers that let their reader act for the sender.
    private static func isSecret(_ name: String) -> Bool {
        name.hasPrefix("x-powerauth-") || ["authorization", "cookie", "set-cookie"].contains(name)
    }
}
