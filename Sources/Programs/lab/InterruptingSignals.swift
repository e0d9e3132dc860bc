import Glibc
import LabRunner
import LabSystem
import Synchronization

/// Ctrl-C in `lab run`: once to stop in order, twice to end at once, three times to be gone.
enum InterruptingSignals {
    private static let count = Atomic(0)

    /// An interruption that SIGINT, SIGTERM and SIGHUP set.
    ///
    /// - Parameter printer: Shows the run's progress.
    static func interruption(telling printer: ProgressPrinter) throws -> Interruption {
        let interruption = Interruption()
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            switch count.add(1, ordering: .relaxed).newValue {
            case 1:
                interruption.set()
                tell("ending: tear-downs run, reports are written; Ctrl-C again ends at once", through: printer)
            case 2:
                interruption.force()
                tell("ending at once", through: printer)
            // The kernel tells the instances, which end themselves.
            default:
                TerminalKeys.restore()
                Signals.killSelf()
            }
        }
        return interruption
    }

    /// On a thread of its own: output that nobody reads must not keep the next signal waiting.
    private static func tell(_ notice: String, through printer: ProgressPrinter) {
        runOnThread(name: "notice") { printer.aside { Console.error(notice) } }
    }
}
