// SPDX-License-Identifier: Apache-2.0

package import LabCore
package import LabFile
import LabPoints
import LabVocabulary

/// One element of a list of steps.
package struct Step: Sendable {
    package indirect enum Action: Sendable {
        case command(CommandStep)
        case check(Condition)
        /// Steps that are all carried out, even if one fails.
        case postConditions([Step])
        case advance(LabDuration)
        case waitFor(EventPattern, within: LabDuration)
        case order([EventPattern])
        case same([Step])
        case never(Absence, steps: [Step])
        case stays(LabDuration, steps: [Step])
        case during([Step], steps: [Step])
        case eventually(limit: LabDuration, steps: [Step])
        case race(Race)
        case parallel([Branch])
        /// A number of rounds given by an integer, within ``rounds``.
        case repeated(times: Template, counter: String?, steps: [Step])
        /// A round for each element of a list.
        case each(values: Template, name: String, steps: [Step])
        case included(path: String, steps: [Step])
    }

    /// The possible numbers of rounds of `repeat`.
    package static let rounds: ClosedRange<Int64> = 1...100_000

    package let action: Action
    /// The writer's note.
    package let note: String?
    /// The place of the step, from its first key to its last value.
    package let place: SourcePlace
    /// The places where the step's file was included, innermost first.
    package let includedAt: [SourcePlace]
    /// The step's number, with those of the blocks around it: `3`, `3.1`. Stable against changes below.
    package let path: String
    /// The condition of the step; nil for always.
    package var when: When?
    /// The order in which the processes of a block's branches take turns; nil when they run at the same time.
    package var order: TurnOrder?
    /// The orders in which a run plays the block, each in an instance of its own; nil when it plays the block once.
    package var orders: ExploredOrders?

    /// A condition on a captured value.
    package struct When: Sendable {
        /// What the condition is about, as written.
        package let reference: Reference
        /// Its value: the reference, or what a row has for it.
        package let value: Template
        package let expectation: Expectation
        package let place: SourcePlace
    }

    /// The command, if the step itself is one.
    package var command: CommandStep? { if case .command(let command) = action { command } else { nil } }

    /// The steps inside, in the order of the file.
    package var inner: [Step] {
        switch action {
        case .command, .check, .advance, .waitFor, .order: []
        case .race(let race): race.branches.flatMap(\.steps)
        case .parallel(let branches): branches.flatMap(\.steps)
        case .eventually(_, let steps), .repeated(_, _, let steps), .each(_, _, let steps), .included(_, let steps),
            .stays(_, let steps), .never(.event, let steps), .same(let steps), .postConditions(let steps):
            steps
        case .never(.answer(let probe), let steps): [probe] + steps
        case .during(let arming, let steps): arming + steps
        }
    }

    /// The lists of steps that run at the same time, if the step is a block of such lists.
    package var branches: [Branch]? {
        switch action {
        case .race(let race): race.branches
        case .parallel(let branches): branches
        default: nil
        }
    }

    /// The actors that the step and those inside it address.
    package var actors: [String] {
        switch action {
        case .command(let command): command.targets.map(\.actor)
        case .waitFor(let event, _): event.peer.map { [$0] } ?? []
        case .order(let events): events.compactMap(\.peer)
        default: inner.flatMap(\.actors)
        }
    }

    /// The short form of the step: `main: createActivation`.
    package var title: String {
        switch action {
        case .command(let command): "\(command.name): \(command.command.name)"
        case .check(let condition):
            // Any other value is as long as it is written.
            if case .reference(let reference) = condition.value { "check: ${\(reference.text)}" } else { "check" }
        case .postConditions: "check"
        case .advance(let duration): "advance: \(duration)"
        case .waitFor(let event, _): "waitFor: \(event.event)"
        case .order(let events): "order: \(events.map(\.event).joined(separator: ", "))"
        case .same(let steps): "same: \(steps.map(\.title).joined(separator: ", "))"
        case .never(.event(let event), _): "never: \(event.event)"
        case .never(.answer(let probe), _): "never: \(probe.title)"
        case .stays(let duration, _): "stays: \(duration)"
        case .during(let arming, _): "during: \(arming.map(\.title).joined(separator: ", "))"
        case .eventually: "eventually"
        case .race: "race"
        case .parallel: "parallel"
        case .repeated(let times, _, _): "repeat: \(Bindings.text(of: Bindings().known(of: times)))"
        case .each(_, let name, _): "each: \(name)"
        case .included(let path, _): "include: \(path)"
        }
    }

    /// The step in a sentence: the writer's note, else the vocabulary's description of its command, with the arguments.
    /// Nil for words of the language, which describe themselves.
    /// - Parameter bindings: The values known before the run, so that a plan and a report agree.
    package func sentence(knowing bindings: Bindings) -> String? {
        if let note { return note }
        guard let command else { return nil }
        let meaning = command.command.summary
        let arguments = command.arguments.map { $0.text(knowing: bindings) }
        var sentence = "\(command.name) \(meaning.prefix(1).lowercased())\(meaning.dropFirst())"
        if sentence.hasSuffix(".") { sentence.removeLast() }
        if !arguments.isEmpty { sentence += " (\(arguments.joined(separator: ", ")))" }
        if case .failure = command.outcome { sentence += ", expected to fail" }
        return sentence
    }
}

