import LabKit

extension Scenario {
    /// The names of the events that its steps may ask for after their arrival: only these have to be kept.
    var awaitedEvents: Set<String> {
        Set([setup?.steps ?? [], steps, tearDown?.steps ?? []].joined().flatMap(\.awaitedEvents))
    }
}

extension Step {
    fileprivate var awaitedEvents: [String] {
        let own: [String] =
            switch action {
            case .waitFor(let event, _): [event.event]
            // The handling times of commands show whether branches overlapped.
            case .race: [TraceEventName.commandStarted, .commandFinished].map(\.rawValue)
            default: []
            }
        return own + inner.flatMap(\.awaitedEvents)
    }
}
