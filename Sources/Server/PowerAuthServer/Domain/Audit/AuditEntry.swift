import LabKit

/// One entry of the audit: what became of an activation, an operation or a recovery code (server.md, section 28).
struct AuditEntry: Encodable, Sendable {
    /// What an entry is about. Signatures have an audit of their own, `/signature/list`.
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
    /// What it happened to; holds no secret.
    let detail: JSONValue
}
