import LabFile
import LabKit

/// The instance's records about a failed step: the facts for finding its causes.
///
/// An immutable value. Everything is read from the traces, so that no hanging process has to be asked.
struct FailureCircumstances {
    /// The step's number, which is the operation in the processes' events.
    let step: String
    /// When the step, or its last attempt, began, on the monotonic clock.
    let begin: UInt64
    /// The actor of the step, or the process of the awaited event.
    let actor: String?
    /// The unexpected error.
    let error: ControlError?
    /// The awaited event.
    var awaited: String?
    /// The command of the step.
    var command: String?
    /// The differences of its answer from the expectation.
    var mismatches: [Mismatch] = []
    /// When the first attempt began, for a step that is retried until it holds.
    var waitingSince: UInt64?
    /// Everything recorded so far, in the order of time.
    let events: [TraceEvent]
    let topology: Topology
    /// The number of the step that was running at a time; the actor's if there were several.
    let stepAt: (_ time: UInt64, _ actor: String) -> String?
    /// The step that armed a fault.
    let armedBy: (ArmedFault.Identity) -> Step?

    /// All events since the step began.
    var recent: [TraceEvent] { events.filter { $0.time >= begin } }

    /// All events that the step caused, in all processes.
    var own: [TraceEvent] { recent.filter { $0.isCaused(by: step) } }

    /// The device of the actor; nil if it is neither an app nor a device.
    var device: String? {
        guard let actor else { return nil }
        return topology.app(named: actor)?.device.name ?? topology.devices.first { $0.name == actor }?.name
    }

    /// "since step 3", if the step is known.
    func since(_ time: UInt64, by actor: String) -> String {
        stepAt(time, actor).map { " since \(Phase.title(ofStep: $0))" } ?? ""
    }

    /// "that step 4 armed", if a step did.
    func armed(_ fault: ArmedFault.Identity) -> String {
        armedBy(fault).map { " that \(Phase.title(ofStep: $0.path)) armed (\($0.place.label))" } ?? ""
    }
}
