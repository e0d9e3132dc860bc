import LabKit

extension DeviceAgent {
    /// The commands for faults on a link.
    static func addFaultHandlers(to table: inout CommandDispatcher<LinkTarget>) {
        table.answer(SlowMessages.self) { fault, target in
            target.link.arm(
                .slow(by: fault.by, jitter: fault.jitter, rate: fault.rate),
                LinkFault.Aim(kind: fault.kind, skip: fault.skip, times: fault.times), fault.direction)
        }
        table.answer(DropMessages.self) { fault, target in
            target.link.arm(.drop(burst: fault.burst), LinkFault.Aim(fault), fault.direction)
        }
        table.answer(DuplicateMessages.self) { fault, target in
            target.link.arm(.duplicate, LinkFault.Aim(fault), fault.direction)
        }
        table.answer(ReorderMessages.self) { fault, target in
            target.link.arm(.reorder, LinkFault.Aim(fault), fault.direction)
        }
        table.answer(CorruptMessages.self) { fault, target in
            target.link.arm(.corrupt(byte: fault.byte), LinkFault.Aim(fault), fault.direction)
        }
        table.answer(CutLink.self) { fault, target in target.link.arm(.cut, LinkFault.Aim(), fault.direction) }
        table.answer(HealTraffic.self) { arguments, target in try target.link.heal(arguments.id) }
        table.answer(ListTrafficFaults.self) { _, target in target.link.armedFaults }
    }
}

/// A command whose fault can hit some messages and spare others, by number or by chance.
private protocol AimedFaultCommand {
    var kind: LinkMessageKind? { get }
    var chance: Double { get }
    var every: Int { get }
    var skip: Int { get }
    var times: Int? { get }
}

extension DropMessages: AimedFaultCommand {}
extension DuplicateMessages: AimedFaultCommand {}
extension ReorderMessages: AimedFaultCommand {}
extension CorruptMessages: AimedFaultCommand {}

extension LinkFault.Aim {
    fileprivate init(_ command: some AimedFaultCommand) {
        self.init(
            kind: command.kind, chance: command.chance, every: command.every, skip: command.skip, times: command.times)
    }
}
