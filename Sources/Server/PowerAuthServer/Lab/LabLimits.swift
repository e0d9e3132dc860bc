import LabKit

// The limits of lab request fields beside their types, for the description of the API.

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

extension SeedService {
    static let limits: [String: FieldLimit] = [
        "activations.*.userId": .notBlank(upTo: 200), "activations.*.version": ["minimum": 2, "maximum": 3],
        "activations.*.count": ["minimum": 1, "maximum": .integer(Int64(limit))],
        "activations.*.maxFailedAttempts": ["minimum": 1], "activations.*.devicePublicKey": .base64,
        "activations.*.ctrData": .base64, "claims": ["additionalProperties": ["type": "object"]],
    ]
}

extension InboxService {
    static let limits: [String: FieldLimit] = [
        "": .having("userId", "subject", "summary", "body"), "userId": .notBlank, "subject": .long(lineLength),
        "summary": .long(lineLength), "body": .long(bodyLength),
    ]
}

extension InboxMessage.Format: DescribedJSON {
    static var schema: JSONValue { ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })] }
}

extension FieldLimit {
    /// A text of some length.
    fileprivate static func long(_ length: ClosedRange<Int>) -> FieldLimit {
        ["minLength": .integer(Int64(length.lowerBound)), "maxLength": .integer(Int64(length.upperBound))]
    }
}