/// One of the lists of steps that run at the same time.
package struct Branch: Sendable {
    package let steps: [Step]
    package let place: SourcePlace

    package var actors: [String] { steps.flatMap(\.actors) }
}

/// Branches with a common start, and their allowed ends.
package struct Race: Sendable {
    package let branches: [Branch]
    /// Nil if all must succeed.
    package let outcome: Outcome?

    /// How a race ends in which not all need to succeed.
    package struct Outcome: Sendable {
        /// Number of branches that succeed.
        package let winners: Expectation
        /// The expected error of all other branches; nil accepts any error of a command.
        package let others: Expectation?
        /// The variable that keeps the winner; its name is also an actor.
        package let capture: String?

        package init(winners: Expectation, others: Expectation?, capture: String?) {
            self.winners = winners
            self.others = others
            self.capture = capture
        }
    }
}

/// The order in which the processes of a block's branches go on, one at a time.
package struct TurnOrder: Sendable {
    /// A process continues from where it is held, until it comes to its next place, ends its branch, or waits for a
    /// lock that another process has; or it is killed where it is held, and its branch ends.
    package struct Turn: Sendable, Equatable {
        /// An app: the one that the commands of a branch address. Or a device with a watch link, for its agent.
        package let process: String
        /// The name of a fault point, ``TurnOrder/start``, or the place of a `Checkpoint`.
        package let place: String
        /// Whether the process is killed at the place instead of continuing.
        package let dies: Bool
    }

    /// The key of a place at which a process is killed.
    package static let dies = "dies"

    /// The place before the first step of a branch.
    package static let start = "start"

    /// The places at which an app or an agent can be held, each with its meaning; beside them there are those of each
    /// `Checkpoint`, for apps. At points of the server an app is held while the server works on its request.
    static let places: [(name: String, meaning: String)] =
        [(start, "Before the first step of the branch.")] + FaultPoint.allCases.map { ($0.rawValue, $0.summary) }

    /// At least one.
    package let turns: [Turn]
    /// The place of the key.
    package let place: SourcePlace
}

/// The orders of a block's turns that a run plays: all, up to these bounds.
package struct ExploredOrders: Sendable {
    /// The possible bounds of preemptions.
    package static let preemptionCounts = 0...100
    /// The possible bounds of deaths.
    package static let deathCounts = 0...10

    /// The bounds of `orders: all`, and of each key that is left out.
    package static func all(at place: SourcePlace) -> ExploredOrders {
        ExploredOrders(preemptions: 2, deaths: 0, budget: nil, place: place)
    }

    /// The greatest number of preemptions of an order.
    package var preemptions: Int
    /// The greatest number of deaths of an order.
    package var deaths: Int
    /// The real time after which no order begins and the rest counts as accepted; nil for no such time.
    package var budget: LabDuration?
    /// The place of the key.
    package let place: SourcePlace
}

extension Step {
    /// The blocks among the steps of a scenario that can be explored: each is carried out exactly once, and stands in
    /// the scenario's own file, which gets the `order` of a failure.
    /// - Parameter steps: The steps of the scenario itself, not those of its phases.
    package static func explorable(in steps: [Step]) -> [Step] {
        steps.flatMap { step -> [Step] in
            if step.branches != nil { return [step] }
            if case .during(_, let inner) = step.action { return explorable(in: inner) }
            return []
        }
    }
}

/// What a race keeps of the branch that won; the first one, if several did.
struct RaceWinner: FieldObject {
    @Field("Number of the branch, counted from 1.") package var branch: Int
    @Field("The actor of its first command.") package var actor: String
    @Field("The answer of its last command.") package var answer: JSONValue
}

