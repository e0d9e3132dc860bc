internal import LabKit

extension Scenario {
    /// The names of the events that its steps may ask for after they came: all that has to be kept of what happens.
    var awaitedEvents: Set<String> {
        Set([setup?.steps ?? [], steps, tearDown?.steps ?? []].joined().flatMap(\.awaitedEvents))
    }
}

extension Step {
    fileprivate var awaitedEvents: [String] {
        let own: [String] =
            switch action {
            case .waitFor(let event, _): [event.event]
            // Whether branches overlapped is seen in when their commands were worked on.
            case .race: [TraceEventName.commandStarted, .commandFinished].map(\.rawValue)
            default: []
            }
        return own + inner.flatMap(\.awaitedEvents)
    }
}
