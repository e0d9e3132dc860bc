// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import ScenarioLanguage

/// States since when a value is as it is, and which app set it; for a value that was waited for, what would have
/// changed it.
struct ValueOrigins {
    package let facts: FailureCircumstances

    /// One sentence per value, and one for an event that did not happen.
    var sentences: [String] {
        // An error has no value to explain.
        guard facts.error == nil, !facts.mismatches.isEmpty else { return [] }
        return facts.mismatches.compactMap(origin) + absence
    }

    private func source(of mismatch: Mismatch) -> (member: String, source: ValueSource)? {
        let last = mismatch.path.split(separator: ".").last.map(String.init)
        guard let member = last ?? facts.command,
            let source = ValueSource.all.first(where: { $0.members.contains(member) })
        else { return nil }
        return (member, source)
    }

    /// "`failCount` is 2 since step 4, when the server refused the signature of `wallet`".
    private func origin(_ mismatch: Mismatch) -> String? {
        guard let (member, source) = source(of: mismatch), let actual = mismatch.actual else { return nil }
        let events = facts.events.filter { source.events.contains($0.name) && source.isAbout($0, facts) }
        // The only activation with this value; if two have it, it does not guess.
        let groups = Dictionary(grouping: events) { $0.word("activationId") }.values
        let origins = groups.compactMap { events -> TraceEvent? in
            var last: (event: TraceEvent, value: JSONValue)?
            for event in events {
                guard let value = source.value(event), value != last?.value else { continue }
                last = (event, value)
            }
            guard let last, source.derived.contains(member) || Self.isSame(last.value, actual) else { return nil }
            return last.event
        }
        guard origins.count == 1, let event = origins.first else { return nil }
        let step = event.operation ?? facts.stepAt(event.time, event.process)
        let when =
            if let step, facts.step == step { " since this step, when" } else if let step {
                " since \(Phase.title(ofStep: step)), when"
            } else { ", because" }
        return "`\(member)` is \(actual.description)\(when) \(source.words(event, facts))"
    }

    /// Apps and the server spell states differently.
    private static func isSame(_ value: JSONValue, _ actual: JSONValue) -> Bool {
        guard let left = value.stringValue, let right = actual.stringValue else { return value == actual }
        return left.replacing("_", with: "").lowercased() == right.replacing("_", with: "").lowercased()
    }

    /// What the step waited for in vain.
    private var absence: [String] {
        guard let begin = facts.waitingSince else { return [] }
        let since = facts.events.filter { $0.time >= begin }
        let known = facts.mismatches.compactMap(source)
        if known.isEmpty {
            let isQuiet = since.allSatisfy { $0.isCaused(by: facts.step) }
            return isQuiet ? ["nothing but the attempts of this step happened in any process while it waited"] : []
        }
        return known.compactMap { member, source in
            let came = since.contains { source.events.contains($0.name) && source.isAbout($0, facts) }
            return came ? nil : "nothing changed `\(member)` while the step waited: for that, \(source.changes)"
        }
    }
}

/// The source of some members of answers: the events that change them.
struct ValueSource {
    /// Names of members, or of commands whose whole answer it is.
    package let members: Set<String>
    /// The events that may change the value.
    package let events: Set<TraceEventName>
    /// What can change it, as part of a sentence.
    package let changes: String
    /// The value after an event; nil if the event does not change it.
    package let value: @Sendable (TraceEvent) -> JSONValue?
    /// Whether the member is derived from that value instead of being it.
    var derived: Set<String> = []
    /// Whether an event concerns the actor that was asked.
    var isAbout: @Sendable (TraceEvent, FailureCircumstances) -> Bool = { _, _ in true }
    /// What happened, as part of a sentence.
    package let words: @Sendable (TraceEvent, FailureCircumstances) -> String

    package static let all = [attempts, state, blockedReason, localActivation, deviceClock]

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
    package func word(_ field: String) -> String { fields[field]?.stringValue ?? "" }
}
