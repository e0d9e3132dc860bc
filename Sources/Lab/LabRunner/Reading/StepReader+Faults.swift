import LabFile
import LabKit

// Steps while faults are armed.
extension StepReader {
    func during(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "during", allowed: ["note", "steps"])
        guard let stepsNode = node["steps"] else {
            collector.report(.missingKey(key: "steps", container: "`during`"), at: entry.keyPlace)
            return nil
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
        guard case .command(let command) = step.action, command.command.ending != nil else { return false }
        switch command.outcome {
        case .succeeds, .result: return true
        case .failure, .either: return false
        }
    }
}