/// A command to an actor, and the expectation of its answer.
package struct CommandStep: Sendable {
    /// The possible actors: one, or several of which a race decides on one.
    package var targets: [Target]
    /// The variable of the race that decides; nil for one target.
    package var alias: Reference?
    package let command: CommandDeclaration
    package let arguments: [Argument]
    package let outcome: Outcome
    /// The variable that keeps the answer.
    package let capture: String?
    /// The longest time the command may take.
    package let within: LabDuration?
    /// How long the step is tried again until its expectation holds.
    package let eventually: LabDuration?

    /// The first target, before a race has decided.
    package var target: Target { targets[0] }

    package struct Argument: Sendable {
        package let field: FieldDeclaration
        package let value: Template
    }

    /// The expected result.
    package indirect enum Outcome: Sendable {
        /// Success, with any result.
        case succeeds
        /// Success, with this result.
        case result(Expectation)
        /// Failure, with this error.
        case failure(Expectation)
        /// One of several.
        case either([Way])
    }

    /// One of the possible results of a command.
    package struct Way: Sendable {
        /// The given name, else its number from 1.
        package let name: String
        package let outcome: Outcome
    }

    /// The actor of the command, under its name in the scenario.
    package var name: String { alias?.name ?? target.actor }
}

/// The variable for the result of a command with several possible results.
struct WayTaken: FieldObject {
    @Field("The name of the way, or its number from 1.") package var name: String
    @Field("The answer, or the error as `fails` sees it.") package var answer: JSONValue
}

/// A value and its expectation.
package struct Condition: Sendable {
    package let value: Template
    package let expectation: Expectation

    package init(value: Template, expectation: Expectation) {
        self.value = value
        self.expectation = expectation
    }
}

/// Events of some processes' traces.
package struct EventPattern: Sendable {
    package let event: String
    /// The process; nil means any.
    package let peer: String?
    /// The conditions on the event's fields.
    package let fields: Expectation?

    /// The pattern in a sentence.
    package var title: String { "the event `\(event)`\(peer.map { " of `\($0)`" } ?? "")" }
}

/// What must not happen while some steps run.
package enum Absence: Sendable {
    /// No process records such an event.
    case event(EventPattern)
    /// The step, carried out before the steps and after each of them, never ends as stated.
    case answer(Step)
}

/// The actor of a command, and its control endpoint.
package struct Target: Sendable, Equatable {
    /// The destination of a command.
    package enum Route: Sendable, Equatable {
        /// To a control endpoint; `about` names the app or link the command concerns.
        case endpoint(InstanceEndpoint, about: String?)
        /// Carried out by the runner on the instance's fault table or clock.
        case instance
    }

    /// Name in the scenario.
    package let actor: String
    /// The kind of the actor, for this command.
    package let kind: ActorKind
    package let route: Route
    /// The vocabulary of the actor's own program; nil for a program of the lab.
    package var own: AppVocabulary?

    /// The commands that the actor understands in this role.
    package var commands: [CommandDeclaration] { kind.commands(of: own) }

    package func command(named name: String) -> CommandDeclaration? { kind.command(named: name, of: own) }

    /// The device that a command is for, or that carries it out for an app or a link; nil if no device is asked.
    package var device: String? {
        if case .endpoint(.agent(let device), about: _) = route { return device }
        return kind == .deviceProcess ? actor : nil
    }
}

// The one place where a step is described in English.

extension CommandStep.Argument {
    /// The argument as `name=value`; values known only in the run stay references, and secrets are masked.
    package func text(knowing bindings: Bindings) -> String {
        let value = bindings.known(of: self.value)
        if field.isSecret, case .string(let text) = value, !text.contains("${") {
            return "\(field.name)=\"\(Secret.mask)\""
        }
        return "\(field.name)=\(value.description)"
    }
}

extension Bindings {
    /// A value as far as it is known; the rest stays a reference.
    package func known(of template: Template) -> JSONValue {
        if let value = try? resolve(template) { return value }
        switch template {
        case .literal(let value): return value
        case .reference(let reference): return .string("${\(reference.text)}")
        case .list(let elements): return .array(elements.map(known))
        case .object(let members): return .object(members.mapValues(known))
        case .interpolation(let parts):
            let pieces = parts.map { part in
                switch part {
                case .text(let text): text
                case .reference(let reference): Self.text(of: known(of: .reference(reference)))
                }
            }
            return .string(pieces.joined())
        }
    }
}
