// SPDX-License-Identifier: Apache-2.0

package import LabCore
package import LabFile
import LabPoints
package import LabVocabulary

/// Checks whether a fault can take effect as written: before a run with the values in the file, and when the fault is
/// armed with all values.
package struct FaultCheck {
    /// A problem with a parameter of `arm`.
    package struct Complaint {
        package let parameter: String
        package let kind: DiagnosticKind
    }

    package let actors: ActorTable

    package init(actors: ActorTable) {
        self.actors = actors
    }

    /// All problems of an `arm` whose values are all known.
    package func complaints(about fault: ArmFault) throws -> [Complaint] {
        var arguments = try JSONValue(encoding: fault).objectValue ?? [:]
        // A default is not the writer's mistake, for example the error of a fault that kills.
        for field in ArmFault.fields where arguments[field.name] == field.defaultValue { arguments[field.name] = nil }
        return complaints(about: arguments)
    }

    /// All problems of an `arm`, by the parameters with known values.
    package func complaints(about arguments: [String: JSONValue]) -> [Complaint] {
        var complaints: [Complaint] = []
        func complain(_ parameter: String, _ kind: DiagnosticKind) {
            complaints.append(Complaint(parameter: parameter, kind: kind))
        }
        let point = text("point", in: arguments).flatMap { name -> FaultPoint? in
            if let point = FaultPoint(rawValue: name) { return point }
            complain("point", .unknownName(what: "fault point", name: name, known: FaultPoint.allCases.map(\.rawValue)))
            return nil
        }
        if let peer = text("peer", in: arguments), let kind = peerComplaint(peer, at: point) { complain("peer", kind) }
        for subject in FaultPoint.Subject.allCases {
            guard let point, point.subject != subject, arguments[subject.rawValue] ?? .null != .null else { continue }
            let possible = FaultPoint.allCases.filter { $0.subject == subject }.map { "`\($0)`" }
            complain(
                subject.rawValue,
                .misfit(
                    what: "`\(subject.rawValue)`",
                    reason: "a pass of `\(point)` is not about one; possible with it: \(listed(possible, by: "and"))"))
        }
        guard let word = text("action", in: arguments), let action = FaultActionWord(rawValue: word) else {
            return complaints
        }
        if let point, !point.actions.contains(action) {
            let possible = listed(point.actions.map { "`\($0.rawValue)`" }, by: "or")
            complain(
                "action",
                .misfit(
                    what: "`\(action.rawValue)`",
                    reason: "an error has no effect at `\(point)`; possible there: \(possible)"))
        }
        if let error = text("error", in: arguments) {
            if action != .fail {
                complain("error", .pointless(word: "error", reason: "only the action `fail` has an error"))
            } else if !FaultRule.errors.contains(error) {
                complain("error", .unknownName(what: "system error", name: error, known: FaultRule.errors))
            }
        }
        if action != .delay, arguments["delay"] != nil, arguments["delay"] != .null {
            complain("delay", .pointless(word: "delay", reason: "only the action `delay` has a duration"))
        }
        if action == .delay, arguments["delay"] == nil {
            complain(
                "action",
                .missingParameter(
                    parameter: "delay", command: "action: delay", meaning: "how long to wait, for example `200ms`"))
        }
        return complaints
    }

    private func text(_ name: String, in arguments: [String: JSONValue]) -> String? { arguments[name]?.stringValue }

    private func peerComplaint(_ peer: String, at point: FaultPoint?) -> DiagnosticKind? {
        let possible = actors.processes.filter { name in
            guard let point, let owner = actors.owner(name) else { return point == nil }
            return point.owners.contains(owner)
        }
        if possible.contains(peer) { return nil }
        guard let point, actors.owner(peer) != nil else {
            return .unknownName(what: "process", name: peer, known: possible)
        }
        return .misfit(
            what: "`\(peer)`",
            reason: "it never passes `\(point)`; \(listed(possible.map { "`\($0)`" }, by: "and")) can")
    }
}

// Steps while faults are armed.
extension StepReader {
    package func during(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "during", allowed: ["note", "steps"])
        guard let stepsNode = node["steps"] else {
            return collector.refuse(.missingKey(key: "steps", container: "`during`"), at: entry.keyPlace)
        }
        let faults = nested(in: scope, path: "\(path).0").read(entry.value, what: "`during`")
        for step in faults where !armsFault(step) {
            let arming = Vocabulary.lab.commands.filter { $0.ending != nil }.compactMap { command in
                actors.name(of: command.actors).map { "`\($0): \(command.name)`" }
            }
            collector.report(
                .misfit(
                    what: "`\(step.title)`",
                    reason: "`during` takes commands that it can end, without `fails`: \(listed(arming, by: "and"))"),
                at: step.place)
        }
        let steps = nested(in: scope, path: path).read(stepsNode, what: "`steps`")
        return .during(faults, steps: steps)
    }

    /// Whether a step arms a fault, and is expected to succeed.
    private func armsFault(_ step: Step) -> Bool {
        guard let command = step.command, command.command.ending != nil else { return false }
        switch command.outcome {
        case .succeeds, .result: return true
        case .failure, .either: return false
        }
    }
}
