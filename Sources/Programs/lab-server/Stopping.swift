import Foundation
import LabSystem

/// How the server's process ends.
enum Stopping {
    /// Connections that are still open must not keep the process longer than this.
    private static let patience: DispatchTimeInterval = .milliseconds(700)

    /// Calls `stop` for the first SIGTERM or SIGINT; a second one ends the process at once.
    static func onSignal(_ stop: @escaping @Sendable () -> Void) throws {
        let hasBegun = OneShot<Void>()
        try Signals.onSignals([SIGTERM, SIGINT]) { _ in
            guard hasBegun.set() else { _exit(130) }
            stop()
        }
    }

    /// Ends the process when it has not ended by itself in time. Nothing is lost: what was answered is stored.
    /// - Parameter lastAct: what must be done even then; may block.
    static func watchdog(_ lastAct: @escaping @Sendable () -> Void = {}) {
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
            lastAct()
            _exit(0)
        }
    }

    /// Ends the process with a message for the operator.
    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("lab-server: \(message)\n".utf8))
        exit(1)
    }
}
