/// Something that goes wrong with requests on purpose, as `/lab/faults` takes it.
struct TrafficFault: Codable, Sendable {
    /// Where a connection breaks.
    enum Drop: String, Codable, Sendable {
        /// The server never learns of the request.
        case before
        /// The server has done the work, and the client never learns of it.
        case after
    }

    /// How the rule is found again; made up when it is missing.
    var id: String?
    /// The path below the mount point; `*` stands for any text. Missing means every path.
    var path: String?
    /// Missing means every method.
    var method: String?
    /// How many matching requests pass unharmed first.
    var skip: Int?
    /// How many are hit after those; missing means all.
    var times: Int?

    /// Milliseconds of real time before anything else happens.
    var latency: Int?
    /// An HTTP status that is answered without doing anything.
    var status: Int?
    /// Breaks the connection.
    var drop: Drop?
    /// Whether a byte in the middle of the answer is changed.
    var corruptBody: Bool?
    /// Milliseconds of real time that the body of the answer takes.
    var slowBody: Int?

    /// - Throws: ERR0024 for a rule that does nothing, or whose numbers make no sense.
    func validate() throws {
        let numbers = [skip, times, latency, slowBody].compactMap { $0 }
        guard numbers.allSatisfy({ (0...600_000).contains($0) }) else {
            throw ServiceError(.invalidRequest, "skip, times, latency and slowBody must be 0 to 600000")
        }
        guard status.map({ (200...599).contains($0) }) ?? true else {
            throw ServiceError(.invalidRequest, "status must be 200 to 599")
        }
        guard latency != nil || status != nil || drop != nil || corruptBody == true || slowBody != nil else {
            throw ServiceError(
                .invalidRequest, "a rule needs one of latency, status, drop, corruptBody and slowBody")
        }
    }

    /// Whether the rule is about a request.
    func matches(method: String, path: String) -> Bool {
        (self.method.map { $0.uppercased() == method } ?? true)
            && (self.path.map { Self.glob($0[...], matches: path[...]) } ?? true)
    }

    private static func glob(_ pattern: Substring, matches text: Substring) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return pattern == text }
        let start = pattern[..<star]
        guard text.hasPrefix(start) else { return false }
        let rest = pattern[pattern.index(after: star)...]
        var tail = text.dropFirst(start.count)
        while true {
            if glob(rest, matches: tail) { return true }
            guard !tail.isEmpty else { return false }
            tail = tail.dropFirst()
        }
    }
}
