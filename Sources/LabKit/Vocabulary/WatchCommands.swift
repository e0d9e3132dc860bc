extension Vocabulary {
    /// Commands by which PowerAuth data travel between phone and watch.
    static let watchSupportCommands: [any Command.Type] = [
        SendActivationStatusToWatch.self, SendTokenToWatch.self, RemoveTokenFromWatch.self,
        UpdateActivationStatus.self,
    ]
}

/// The two variants in which the SDKs send to the counterpart (watch.md, section 2).
public enum Delivery: String, Codable, CaseIterable, Sendable {
    /// Returns at once; the message arrives eventually, also after a restart of either side.
    case guaranteed
    /// Waits for the answer of the counterpart, which must be reachable.
    case immediate

    static let field: Field = .optional(
        "delivery", .choice(allCases.map(\.rawValue)), default: "guaranteed",
        "`guaranteed` queues the message and returns; `immediate` waits for the counterpart, which must be reachable.")
}

/// `sendActivationStatusToWatch`: tells the watch whether there is an activation.
public enum SendActivationStatusToWatch: Command {
    /// Arguments of `sendActivationStatusToWatch`.
    public struct Arguments: Codable, Sendable {
        /// Variant; guaranteed when left out.
        public var delivery: Delivery?

        /// Creates the arguments.
        public init(delivery: Delivery? = nil) {
            self.delivery = delivery
        }
    }

    /// `true` when the message was accepted (guaranteed) or processed by the watch (immediate).
    public typealias Result = Bool
    public static let name = "sendActivationStatusToWatch"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Tells the watch whether there is an activation, and which."
    public static let fields: [Field] = [Delivery.field]
    public static let result: FieldType = .boolean
}

/// `sendTokenToWatch`: copies a stored token to the watch.
public enum SendTokenToWatch: Command {
    /// Arguments of `sendTokenToWatch`.
    public struct Arguments: Codable, Sendable {
        /// Symbolic name of the token.
        public var name: String
        /// Variant; guaranteed when left out.
        public var delivery: Delivery?

        /// Creates the arguments.
        public init(name: String, delivery: Delivery? = nil) {
            self.name = name
            self.delivery = delivery
        }
    }

    public typealias Result = Bool
    public static let name = "sendTokenToWatch"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Copies a stored token to the watch."
    public static let fields: [Field] = [.required("name", .text, "Symbolic name of the token."), Delivery.field]
    public static let result: FieldType = .boolean
}

/// `removeTokenFromWatch`: removes the watch's copy of a token.
public enum RemoveTokenFromWatch: Command {
    public typealias Arguments = SendTokenToWatch.Arguments
    public typealias Result = Bool
    public static let name = "removeTokenFromWatch"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Removes the watch's copy of a token."
    public static let fields = SendTokenToWatch.fields
    public static let result: FieldType = .boolean
}

/// `updateActivationStatus`: the watch asks the phone for the activation.
public enum UpdateActivationStatus: Command {
    public typealias Arguments = SendActivationStatusToWatch.Arguments

    /// Answer of `updateActivationStatus`.
    public struct Result: Codable, Sendable {
        /// Whether the request was accepted (guaranteed) or answered (immediate).
        public var accepted: Bool
        /// The activation identifier in the phone's answer; immediate variant only.
        public var activationIdentifier: String?

        /// Creates the answer.
        public init(accepted: Bool, activationIdentifier: String? = nil) {
            self.accepted = accepted
            self.activationIdentifier = activationIdentifier
        }
    }

    public static let name = "updateActivationStatus"
    public static let actors: Set<ActorKind> = [.watchApp]
    public static let summary = "Asks the phone for the activation."
    public static let fields: [Field] = [Delivery.field]
    public static let result: FieldType = .object([
        .init("accepted", .boolean, "Whether the request was accepted or answered."),
        .init("activationIdentifier", .optional(.text), "Identifier in the phone's answer; immediate variant only."),
    ])
}
