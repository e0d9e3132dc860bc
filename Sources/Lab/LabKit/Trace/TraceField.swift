/// A detail that a trace event carries.
public struct TraceField: Sendable {
    /// Name in the trace, and in `where` of a scenario.
    public let name: String
    /// What values it has; optional when not every such event carries it.
    public let type: FieldType
    /// What it means.
    public let meaning: String
    /// Unit of a number, for example `bytes`.
    public let unit: String?

    /// Declares a detail.
    init(_ name: String, _ type: FieldType, _ meaning: String, unit: String? = nil) {
        self.name = name
        self.type = type
        self.meaning = meaning
        self.unit = unit
    }
}

// What several events carry, each declared once.
extension TraceField {
    static let accessGroup = TraceField("accessGroup", .text, "Its keychain access group.")
    static let account = TraceField("account", .text, "Its account.")
    static let activationId = TraceField("activationId", .text, "Identifier of the activation.")
    static let app = TraceField("app", .text, "The app that it is from or for.")
    static let application = TraceField("application", .text, "Identifier of the app among those that share.")
    static let call = TraceField("call", .text, "What is asked for, such as `knowledgeSignature`.")
    static let changeCounter = TraceField("counter", .integer, "The change counter of a shared session.")
    static let command = TraceField("command", .text, "Name of the command.")
    static let executable = TraceField("executable", .text, "Its program.")
    static let incarnation = TraceField("incarnation", .integer, "Which start of the app it was, from 1.")
    static let link = TraceField("link", .text, "Name of the link.")
    static let lock = TraceField(
        "lock", .choice(["status", "queue", "operation"]),
        "`status` is held for one task, `queue` for one signed request, `operation` for one that excludes other apps.")
    static let memory = TraceField("name", .text, "Name of the shared memory.")
    static let message = TraceField("id", .text, "Identifier of the message.")
    static let messageKind = TraceField(
        "kind", .choice(["live", "transfer"]), "Whether it is delivered at once or from a queue.")
    static let method = TraceField("method", .text, "HTTP method.")
    static let notification = TraceField("id", .text, "Identifier of the notification.")
    static let operationIds = TraceField("operations", .list(.text), "Identifiers of the operations.")
    static let operationType = TraceField("type", .text, "The operation, such as `activation`.")
    static let path = TraceField("path", .text, "Path of the resource.")
    static let peer = TraceField("peer", .text, "The app whose process it is.")
    static let pid = TraceField("pid", .integer, "Its process identifier.")
    static let refusalCount = TraceField(
        "count", .optional(.integer),
        "How many it stands for, if too many came to report each; the cause is that of the last.")
    static let sequence = TraceField("seq", .integer, "Its number on the link.")
    static let service = TraceField("service", .text, "Service of the item.")
    static let status = TraceField("status", .integer, "HTTP status.")
    static let token = TraceField("name", .text, "Name of the token.")

    /// A detail that not every such event carries.
    static func optional(_ field: TraceField) -> TraceField {
        TraceField(field.name, .optional(field.type), field.meaning, unit: field.unit)
    }
}
