// SPDX-License-Identifier: Apache-2.0

/// A detail that a trace event carries.
public struct TraceField: Hashable, Sendable {
    /// Name in the trace, and in `where` of a scenario.
    public let name: String
    /// What values it has; optional when not every such event carries it.
    public let kind: Kind
    /// What it means.
    public let meaning: String
    /// Unit of a number, for example `bytes`.
    public let unit: String?

    /// What values a detail has.
    public indirect enum Kind: Hashable, Sendable {
        /// Text.
        case text
        /// A whole number.
        case integer
        /// A number.
        case number
        /// `true` or `false`.
        case boolean
        /// One of the listed words.
        case choice([String])
        /// A list of values of one kind.
        case list(Kind)
        /// The value, or nothing.
        case optional(Kind)

        /// One of the words of an enumeration, in the order of its cases.
        static func words<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> Kind {
            .choice(type.allCases.map(\.rawValue))
        }
    }

    /// Declares a detail.
    init(_ name: String, _ kind: Kind, _ meaning: String, unit: String? = nil) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
        self.unit = unit
    }

    /// A detail that not every such event carries.
    static func optional(_ field: TraceField) -> TraceField {
        TraceField(field.name, .optional(field.kind), field.meaning, unit: field.unit)
    }
}

/// What an event means, and the details that it carries.
struct TraceEventFacts {
    let summary: String
    let fields: [TraceField]

    init(_ summary: String, _ fields: TraceField...) {
        (self.summary, self.fields) = (summary, fields)
    }

    /// An event about a background task of a watch app.
    init(task summary: String) { self.init(summary, .backgroundTask, .app, .backgroundTaskKind) }
}

/// The value of a detail, as code writes it that does not know JSON.
public enum TraceValue: Hashable, Sendable {
    /// Text.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// `true` or `false`.
    case boolean(Bool)

    /// A whole number of any size; one that is too large becomes the largest.
    public static func whole(_ number: some BinaryInteger) -> TraceValue { .integer(Int64(clamping: number)) }

    /// A word of an enumeration.
    public static func word(_ word: some RawRepresentable<String>) -> TraceValue { .text(word.rawValue) }
}

// What several events carry, and what an SDK writes, each declared once.
extension TraceField {
    static let accessGroup = TraceField("accessGroup", .text, "Its keychain access group.")
    static let account = TraceField("account", .text, "Its account.")
    public static let activationId = TraceField("activationId", .text, "Identifier of the activation.")
    static let app = TraceField("app", .text, "The app that it is from or for.")
    public static let application = TraceField("application", .text, "Identifier of the app among those that share.")
    static let backgroundTask = TraceField("id", .text, "Identifier of the task.")
    static let backgroundTaskKind = TraceField(
        "kind", .words(of: BackgroundTaskKind.self), "Whether the app has asked for it, or content of the phone waits.")
    public static let brokenRule = TraceField("cause", .text, "The rule that it breaks, in a word.")
    static let call = TraceField("call", .text, "What is asked for, such as `knowledgeSignature`.")
    public static let changeCounter = TraceField("counter", .integer, "The change counter of a shared session.")
    static let command = TraceField("command", .text, "Name of the command.")
    public static let consequence = TraceField("message", .text, "What follows, in a sentence.")
    public static let damage = TraceField(
        "cause", .words(of: MemoryDamage.self),
        "What was wrong: memory too short, without content, used without a name, or an operation of a dead owner.")
    static let executable = TraceField("executable", .text, "Its program.")
    public static let factors = TraceField(
        "factor", .text, "The factors of the signature, such as `possession_knowledge`.")
    static let fault = TraceField("id", .text, "Identifier of the fault.")
    public static let givenLength = TraceField(
        "actual", .optional(.integer), "The length that was given.", unit: "bytes")
    public static let hasActivation = TraceField("activation", .boolean, "Whether there is an activation.")
    public static let httpError = TraceField("error", .text, "Why, in a sentence.")
    static let incarnation = TraceField("incarnation", .integer, "Which start of the app it was, from 1.")
    public static let lack = TraceField(
        "cause", .choice(["userDefaultsSuiteMissing"]),
        "What it lacks: an extension without the suite of its app cannot distinguish an activation from that of an earlier installation."
    )
    public static let leftOutCause = TraceField("cause", .text, "Which member cannot be read, and why.")
    public static let leftOutOperation = TraceField(
        "operation", .optional(.text), "Identifier of the operation; nothing when that cannot be read either.")
    static let link = TraceField("link", .text, "Name of the link.")
    public static let lock = TraceField(
        "lock", .words(of: SharedLockKind.self),
        "`status` is held for one task, `queue` for one signed request, `operation` for one that excludes other apps.")
    public static let logCategory = TraceField("category", .text, "The part of the app that its log names.")
    public static let logLevel = TraceField(
        "level", .text,
        "`error` or `warning`; what an app writes also has `info`, and the log of the system `debug`, `notice` and `fault`."
    )
    public static let logMessage = TraceField("message", .text, "The message.")
    public static let logSubsystem = TraceField("subsystem", .text, "The app or library that the system's log names.")
    public static let longestLength = TraceField(
        "limit", .optional(.integer), "The longest length that is allowed.", unit: "bytes")
    public static let memory = TraceField("name", .text, "Name of the shared memory.")
    static let message = TraceField("id", .text, "Identifier of the message.")
    static let messageKind = TraceField(
        "kind", .choice(["live", "transfer"]), "Whether it is delivered at once or from a queue.")
    public static let method = TraceField("method", .text, "HTTP method.")
    static let notification = TraceField("id", .text, "Identifier of the notification.")
    static let operationIds = TraceField("operations", .list(.text), "Identifiers of the operations.")
    public static let operationType = TraceField("type", .text, "The operation, such as `activation`.")
    public static let path = TraceField("path", .text, "Path of the resource.")
    static let peer = TraceField("peer", .text, "The app whose process it is.")
    static let pid = TraceField("pid", .integer, "Its process identifier.")
    static let refusalCount = TraceField(
        "count", .optional(.integer),
        "How many it stands for, if too many came to report each; the cause is that of the last.")
    public static let ruleText = TraceField("message", .text, "The rule in a sentence.")
    static let sequence = TraceField("seq", .integer, "Its number on the link.")
    static let service = TraceField("service", .text, "Service of the item.")
    public static let stateLength = TraceField("bytes", .integer, "Length of the state.", unit: "bytes")
    public static let status = TraceField("status", .integer, "HTTP status.")
    public static let token = TraceField("name", .text, "Name of the token.")
    public static let usedCounter = TraceField("counter", .text, "Identifies the value without revealing it.")
    static let wayToEnd = TraceField("how", .choice(["kill", "relaunch"]), "How.")
}
