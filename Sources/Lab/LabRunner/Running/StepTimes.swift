import LabSystem
import Synchronization

/// When steps were last carried out, on the monotonic clock: shows what a stopped run was waiting for, and in which
/// step an event occurred.
///
/// Thread rule: any thread.
final class StepTimes: Sendable {
    private struct Entry {
        let step: Step
        let begin: UInt64
        /// Nil during the step.
        var end: UInt64?

        func contains(_ time: UInt64) -> Bool { time >= begin && end.map { time <= $0 } ?? true }
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// A step, or its next attempt, begins.
    func begin(_ step: Step) {
        entries.withLock { $0[step.path] = Entry(step: step, begin: MonotonicClock.nanoseconds()) }
    }

    /// A step has ended.
    func end(_ step: Step) {
        let now = MonotonicClock.nanoseconds()
        entries.withLock { $0[step.path]?.end = now }
    }

    /// When a step, or its last attempt, began.
    func begin(of step: Step) -> UInt64 { entries.withLock { $0[step.path]?.begin } ?? 0 }

    /// The number of the innermost step that was running at a time.
    ///
    /// - Parameter actor: The actor of the step, if branches had several running.
    func step(at time: UInt64, by actor: String) -> String? {
        entries.withLock { entries in
            entries.filter { $0.value.contains(time) }.max { left, right in
                let isOwn = (left.value.step.isCommand(to: actor), right.value.step.isCommand(to: actor))
                return isOwn.0 == isOwn.1 ? left.key.count < right.key.count : isOwn.1
            }?.key
        }
    }

    /// The innermost running steps, one per branch, with a sentence about what each is waiting for.
    var waiting: [(step: Step, sentence: String)] {
        let entries = entries.withLock { $0.values.filter { $0.end == nil } }
        let innermost = entries.filter { entry in
            !entries.contains { $0.step.path.hasPrefix(entry.step.path + ".") }
        }
        return innermost.sorted { $0.begin < $1.begin }.map { entry in
            let seconds = Double(MonotonicClock.nanoseconds() - entry.begin) / 1e9
            return (entry.step, "this step had waited \(TerminalReport.seconds(seconds)) for \(entry.step.awaited)")
        }
    }
}

extension Step {
    /// Whether the step itself, and not one inside it, is a command to an actor.
    fileprivate func isCommand(to actor: String) -> Bool {
        if case .command(let command) = action { command.targets.contains { $0.actor == actor } } else { false }
    }

    /// What the thread that carries out the step is waiting for.
    fileprivate var awaited: String {
        switch action {
        case .command(let command) where command.eventually != nil:
            "`\(command.target.actor)` to answer as expected"
        case .command(let command): "the answer of `\(command.target.actor)`"
        case .waitFor(let event, _): event.title
        case .advance: "the lab's clock"
        case .eventually: "its steps to hold"
        default: "its steps"
        }
    }
}
