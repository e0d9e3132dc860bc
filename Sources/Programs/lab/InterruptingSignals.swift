import Glibc
import LabRunner
import LabSystem
import Synchronization

/// Ctrl-C in `lab run`: once to stop in order, twice to stop immediately, three times to kill the runner.
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
                tell("stopping: running tear-downs, writing reports; Ctrl-C again stops immediately", through: printer)
            case 2:
                interruption.force()
                tell("stopping immediately", through: printer)
            // The kernel notifies the instances, which end themselves.
            default:
                TerminalKeys.restore()
                Signals.killSelf()
            }
        }
        return interruption
    }

    /// On a thread of its own: blocked output must not delay the next signal.
    private static func tell(_ notice: String, through printer: ProgressPrinter) {
        runOnThread(name: "notice") { printer.aside { Console.error(notice) } }
    }
}
