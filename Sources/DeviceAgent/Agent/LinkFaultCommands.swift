import LabKit

extension DeviceAgent {
    /// The commands about what goes wrong on a link.
    static func addFaultCommands(to table: inout CommandTable<LinkHost>) {
        table.answer(SlowMessages.self) { fault, link in
            link.arm(
                .slow(by: fault.by, jitter: fault.jitter, rate: fault.rate),
                LinkFault.Aim(kind: fault.kind, skip: fault.skip, times: fault.times), fault.direction)
        }
        table.answer(DropMessages.self) { fault, link in
            link.arm(
                .drop(burst: fault.burst),
                LinkFault.Aim(
                    kind: fault.kind, chance: fault.chance, every: fault.every, skip: fault.skip, times: fault.times),
                fault.direction)
        }
        table.answer(DuplicateMessages.self) { fault, link in
            link.arm(
                .duplicate,
                LinkFault.Aim(
                    kind: fault.kind, chance: fault.chance, every: fault.every, skip: fault.skip, times: fault.times),
                fault.direction)
        }
        table.answer(ReorderMessages.self) { fault, link in
            link.arm(
                .reorder,
                LinkFault.Aim(
                    kind: fault.kind, chance: fault.chance, every: fault.every, skip: fault.skip, times: fault.times),
                fault.direction)
        }
        table.answer(CorruptMessages.self) { fault, link in
            link.arm(
                .corrupt(byte: fault.byte),
                LinkFault.Aim(
                    kind: fault.kind, chance: fault.chance, every: fault.every, skip: fault.skip, times: fault.times),
                fault.direction)
        }
        table.answer(CutLink.self) { fault, link in link.arm(.cut, LinkFault.Aim(), fault.direction) }
        table.answer(HealTraffic.self) { arguments, link in try link.heal(arguments.id) }
        table.answer(ListTrafficFaults.self) { _, link in link.armedFaults }
    }
}
