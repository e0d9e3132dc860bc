// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabControl
import LabCore
import LabFile
import LabPoints
import LabVocabulary
import ScenarioLanguage

/// The commands of `faults` and `clock`, which change the instance's mapped pages, of `trace`, which reads its files,
/// and of the processes of the server and the devices.
enum InstanceHandlers {
    /// Carries out a command.
    package static func perform(
        _ request: ControlRequest, of kind: ActorKind, on instance: InstanceConnection
    ) -> Result<JSONValue, ControlError> {
        if kind == .deviceProcess {
            return device.perform(request, on: DeviceProcess(parts: instance.parts, name: request.actor ?? ""))
        }
        let table =
            switch kind {
            case .clock: clock
            case .trace: trace
            case .serverProcess: server
            default: faults
            }
        return table.perform(request, on: instance)
    }

    /// Refuses to start an instance if one of its commands has no handler.
    static func checkComplete() throws(IncompleteCommandTable) {
        try faults.checkComplete()
        try clock.checkComplete()
        try trace.checkComplete()
        try server.checkComplete()
        try device.checkComplete()
    }

    private static let faults: CommandDispatcher<InstanceConnection> = {
        var table = CommandDispatcher<InstanceConnection>(of: .faults, errors: refusal)
        table.answer(ArmFault.self, arm)
        table.answer(DisarmFaults.self) { arguments, instance in
            try instance.faults.disarm(process: arguments.peer, id: arguments.id.map(UInt32.init(clamping:)))
        }
        table.answer(ListArmedFaults.self) { _, instance in
            instance.faults.rules().map { armed in
                ListArmedFaults.Fault {
                    $0.id = Int(armed.id)
                    $0.point = armed.rule.point.rawValue
                    $0.peer = armed.rule.process
                    $0.action = armed.rule.action.word
                    $0.item = armed.rule.point.subject == .item ? armed.rule.subject : nil
                    $0.endpoint = armed.rule.point.subject == .endpoint ? armed.rule.subject : nil
                    $0.fired = armed.fired
                    $0.passes = armed.passed
                }
            }
        }
        return table
    }()

    private static let clock: CommandDispatcher<InstanceConnection> = {
        var table = CommandDispatcher<InstanceConnection>(of: .clock, errors: refusal)
        table.answer(AdvanceClock.self) { arguments, instance in try instance.clock.advance(by: arguments.by) }
        table.answer(FreezeClock.self) { _, instance in try instance.clock.freeze() }
        table.answer(RunClock.self) { arguments, instance in try instance.clock.run(rate: arguments.rate) }
        table.answer(ReadClock.self) { _, instance in
            let now = instance.clock.now()
            return ReadClock.Result {
                $0.time = now.seconds
                $0.utc = now.text
                $0.isFrozen = instance.clock.isFrozen
                $0.rate = instance.clock.rate
                $0.ahead = instance.clock.offset
            }
        }
        return table
    }()

    private static let trace: CommandDispatcher<InstanceConnection> = {
        var table = CommandDispatcher<InstanceConnection>(of: .trace, errors: refusal)
        table.answer(ListEvents.self, list)
        table.answer(ListBrokenRules.self) { _, instance in try brokenRules(on: instance) }
        return table
    }()

    private static let server: CommandDispatcher<InstanceConnection> = {
        var table = CommandDispatcher<InstanceConnection>(of: .serverProcess)
        table.answer(KillServer.self) { _, instance in try instance.parts.kill(.server) }
        table.answer(RestartServer.self) { _, instance in try instance.parts.restartServer() }
        return table
    }()

    /// The process of a device, among those of its instance.
    private struct DeviceProcess {
        let parts: InstanceParts
        let name: String
    }

    private static let device: CommandDispatcher<DeviceProcess> = {
        var table = CommandDispatcher<DeviceProcess>(of: .deviceProcess)
        table.answer(KillDevice.self) { _, device in try device.parts.kill(.agent(device.name)) }
        table.answer(SwitchOffDevice.self) { _, device in try device.parts.switchOff(device.name) }
        table.answer(SwitchOnDevice.self) { _, device in try device.parts.switchOn(device.name) }
        return table
    }()

    private static func list(_ arguments: ListEvents, on instance: InstanceConnection) throws -> [ListEvents.Event] {
        if let name = arguments.event, TraceEventName(rawValue: name) == nil {
            throw ControlError.badArgument("there is no event `\(name)`; `lab events` lists them")
        }
        return try TraceReader.readAll(instance.manifest.tracesDirectory).filter { event in
            let isOfStep = arguments.step.map(event.isCaused)
            return event.name.rawValue == arguments.event ?? event.name.rawValue
                && event.process == arguments.peer ?? event.process && isOfStep ?? true
        }.map { event in
            ListEvents.Event {
                $0.event = event.name.rawValue
                $0.peer = event.process
                $0.incarnation = event.incarnation
                $0.step = event.operation
                $0.time = event.time
                $0.fields = event.fields
            }
        }
    }

    private static func brokenRules(on instance: InstanceConnection) throws -> [ListBrokenRules.BrokenRule] {
        let history = try RecordedHistory(
            traces: instance.manifest.tracesDirectory, where: SharingCheckers.judgeInScenarios)
        guard ScenarioRules.canJudge(instance.manifest.topology, history) else {
            throw LabFailure(
                "The rules are about one activation that apps of one phone share, and this lab has several activations or phones, or no app that shares one."
            )
        }
        return try ScenarioRules.examination(of: history).results.compactMap { result -> ListBrokenRules.BrokenRule? in
            if let why = result.openBecause {
                throw LabFailure("Whether the rule `\(result.name)` holds is not known: \(why).")
            }
            return result.breach.map { breach in
                ListBrokenRules.BrokenRule {
                    $0.rule = result.name
                    $0.breach = breach.sentence
                    $0.events = ExcerptTable(breach.excerpt).lines
                }
            }
        }
    }

    /// A clock that would go back, a full table: the caller requested something impossible.
    private static func refusal(_ error: any Error) -> ControlError {
        error is InstanceError ? .badArgument("\(error)") : .failed(error)
    }

    private static func arm(_ arguments: ArmFault, on instance: InstanceConnection) throws -> ArmFault.Result {
        if let complaint = try FaultCheck(actors: instance.actors).complaints(about: arguments).first {
            throw ControlError.badArgument(
                [complaint.kind.sentence, complaint.kind.advice].compactMap(\.self).joined(separator: "; "))
        }
        guard let point = FaultPoint(rawValue: arguments.point) else {
            throw ControlError.badArgument("there is no fault point `\(arguments.point)`")
        }
        let action: FaultRule.Action =
            switch arguments.action {
            case .kill: .kill
            case .delay: .delay(arguments.delay ?? .zero)
            case .fail: .fail(arguments.error)
            }
        let id = try instance.faults.arm(
            FaultRule(
                point: point, process: arguments.peer, action: action, subject: arguments.item ?? arguments.endpoint,
                pass: arguments.pass))
        return ArmFault.Result { $0.id = Int(id) }
    }
}
