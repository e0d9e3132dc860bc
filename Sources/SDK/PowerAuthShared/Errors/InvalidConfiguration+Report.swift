package import SimulatedDevice
import Synchronization

extension InvalidConfiguration {
    private static let lastReport = Mutex<InvalidConfiguration?>(nil)

    /// The cause of the last refusal in this process: what a peer asks after an initialiser returned nil.
    package static var last: InvalidConfiguration? { lastReport.withLock { $0 } }

    /// Makes the refusal visible: in ``last``, in the trace as `configuration.rejected`, and in the log. The
    /// failable initialisers call it before they return nil.
    ///
    /// - Parameter sandbox: the device; nil when the process has not entered one.
    package func report(in sandbox: Sandbox?) {
        Self.lastReport.withLock { $0 = self }
        sandbox?.trace(
            .configurationRejected(cause: cause, message: description, limit: limit, actual: actual))
        PowerAuthLog.criticalWarning("Invalid PowerAuth configuration: \(description).")
    }
}
