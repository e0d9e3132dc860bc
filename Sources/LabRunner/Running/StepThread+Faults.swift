internal import LabKit

/// A fault that a step has armed, as the place where it is counted knows it.
enum ArmedFault: Hashable, Sendable {
    /// In the instance's table.
    case point(String, process: String)
    /// At the server, by its identifier.
    case traffic(String)
}

// Against green that means nothing: armed faults must fire.
extension StepThread {
    /// The commands that arm a fault of the network.
    private static let trafficFaults: Set<String> = [
        SlowAnswers.name, FailRequests.name, DropConnections.name, CorruptAnswers.name, ShowWrongCertificate.name,
    ]

    /// Remembers the step of a fault that was armed.
    func noteFault(of command: CommandStep, _ arguments: JSONValue, _ answer: JSONValue, step: Step) {
        if command.target.kind == .faults, command.command.name == ArmFault.name,
            let point = arguments["point"]?.stringValue, let process = arguments["peer"]?.stringValue
        {
            run.note(.point(point, process: process), armedBy: step)
        }
        if command.target.kind == .server, Self.trafficFaults.contains(command.command.name),
            let id = answer["id"]?.stringValue
        {
            run.note(.traffic(id), armedBy: step)
        }
    }

    /// Complains about every armed fault that has hit nothing, at the step that armed it.
    func checkFaults() {
        for armed in instance.faults.rules() where armed.fired == 0 {
            let rule = armed.rule
            complain(
                .point(rule.point.rawValue, process: rule.process),
                "the fault armed at `\(rule.point.rawValue)` of `\(rule.process)` never fired, so the scenario shows nothing about it"
            )
        }
        let server = Target(actor: "server", kind: .server, route: .endpoint(.server, about: nil))
        // A server that has died was hit by something else.
        guard run.hasTrafficFaults,
            let outcome = try? caller.call(
                server, command: ListTrafficFaults.name, arguments: [:], operation: "faults",
                timeout: ControlClient.patience),
            case .result(let list) = outcome.answer
        else { return }
        for fault in list.arrayValue ?? [] where fault["fired"]?.integerValue == 0 {
            let matched = fault["matched"]?.integerValue ?? 0
            complain(
                .traffic(fault["id"]?.stringValue ?? ""),
                "the fault of this step hit nothing\(matched == 0 ? ": no such request came" : ", although \(matched) such requests came: `skip` lets them pass")"
            )
        }
    }

    private func complain(_ fault: ArmedFault, _ reason: String) {
        if let step = run.step(that: fault) {
            _ = fail(step, reason, verdict: .failed)
        } else {
            run.fail(reason, verdict: .failed)
        }
    }
}
