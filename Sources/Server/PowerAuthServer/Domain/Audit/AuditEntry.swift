import LabKit

/// One entry of the audit: what became of an activation, an operation or a recovery code (server.md, section 28).
struct AuditEntry: Encodable, Sendable {
    /// The subject of an entry. Signatures have their own audit, `/signature/list`.
    enum Kind: String, Encodable, Sendable {
        case activation = "ACTIVATION"
        case operation = "OPERATION"
        case recovery = "RECOVERY"
    }

    /// Grows with time.
    let number: Int64
    /// Milliseconds of Unix time.
    let time: Int64
    let kind: String
    /// A sentence.
    let text: String
    /// The changed record; contains no secret.
    let detail: JSONValue
}
