internal import LabFile
internal import LabKit

/// One element of a list of steps.
struct Step: Sendable {
    /// What to do.
    indirect enum Action: Sendable {
        case command(CommandStep)
        case check(value: Template, expectation: Expectation)
        case advance(LabDuration)
        case waitFor(EventStep)
        case eventually(limit: LabDuration, steps: [Step])
        case race([Branch])
        case parallel([Branch])
        case repeated(times: Int, counter: String?, steps: [Step])
        case each(values: [Template], name: String, steps: [Step])
        case included(path: String, steps: [Step])
    }

    /// What to do.
    let action: Action
    /// The writer's remark.
    let note: String?
    /// Where the step was written, from its first key to its last value.
    let place: SourcePlace
    /// The step's number, with those of the blocks around it: `3`, `3.1`. Stable against changes below.
    let path: String

    /// The actors that the step and those inside it address.
    var actors: [String] {
        switch action {
        case .command(let command): [command.target.actor]
        case .check, .advance: []
        case .waitFor(let event): event.peer.map { [$0] } ?? []
        case .race(let branches), .parallel(let branches): branches.flatMap { $0.steps.flatMap(\.actors) }
        case .eventually(_, let steps), .repeated(_, _, let steps), .each(_, _, let steps), .included(_, let steps):
            steps.flatMap(\.actors)
        }
    }

    /// The short form of the step: `main: createActivation`.
    var title: String {
        switch action {
        case .command(let command): "\(command.target.actor): \(command.command.name)"
        case .check: "check"
        case .advance(let duration): "advance: \(duration)"
        case .waitFor(let event): "waitFor: \(event.event)"
        case .eventually: "eventually"
        case .race: "race"
        case .parallel: "parallel"
        case .repeated(let times, _, _): "repeat: \(times)"
        case .each(_, let name, _): "each: \(name)"
        case .included(let path, _): "include: \(path)"
        }
    }
}

/// One of the lists of steps that run at the same time.
struct Branch: Sendable {
    let steps: [Step]
    let place: SourcePlace
}

/// A command to an actor, and what is expected of its answer.
struct CommandStep: Sendable {
    let target: Target
    let command: CommandDeclaration
    let arguments: [Argument]
    let outcome: Outcome
    /// The variable that keeps the answer.
    let capture: String?
    /// The longest time the command may take.
    let within: LabDuration?
    /// How long the step is tried again until its expectation holds.
    let eventually: LabDuration?

    struct Argument: Sendable {
        let field: FieldDeclaration
        let value: Template
    }

    /// What is expected.
    enum Outcome: Sendable {
        /// Success, with any result.
        case succeeds
        /// Success, with this result.
        case result(Expectation)
        /// Failure, with this error.
        case failure(Expectation)
    }
}

/// An event that some process's trace must contain.
struct EventStep: Sendable {
    let event: String
    /// The process; nil means any.
    let peer: String?
    /// What the event's fields must match.
    let fields: Expectation?
    let within: LabDuration
}

/// Who carries a command out, and through which control endpoint.
struct Target: Sendable, Equatable {
    /// Where the command goes.
    enum Route: Sendable, Equatable {
        /// To a control endpoint; `about` names the app or link the command concerns.
        case endpoint(InstanceEndpoint, about: String?)
        /// Carried out by the runner on the instance's fault table or clock.
        case instance
    }

    /// Name in the scenario.
    let actor: String
    /// What the actor is, for this command.
    let kind: ActorKind
    /// Where the command goes.
    let route: Route
}
