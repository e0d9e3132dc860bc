/// One command of the lab's vocabulary: something a scenario, the command line or a test can ask of an actor.
///
/// A command is declared once. From the declaration come the check before a run, the dispatch in the process that
/// answers, typed calls in `LabTesting`, `lab steps`, the JSON Schema and the reference page. A test proves that
/// ``fields`` names exactly the coding keys of ``Arguments``.
public protocol Command: Sendable {
    /// What the command needs; its coding keys are the names of ``fields``.
    associatedtype Arguments: Codable & Sendable
    /// What the command answers; its JSON form is what expectations are matched against.
    associatedtype Result: Codable & Sendable

    /// Name in scenarios and on the command line.
    static var name: String { get }
    /// Kinds of actor that understand the command.
    static var actors: Set<ActorKind> { get }
    /// One sentence for the reference page.
    static var summary: String { get }
    /// The parameters, in the order in which they are listed.
    static var fields: [Field] { get }
    /// The form of the answer.
    static var result: FieldType { get }
}

extension Command {
    /// Most commands without parameters declare none.
    public static var fields: [Field] { [] }
    /// Most commands without an answer declare none.
    public static var result: FieldType { .nothing }
}

/// The kinds of actor that a step can address.
public enum ActorKind: String, Codable, CaseIterable, Sendable {
    /// A phone's app, or an extension that embeds the full SDK.
    case app
    /// An app extension with the Extensions SDK.
    case appExtension
    /// The app on a watch.
    case watchApp
    /// The PowerAuth server's back office.
    case server
    /// The process of an app, extension or watch app, handled by its device.
    case process
    /// A simulated device.
    case device
    /// The link between a phone and a watch.
    case link
    /// The instance's fault table.
    case faults
    /// The instance's clock.
    case clock
}

/// The arguments of a command that needs none.
public struct NoArguments: Codable, Sendable {
    /// Creates the empty value.
    public init() {}
}

/// The answer of a command that only succeeds or fails; its JSON form is `null`.
public struct NoResult: Codable, Sendable {
    /// Creates the empty value.
    public init() {}

    /// Accepts any value.
    public init(from decoder: any Decoder) throws {}

    /// Writes `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
