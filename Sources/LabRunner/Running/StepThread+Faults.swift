internal import LabKit

/// A fault that a step has armed, as the place where it is counted knows it.
enum ArmedFault: Hashable, Sendable {
    /// In the instance's table.
    case point(String, process: String)
    /// At the server, by its identifier.
    case traffic(String)
    /// On a link, by its identifier.
    case link(String, fault: String)
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
        if command.target.kind == .link, LinkFaultWord(rawValue: command.command.name) != nil,
            let id = answer["id"]?.stringValue
        {
            run.note(.link(command.target.actor, fault: id), armedBy: step)
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
        if run.hasArmed({ if case .traffic = $0 { true } else { false } }) {
            checkTraffic(
                at: Target(actor: "server", kind: .server, route: .endpoint(.server, about: nil)), of: "request"
            ) { .traffic($0) }
        }
        for link in instance.manifest.topology.links {
            guard run.hasArmed({ if case .link(link.name, _) = $0 { true } else { false } }),
                let target = instance.actors[link.name]?.first(where: { $0.kind == .link })
            else { continue }
            checkTraffic(at: target, of: "message") { .link(link.name, fault: $0) }
        }
    }

    /// Complains about the faults of the network, or of a link, that have hit nothing.
    private func checkTraffic(at place: Target, of subject: String, armed: (String) -> ArmedFault) {
        // Who has died was hit by something else.
        guard
            let outcome = try? caller.call(
                place, command: ListTrafficFaults.name, arguments: [:], operation: "faults",
                timeout: ControlClient.patience),
            case .result(let list) = outcome.answer
        else { return }
        for fault in list.arrayValue ?? [] where fault["fired"]?.integerValue == 0 {
            let matched = fault["matched"]?.integerValue ?? 0
            let filter = place.kind == .link ? "`skip`, `every` or `chance` let" : "`skip` lets"
            let why =
                matched == 0
                ? ": no such \(subject) came"
                : ", although \(matched) such \(matched == 1 ? subject : subject + "s") came: \(filter) them pass"
            complain(
                armed(fault["id"]?.stringValue ?? ""),
                "the fault of this step hit nothing\(why)")
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
