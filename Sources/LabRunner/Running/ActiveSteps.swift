internal import LabSystem
internal import Synchronization

/// The steps that are being carried out: what a run that is stopped has been waiting for.
///
/// Thread rule: any thread.
final class ActiveSteps: Sendable {
    private struct Entry {
        let step: Step
        let begin: UInt64
    }

    private let entries = Mutex<[String: Entry]>([:])

    func begin(_ step: Step) {
        entries.withLock { $0[step.path] = Entry(step: step, begin: MonotonicClock.nanoseconds()) }
    }

    func end(_ step: Step) {
        entries.withLock { _ = $0.removeValue(forKey: step.path) }
    }

    /// The innermost steps, one for each branch, with a sentence that says what each is waiting for.
    var waiting: [(step: Step, sentence: String)] {
        let entries = entries.withLock { Array($0.values) }
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
    /// What a thread waits for that carries the step out.
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
