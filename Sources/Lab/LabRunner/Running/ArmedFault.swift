internal import LabKit

/// A fault that a step has armed, as its command's declaration says how it is counted and ended.
struct ArmedFault: Sendable {
    /// How a fault is told from all others of a run.
    struct Identity: Hashable, Sendable {
        /// The actor that keeps it.
        let actor: String
        /// What that actor calls it.
        let id: JSONValue
    }

    /// Who keeps a fault and counts what it hits.
    struct Counter: Hashable, Sendable {
        let actor: String
        /// The command that lists the faults.
        let command: String
    }

    let target: Target
    /// The command that ends it.
    let ending: String
    /// What the ending command is given.
    let endingArguments: JSONValue
    /// The command that lists it with its count; nil when nobody needs to meet it.
    let counting: String?
    let identity: Identity
    /// The parameters by which it lets pass what it is about.
    let filters: [String]
    /// The step that armed it.
    let step: Step

    /// The fault that a command has armed; nil when it is none that arms one.
    init?(_ command: CommandStep, _ answer: JSONValue, by step: Step) {
        guard let ending = command.command.ending else { return nil }
        self.ending = ending
        target = command.target
        counting = command.command.counting
        let declared = Vocabulary.lab.command(named: ending, of: target.kind)
        let members = answer.objectValue ?? [:]
        endingArguments = .object(members.filter { declared?.field(named: $0.key) != nil })
        identity = Identity(actor: target.actor, id: answer["id"] ?? .null)
        filters = ["skip", "every", "chance"].filter { command.command.field(named: $0) != nil }
        self.step = step
    }

    /// Who counts it; nil when nobody needs to meet it.
    var counter: Counter? { counting.map { Counter(actor: target.actor, command: $0) } }
}
