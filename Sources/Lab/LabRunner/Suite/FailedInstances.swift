import LabKit
import LabSystem
import Synchronization

/// What happens to the instance of a scenario that did not pass.
public enum FailureHandling: Sendable, Equatable {
    /// Its tear-down runs, and it ends.
    case ends
    /// The first one is kept until the runner is interrupted.
    case isKept
    /// It is kept until a line arrives from a descriptor; then its tear-down runs, and it ends.
    case pauses(until: Int32)
}

/// The instances of scenarios that did not pass, kept for inspection.
///
/// Thread rule: any thread.
final class FailedInstances: Sendable {
    private let handling: FailureHandling
    private let printer: ProgressPrinter
    private let kept = Mutex<LabInstance?>(nil)
    private let isTaken = Atomic(false)
    /// One pause at a time: there is one person.
    private let pause = Mutex(())

    init(_ handling: FailureHandling, printer: ProgressPrinter) {
        self.handling = handling
        self.printer = printer
    }

    /// Called between the failed steps and the tear-down.
    ///
    /// - Parameter interruption: Ends a pause.
    /// - Returns: Whether to keep the instance.
    func handle(_ instance: InstanceConnection, interruption: Interruption) -> Bool {
        switch handling {
        case .ends: return false
        case .isKept:
            guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return false }
            printer.print(
                """
                instance \(instance.manifest.id) is kept as the failed step has left it, without its tear-down
                \(Self.advice(on: instance))
                  end it:        lab down --instance \(instance.manifest.id)

                """)
            return true
        case .pauses(let input):
            pause.withLock { _ in
                guard !interruption.isSet else { return }
                printer.print(
                    """
                    paused: instance \(instance.manifest.id) is as the failed step has left it
                    \(Self.advice(on: instance))
                      continue with the tear-down: press Enter

                    """)
                // Nothing expires during the inspection.
                instance.clock.whileFrozen {
                    _ = printer.whileAsking { ConsoleInput(input).line(interruption: interruption) }
                }
            }
            return false
        }
    }

    private static func advice(on instance: InstanceConnection) -> String {
        let actor = instance.manifest.topology.apps.first?.name ?? "server"
        return "  look into it:  lab exec --instance \(instance.manifest.id) \(actor) hasValidActivation"
    }

    /// Takes over a kept instance.
    func keep(_ instance: LabInstance) { kept.withLock { $0 = instance } }

    /// Holds the kept instance, if any, until the runner is interrupted, and then ends it.
    ///
    /// - Returns: Problems at its end.
    func holdKept(until interruption: Interruption) -> [String] {
        guard let instance = kept.withLock({ $0 }) else { return [] }
        printer.print("instance \(instance.manifest.id) is held here; Ctrl-C ends it\n")
        let isInterrupted = OneShot<Void>()
        return interruption.reaching({ isInterrupted.set() }, end: { instance.kill() }) {
            isInterrupted.wait()
            return instance.stop()
        }
    }
}
