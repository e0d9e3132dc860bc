import LabKit

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
    /// The path below the mount point; `*` stands for any text, `|` between alternatives. Missing means every path.
    var path: String?
    /// Missing means every method.
    var method: String?
    /// How many matching requests pass unharmed first.
    var skip: Int?
    /// How many are hit after those; missing means all.
    var times: Int?

    /// Milliseconds of the server's clock before anything else happens.
    var latency: Int?
    /// An HTTP status that is answered without doing anything.
    var status: Int?
    /// Breaks the connection.
    var drop: Drop?
    /// Whether a byte in the middle of the answer is changed.
    var corruptBody: Bool?
    /// Milliseconds of the server's clock that the body of the answer takes.
    var slowBody: Int?
    /// The certificate sent instead of the right one. Such a rule counts TLS connections, not requests.
    var certificate: String?

    /// - Throws: `invalidRequest` for a rule that does nothing, or whose numbers make no sense.
    func validate() throws {
        let numbers = [skip, times, latency, slowBody].compactMap { $0 }
        guard numbers.allSatisfy({ (0...600_000).contains($0) }) else {
            throw ServiceError(.invalidRequest, "skip, times, latency and slowBody must be 0 to 600000")
        }
        guard status.map({ (200...599).contains($0) }) ?? true else {
            throw ServiceError(.invalidRequest, "status must be 200 to 599")
        }
        let hitsRequests =
            latency != nil || status != nil || drop != nil || corruptBody == true || slowBody != nil
        if let certificate {
            guard CertificateKind(rawValue: certificate) != nil else {
                let kinds = CertificateKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw ServiceError(.invalidRequest, "certificate must be one of \(kinds)")
            }
            guard !hitsRequests, path == nil, method == nil else {
                throw ServiceError(
                    .invalidRequest,
                    "a rule with certificate is about connections and has nothing else but skip and times")
            }
        } else if !hitsRequests {
            throw ServiceError(
                .invalidRequest, "a rule needs one of latency, status, drop, corruptBody, slowBody and certificate")
        }
    }

    /// The effect of the rule on a request, in words.
    var summary: String {
        var words: [String] = []
        if let latency { words.append("the server waited \(LabDuration.milliseconds(Int64(latency))) of lab time") }
        if let status { words.append("it answered \(status) without doing anything") }
        switch drop {
        case .before: words.append("the request was lost")
        case .after: words.append("the work was done, but the answer was lost")
        case nil: break
        }
        if corruptBody == true { words.append("a byte of the answer was changed") }
        if let slowBody { words.append("the body took \(LabDuration.milliseconds(Int64(slowBody))) of lab time") }
        return words.joined(separator: ", ")
    }

    /// Whether the rule is about a request.
    func matches(method: String, path: String) -> Bool {
        certificate == nil && (self.method.map { $0.uppercased() == method } ?? true)
            && (self.path.map { Wildcard.matches($0, path) } ?? true)
    }
}
