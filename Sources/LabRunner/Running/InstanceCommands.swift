internal import LabKit

/// The commands of `faults` and `clock`, which act on the instance's mapped pages.
struct InstanceCommands {
    private let instance: InstanceConnection

    init(_ instance: InstanceConnection) {
        self.instance = instance
    }

    /// Carries a command out; refusals are errors of the command, as any peer's would be.
    func perform(_ command: String, _ arguments: JSONValue) throws -> ControlCaller.Outcome.Answer {
        do {
            switch command {
            case ArmFault.name:
                if let complaint = FaultCheck(actors: instance.actors).complaints(about: members(of: arguments)).first {
                    let kind = complaint.kind
                    throw refused([kind.sentence, kind.advice].compactMap(\.self).joined(separator: "; "))
                }
                try arm(arguments.decode(ArmFault.Arguments.self))
            case DisarmFaults.name:
                try instance.faults.disarm(process: arguments.decode(DisarmFaults.Arguments.self).peer)
            case AdvanceClock.name:
                let text = try arguments.decode(AdvanceClock.Arguments.self).by
                guard let duration = LabDuration(signed: text) else { throw refused("`\(text)` is not a duration") }
                try instance.clock.advance(by: duration)
            case FreezeClock.name: try instance.clock.freeze()
            case RunClock.name: try instance.clock.run()
            default: throw refused("the instance has no command `\(command)`")
            }
            return .result(.null)
        } catch let error as ControlError {
            return .error(error)
        } catch let error as InstanceError {
            // A clock that would go back, a full table: the caller asked for something that cannot be.
            return .error(refused("\(error)"))
        }
    }

    private func members(of arguments: JSONValue) -> [String: JSONValue] {
        if case .object(let members) = arguments { members } else { [:] }
    }

    private func refused(_ message: String) -> ControlError {
        ControlError.badArgument(message)
    }

    private func arm(_ arguments: ArmFault.Arguments) throws {
        guard let point = FaultPoint.all.first(where: { $0.rawValue == arguments.point }) else {
            throw refused("there is no fault point `\(arguments.point)`; `lab faults` lists them")
        }
        let action: FaultRule.Action
        switch arguments.action {
        case "kill": action = .kill
        case "delay":
            guard let duration = arguments.delay.flatMap(LabDuration.init(_:)) else {
                throw refused("the action `delay` needs the parameter `delay`, for example `200ms`")
            }
            action = .delay(duration)
        default: action = .fail(arguments.error ?? "EIO")
        }
        try instance.faults.arm(
            FaultRule(point: point, process: arguments.peer, action: action, pass: arguments.pass ?? 1))
    }
}
