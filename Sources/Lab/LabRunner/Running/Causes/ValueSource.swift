import LabKit

/// The source of some members of answers: the events that change them.
struct ValueSource {
    /// Names of members, or of commands whose whole answer it is.
    let members: Set<String>
    /// The events that may change the value.
    let events: Set<TraceEventName>
    /// What can change it, as part of a sentence.
    let changes: String
    /// The value after an event; nil if the event does not change it.
    let value: @Sendable (TraceEvent) -> JSONValue?
    /// Whether the member is derived from that value instead of being it.
    var derived: Set<String> = []
    /// Whether an event concerns the actor that was asked.
    var isAbout: @Sendable (TraceEvent, FailureCircumstances) -> Bool = { _, _ in true }
    /// What happened, as part of a sentence.
    let words: @Sendable (TraceEvent, FailureCircumstances) -> String

    static let all = [attempts, state, blockedReason, localActivation, deviceClock]

    private static let attempts = ValueSource(
        members: ["failCount", "failedAttempts", "remainingAttempts"], events: [.serverSignature, .serverActivation],
        changes: "the server has to check a signature, or the back office to unblock the activation",
        value: { event in
            if event.name == .serverSignature { return event.fields["failedAttempts"] }
            let isNew = event.fields["from"]?.isNull ?? true
            return isNew || event.word("from") == "BLOCKED" && event.word("to") == "ACTIVE" ? 0 : nil
        }, derived: ["remainingAttempts"],
        words: { event, facts in
            guard event.name == .serverSignature else { return Self.newState(event, facts) }
            let verb = event.fields["valid"] == true ? "accepted" : "refused"
            let signature = facts.sender(of: event).map { "the signature of `\($0)`" } ?? "a signature"
            return "the server \(verb) \(signature)"
        })

    private static let state = ValueSource(
        members: ["state", "activationStatus"], events: [.serverActivation],
        changes: "the activation has to get another state at the server", value: { $0.fields["to"] }, words: newState)

    private static let blockedReason = ValueSource(
        members: ["blockedReason"], events: [.serverActivation],
        changes: "the activation has to get another state at the server", value: { $0.fields["reason"] },
        words: newState)

    private static let newState: @Sendable (TraceEvent, FailureCircumstances) -> String = { event, _ in
        if event.fields["from"]?.isNull ?? true { return "the server made the activation" }
        let reason = event.fields["reason"]?.stringValue.map { " (\($0))" } ?? ""
        return "the server set the activation to \(event.word("to"))\(reason)"
    }

    private static let localActivation = ValueSource(
        members: ["hasValidActivation", "activationIdentifier"], events: [.stateSaved, .stateRemoved],
        changes: "the app, or one that shares its activation, has to store or remove one",
        value: { $0.name == .stateRemoved ? false : nil }, isAbout: { $1.sharing.contains($0.process) },
        words: { event, _ in "`\(event.process)` removed the activation" })

    private static let deviceClock = ValueSource(
        members: ["localTimeAdjustment", "synchronizedTime"], events: [.deviceClockSet],
        changes: "the clock of the device has to be set", value: { $0.fields["skew"] },
        derived: ["localTimeAdjustment", "synchronizedTime"], isAbout: { $0.process == $1.device },
        words: { event, _ in
            let skew = LabDuration(nanoseconds: (event.fields["skew"]?.integerValue ?? 0) * 1_000_000)
            return "the clock of `\(event.process)` was set \(skew) ahead"
        })
}

extension FailureCircumstances {
    /// The process whose request caused an event of the server.
    fileprivate func sender(of event: TraceEvent) -> String? {
        guard let operation = event.operation else { return nil }
        return events.last { $0.name == .httpRequest && $0.operation == operation && $0.time < event.time }?.process
    }

    /// The actor, and the apps that share its activation.
    fileprivate var sharing: Set<String> {
        guard let actor else { return [] }
        guard let sharing = topology.app(named: actor)?.app.powerAuth.sharing else { return [actor] }
        let others = topology.apps.filter {
            $0.powerAuth.sharing?.appGroup == sharing.appGroup
                && $0.powerAuth.instanceId == topology.app(named: actor)?.app.powerAuth.instanceId
        }
        return Set(others.map(\.name)).union([actor])
    }
}

extension TraceEvent {
    /// A text field; empty if missing.
    func word(_ field: String) -> String { fields[field]?.stringValue ?? "" }
}
