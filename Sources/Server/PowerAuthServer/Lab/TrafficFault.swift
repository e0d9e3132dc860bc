// SPDX-License-Identifier: Apache-2.0

import Foundation
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
    /// The code in the error that is answered with the status; missing means that of an unexpected error.
    var code: String?
    /// The message in that error; missing means that of an unexpected error.
    var message: String?
    /// The whole body that is answered with the status, in place of an error: a text as it is, any other value as JSON.
    var body: JSONValue?
    /// The media type of what is answered with the status; missing means `application/json`.
    var contentType: String?
    /// Breaks the connection.
    var drop: Drop?
    /// Whether a byte in the middle of the answer is changed.
    var corruptBody: Bool?
    /// Milliseconds of the server's clock that the body of the answer takes.
    var slowBody: Int?
    /// What is changed in the answer.
    var edit: AnswerEdit?
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
        try validateAnswer()
        let hitsRequests =
            latency != nil || status != nil || drop != nil || corruptBody == true || slowBody != nil || edit != nil
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
                .invalidRequest,
                "a rule needs one of latency, status, drop, corruptBody, slowBody, edit and certificate")
        }
    }

    /// - Throws: `invalidRequest` for an answer of the rule's own that contradicts itself, and for an edit that does.
    private func validateAnswer() throws {
        try edit?.validate()
        let hasBody = body.map { _ in true } ?? false
        let hasError = code != nil || message != nil
        if status == nil, hasBody || hasError || contentType != nil {
            throw ServiceError(
                .invalidRequest, "code, message, body and contentType need status, which is missing")
        }
        if hasBody, hasError {
            throw ServiceError(
                .invalidRequest, "body excludes code and message, which make a body of their own; leave out either")
        }
        if status != nil, edit != nil {
            throw ServiceError(
                .invalidRequest,
                "status excludes edit, because a rule with status gives the whole answer; leave out either"
            )
        }
        guard contentType.map(Self.isHeaderValue) ?? true else {
            throw ServiceError(
                .invalidRequest,
                "contentType must be 1 to 255 printable characters of ASCII, without spaces around them")
        }
    }

    private static func isHeaderValue(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...255).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    }

    /// What a rule with a status answers; nil for one without.
    func answer(on face: APISurface) -> ServerResponse? {
        guard let status else { return nil }
        let bytes: Data =
            switch body {
            case .some(.string(let text)): Data(text.utf8)
            case .some(let json): json.encoded()
            case .none: ErrorResponse.unexpected.body(on: face, code: code, message: message)
            }
        return ServerResponse(status: status, body: bytes, contentType: contentType ?? ServerResponse.json)
    }

    /// The effect of the rule on a request, in words; that of an edit is known only afterwards, and is not among them.
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
        /// Why the edit of the rule could not be made, of the newest answer for which that is so.
        var mistake: String?
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

    /// Takes back a hit whose edit could not be made.
    func miss(_ id: String?, because mistake: AnswerEdit.Mistake) {
        state.withLock { state in
            // It may have been removed meanwhile.
            guard let index = state.armed.firstIndex(where: { $0.rule.id == id }) else { return }
            state.armed[index].fired = max(0, state.armed[index].fired - 1)
            state.armed[index].mistake = mistake.description
        }
    }

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
        let own: [String: FieldLimit] = [
            "": ["anyOf": [aboutRequests, aboutConnections], "allOf": .array(ownAnswer)], "skip": time, "times": time,
            "latency": time, "slowBody": time, "status": ["minimum": 200, "maximum": 599],
            "contentType": ["pattern": "^[!-~]([ -~]{0,253}[!-~])?$"],
            "certificate": .oneOf(CertificateKind.allCases.map(\.rawValue)),
        ]
        return own.merging(AnswerEdit.limits) { own, _ in own }
    }()

    private static let null: JSONValue = ["type": "null"]

    /// At least one thing happens to a request.
    private static var aboutRequests: JSONValue {
        let effects: [JSONValue] = [
            ("latency", ["type": "integer"]), ("status", ["type": "integer"]), ("drop", ["type": "string"]),
            ("corruptBody", ["const": true]), ("slowBody", ["type": "integer"]), ("edit", ["type": "object"]),
        ].map { field, schema in JSONSchema.object([field: schema], required: [field]) }
        return ["properties": ["certificate": null], "anyOf": .array(effects)]
    }

    /// Only the certificate is another one.
    private static var aboutConnections: JSONValue {
        let others = ["path", "method", "latency", "status", "drop", "corruptBody", "slowBody", "edit"]
        return JSONSchema.object(
            Dictionary(others.map { ($0, null) }) { $1 }.merging(["certificate": ["type": "string"]]) { $1 },
            required: ["certificate"])
    }

    /// What an answer of the rule's own needs and excludes.
    private static var ownAnswer: [JSONValue] {
        func without(_ fields: String...) -> JSONValue {
            ["properties": .object(Dictionary(fields.map { ($0, null) }) { $1 })]
        }
        let withStatus = JSONSchema.object(["status": ["type": "integer"]], required: ["status"])
        return [
            ["anyOf": [without("code", "message", "body", "contentType"), withStatus]],
            ["anyOf": [without("code", "message"), without("body")]],
            ["anyOf": [without("edit"), without("status")]],
        ]
    }
}

extension TrafficFault.Drop: DescribedJSON {
    static var schema: JSONValue { ["type": "string", "enum": ["before", "after"]] }
}
