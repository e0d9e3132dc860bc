import Glibc
import LabRunner
import LabSystem

/// Ctrl-C in commands that own nothing: they end where they are.
enum ImmediateEnd {
    /// Ends this process at SIGINT, SIGTERM or SIGHUP, with the exit code of an interruption.
    static func onSignals() throws {
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            TerminalEcho.restore()
            // Without exit handlers: other threads are in the middle of their work.
            _exit(RunOutcome.interrupted.rawValue)
        }
    }
}
