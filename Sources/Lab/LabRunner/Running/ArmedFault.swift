import LabKit

/// A fault armed by a step, with the commands that its declaration names for counting and ending it.
struct ArmedFault: Sendable {
    /// The unique identity of a fault in a run.
    struct Identity: Hashable, Sendable {
        /// The actor that holds it.
        let actor: String
        /// Its identifier at that actor.
        let id: JSONValue
    }

    /// The actor that holds a fault and counts its hits, and the command to ask.
    struct Counter: Hashable, Sendable {
        let actor: String
        /// The command that lists the faults.
        let command: String
    }

    let target: Target
    /// The command that ends it.
    let ending: String
    /// The arguments of the ending command.
    let endingArguments: JSONValue
    /// The command that lists it with its count; nil if it need not be hit.
    let counting: String?
    let identity: Identity
    /// The parameters that restrict what it hits.
    let filters: [String]
    /// The step that armed it.
    let step: Step

    /// The fault that a command has armed; nil if the command arms no fault.
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

    /// The counter to ask; nil if the fault need not be hit.
    var counter: Counter? { counting.map { Counter(actor: target.actor, command: $0) } }
}
