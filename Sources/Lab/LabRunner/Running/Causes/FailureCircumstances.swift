internal import LabFile
internal import LabKit

/// What the instance recorded about a failed step: the facts from which its causes are named.
///
/// An immutable value. Everything is read from the traces, so that nothing has to be asked of processes that may hang.
struct FailureCircumstances {
    /// The step's number, which the processes' events carry as their operation.
    let step: String
    /// When the step, or its last attempt, began, on the monotonic clock.
    let begin: UInt64
    /// Who was to carry the step out, or whose event was awaited.
    let actor: String?
    /// The error that the step did not expect.
    let error: ControlError?
    /// The event that the step waited for.
    var awaited: String?
    /// The command that was carried out.
    var command: String?
    /// What of its answer is not as expected.
    var mismatches: [Mismatch] = []
    /// When the first attempt began, of a step that is tried until it holds.
    var waitingSince: UInt64?
    /// Everything recorded so far, in the order of time.
    let events: [TraceEvent]
    let topology: Topology
    /// The number of the step that was being carried out at a time, by somebody when several were.
    let stepAt: (_ time: UInt64, _ actor: String) -> String?
    /// The step that armed a fault.
    let armedBy: (ArmedFault.Identity) -> Step?

    /// Everything since the step began.
    var recent: [TraceEvent] { events.filter { $0.time >= begin } }

    /// What the step caused, in all processes.
    var own: [TraceEvent] { recent.filter { $0.isCaused(by: step) } }

    /// The device of the actor; nil when it is neither an app nor a device.
    var device: String? {
        guard let actor else { return nil }
        return topology.app(named: actor)?.device.name ?? topology.devices.first { $0.name == actor }?.name
    }

    /// "since step 3", when it is known which step it was.
    func since(_ time: UInt64, by actor: String) -> String {
        stepAt(time, actor).map { " since \(Phase.title(ofStep: $0))" } ?? ""
    }

    /// "that step 4 armed", when a step did.
    func armed(_ fault: ArmedFault.Identity) -> String {
        armedBy(fault).map { " that \(Phase.title(ofStep: $0.path)) armed (\($0.place.label))" } ?? ""
    }
}
