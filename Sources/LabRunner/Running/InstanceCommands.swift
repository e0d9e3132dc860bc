internal import LabFile
internal import LabKit

/// The commands of `faults` and `clock`, which act on the instance's mapped pages.
enum InstanceCommands {
    /// Carries a command out.
    static func perform(
        _ request: ControlRequest, of kind: ActorKind, on instance: InstanceConnection
    ) -> Result<JSONValue, ControlError> {
        (kind == .clock ? clock : faults).perform(request, on: instance)
    }

    /// Refuses to start an instance when one of its commands has no handler.
    static func checkComplete() throws(IncompleteCommandTable) {
        try faults.checkComplete()
        try clock.checkComplete()
    }

    private static let faults: CommandTable<InstanceConnection> = {
        var table = CommandTable<InstanceConnection>(of: .faults, errors: refusal)
        table.answer(ArmFault.self, arm)
        table.answer(DisarmFaults.self) { arguments, instance in
            try instance.faults.disarm(process: arguments.peer)
        }
        return table
    }()

    private static let clock: CommandTable<InstanceConnection> = {
        var table = CommandTable<InstanceConnection>(of: .clock, errors: refusal)
        table.answer(AdvanceClock.self) { arguments, instance in try instance.clock.advance(by: arguments.by) }
        table.answer(FreezeClock.self) { _, instance in try instance.clock.freeze() }
        table.answer(RunClock.self) { _, instance in try instance.clock.run() }
        return table
    }()

    /// A clock that would go back, a full table: the caller asked for something that cannot be.
    private static func refusal(_ error: any Error) -> ControlError {
        error is InstanceError ? .badArgument("\(error)") : .failed(error)
    }

    private static func arm(_ arguments: ArmFault, on instance: InstanceConnection) throws {
        if let complaint = try FaultCheck(actors: instance.actors).complaints(about: arguments).first {
            throw ControlError.badArgument(
                [complaint.kind.sentence, complaint.kind.advice].compactMap(\.self).joined(separator: "; "))
        }
        // The check lets known points only through.
        guard let point = FaultPoint(rawValue: arguments.point) else { return }
        let action: FaultRule.Action =
            switch arguments.action {
            case .kill: .kill
            case .delay: .delay(arguments.delay ?? .zero)
            case .fail: .fail(arguments.error)
            }
        try instance.faults.arm(
            FaultRule(point: point, process: arguments.peer, action: action, pass: arguments.pass))
    }
}
