// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabVocabulary
package import ScenarioLanguage
import Synchronization

// Faults: recorded when armed, checked for hits, and ended.
extension StepRunner {
    /// Registers a fault armed by a step.
    func noteFault(of command: CommandStep, _ answer: JSONValue, step: Step) {
        guard let fault = ArmedFault(command, answer, by: step) else { return }
        run.armedFaults.add(fault)
        blockFaults?.append(fault)
    }

    /// Carries out steps while faults are armed, and always ends the faults.
    package func perform(_ steps: [Step], during arming: [Step]) -> Bool {
        let outer = blockFaults
        blockFaults = []
        let isArmed = perform(arming)
        let faults = blockFaults ?? []
        blockFaults = outer
        let isFine = isArmed && perform(steps) && haveFired(faults, while: " while its block ran")
        return end(faults) && isFine
    }

    /// Reports every fault of the scenario that is still armed and has hit nothing, at the step that armed it.
    func checkFaults() {
        let noted = run.armedFaults.all
        _ = haveFired(noted)
        for armed in instance.faults.rules() where armed.fired == 0 {
            let identity = ArmedFault.Identity(actor: "faults", id: .integer(Int64(armed.id)))
            if noted.contains(where: { $0.identity == identity }) { continue }
            run.failures.fail(
                "the fault armed from outside at `\(armed.rule.point)` of `\(armed.rule.process)` never fired, so the scenario shows nothing about it",
                verdict: .failed)
        }
    }

    /// Whether all faults have hit something and could do what they are for; reports each that has not.
    /// - Parameter time: When they had to; empty for the whole scenario.
    private func haveFired(_ faults: [ArmedFault], while time: String = "") -> Bool {
        var lists: [ArmedFault.Counter: [JSONValue]] = [:]
        var isFine = true
        for fault in faults {
            guard let counter = fault.counter else { continue }
            let list: [JSONValue]
            do {
                list = try lists[counter] ?? counts(of: fault, by: counter.command)
                lists[counter] = list
            } catch {
                isFine = fail(
                    fault.step, "whether the fault of this step has fired is not known: \(error)",
                    verdict: .inconclusive)
                continue
            }
            // A fault that is not listed was ended by the scenario, which may do so before it fires.
            guard let count = list.first(where: { $0["id"] == fault.identity.id }) else { continue }
            if let mistake = count["mistake"]?.stringValue {
                isFine = fail(fault.step, "an edit of this step could not be made: \(mistake)", verdict: .failed)
                continue
            }
            guard count["fired"]?.integerValue == 0 else { continue }
            let matched = count["matched"]?.integerValue.map {
                $0 == 0
                    ? " (nothing came that it is about\(time))"
                    : " (\(listed(fault.filters.map { "`\($0)`" }, by: "or")) let pass what it is about, \($0) in number)"
            }
            let passed = count["passes"]?.integerValue.map {
                $0 == 0
                    ? " (its process has not come to the point\(time))"
                    : " (its process has passed the point \(Self.times($0)))"
            }
            isFine = fail(
                fault.step,
                "the fault of this step never fired, so the scenario shows nothing about it\(matched ?? passed ?? "")",
                verdict: .failed)
        }
        return isFine
    }

    private static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times" }

    /// The faults of an actor with the hits of each; empty if the actor has died of another cause.
    /// - Throws: Why a living actor does not report them.
    private func counts(of fault: ArmedFault, by command: String) throws -> [JSONValue] {
        let outcome = try session.call(
            fault.target, command: command, arguments: [:], operation: "faults", timeout: ControlClient.patience)
        switch outcome.answer {
        case .success(let list): return list.arrayValue ?? []
        case .failure(let error) where error.isDeath: return []
        case .failure(let error): throw error
        }
    }

    /// Ends all faults of the scenario that must have hit something, so that they do not affect the tear-down.
    func endFaults() { _ = end(run.armedFaults.all.filter { $0.counter != nil }) }

    /// Ends faults, the last one first.
    private func end(_ faults: [ArmedFault]) -> Bool {
        var isFine = true
        for fault in faults.reversed() {
            do {
                let outcome = try session.call(
                    fault.target, command: fault.ending, arguments: fault.endingArguments,
                    operation: fault.step.path, timeout: ControlClient.patience)
                // The faults of a dead actor are gone.
                guard let error = outcome.error, error.labError != .peerDied else { continue }
                isFine = fail(
                    fault.step, "the fault of this step could not be ended: \(error.text)", verdict: .inconclusive)
            } catch {
                isFine = fail(fault.step, "the fault of this step could not be ended: \(error)", verdict: .inconclusive)
            }
        }
        return isFine
    }
}

/// A fault armed by a step, with the commands that its declaration names for counting and ending it.
struct ArmedFault: Sendable {
    /// The unique identity of a fault in a run.
    struct Identity: Hashable, Sendable {
        /// The actor that holds it.
        package let actor: String
        /// Its identifier at that actor.
        package let id: JSONValue
    }

    /// The actor that holds a fault and counts its hits, and the command to ask.
    struct Counter: Hashable, Sendable {
        package let actor: String
        /// The command that lists the faults.
        package let command: String
    }

    package let target: Target
    /// The command that ends it.
    package let ending: String
    /// The arguments of the ending command.
    let endingArguments: JSONValue
    /// The counter to ask; nil if it need not be hit.
    package let counter: Counter?
    package let identity: Identity
    /// The parameters that restrict what it hits.
    let filters: [String]
    /// The step that armed it.
    package let step: Step

    /// The fault that a command has armed; nil if the command arms no fault.
    init?(_ command: CommandStep, _ answer: JSONValue, by step: Step) {
        guard let ending = command.command.ending else { return nil }
        self.ending = ending
        target = command.target
        counter = command.command.counting.map { Counter(actor: command.target.actor, command: $0) }
        let declared = Vocabulary.lab.command(named: ending, of: target.kind)
        let members = answer.objectValue ?? [:]
        endingArguments = .object(members.filter { declared?.field(named: $0.key) != nil })
        identity = Identity(actor: target.actor, id: answer["id"] ?? .null)
        filters = ["skip", "every", "chance"].filter { command.command.field(named: $0) != nil }
        self.step = step
    }
}

/// The faults that the steps of a run have armed so far, including those that have ended.
///
/// Thread rule: any thread.
final class ArmedFaults: Sendable {
    private let faults = Mutex<[ArmedFault]>([])

    /// All of them, the first one first.
    package var all: [ArmedFault] { faults.withLock { $0 } }

    package func add(_ fault: ArmedFault) { faults.withLock { $0.append(fault) } }

    /// The step that armed a fault; nil if it was armed from outside.
    package func step(that armed: ArmedFault.Identity) -> Step? { all.last { $0.identity == armed }?.step }
}
