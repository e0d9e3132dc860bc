// SPDX-License-Identifier: Apache-2.0

import LabCore
import Synchronization

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
        let hitsRequests = latency != nil || status != nil || drop != nil || corruptBody == true || slowBody != nil
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

/// The fault rules of a running server. The first rule that matches a request and still has something to do wins.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class TrafficFaults: Sendable {
    /// A rule and how often it matched.
    struct Armed: Encodable, Sendable {
        let rule: TrafficFault
        var matched = 0
        var fired = 0
    }

    private struct State {
        var armed: [Armed] = []
        var nextId = 1
    }

    private let state = Mutex(State())

    /// The rules in the order of their arrival.
    var all: [Armed] { state.withLock { $0.armed } }

    /// Adds a rule; it replaces one with the same identifier.
    /// - Throws: `invalidRequest` for an invalid rule.
    func add(_ rule: TrafficFault) throws -> Armed {
        try rule.validate()
        return state.withLock { state in
            var rule = rule
            if rule.id == nil {
                rule.id = "fault-\(state.nextId)"
                state.nextId += 1
            }
            state.armed.removeAll { $0.rule.id == rule.id }
            state.armed.append(Armed(rule: rule))
            return Armed(rule: rule)
        }
    }

    /// Removes the rule with an identifier, or all of them.
    func remove(id: String?) { state.withLock { state in state.armed.removeAll { id == nil || $0.rule.id == id } } }

    /// Counts a request and finds out what goes wrong with it.
    func hit(method: String, path: String) -> TrafficFault? { hit { $0.matches(method: method, path: path) } }

    /// Counts a TLS connection and finds out which certificate it is shown; nil is the right one.
    func hitConnection() -> CertificateKind? {
        hit { $0.certificate != nil }?.certificate.flatMap(CertificateKind.init)
    }

    private func hit(where isAbout: (TrafficFault) -> Bool) -> TrafficFault? {
        state.withLock { state in
            for index in state.armed.indices where isAbout(state.armed[index].rule) {
                state.armed[index].matched += 1
                let armed = state.armed[index]
                let isSkipped = armed.matched <= armed.rule.skip ?? 0
                if isSkipped || armed.fired >= armed.rule.times ?? .max { continue }
                state.armed[index].fired += 1
                return armed.rule
            }
            return nil
        }
    }
}

extension TrafficFault {
    static let limits: [String: FieldLimit] = {
        let time: FieldLimit = ["minimum": 0, "maximum": 600_000]
        return [
            "": ["anyOf": [aboutRequests, aboutConnections]], "skip": time, "times": time, "latency": time,
            "slowBody": time, "status": ["minimum": 200, "maximum": 599],
            "certificate": .oneOf(CertificateKind.allCases.map(\.rawValue)),
        ]
    }()

    private static let null: JSONValue = ["type": "null"]

    /// At least one thing happens to a request.
    private static var aboutRequests: JSONValue {
        let effects: [JSONValue] = [
            ("latency", ["type": "integer"]), ("status", ["type": "integer"]), ("drop", ["type": "string"]),
            ("corruptBody", ["const": true]), ("slowBody", ["type": "integer"]),
        ].map { field, schema in JSONSchema.object([field: schema], required: [field]) }
        return ["properties": ["certificate": null], "anyOf": .array(effects)]
    }

    /// Only the certificate is another one.
    private static var aboutConnections: JSONValue {
        let others = ["path", "method", "latency", "status", "drop", "corruptBody", "slowBody"]
        return JSONSchema.object(
            Dictionary(others.map { ($0, null) }) { $1 }.merging(["certificate": ["type": "string"]]) { $1 },
            required: ["certificate"])
    }
}

extension TrafficFault.Drop: DescribedJSON {
    static var schema: JSONValue { ["type": "string", "enum": ["before", "after"]] }
}
