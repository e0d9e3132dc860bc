// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("The fault table", .endsInTime)
struct FaultTableTests {
    let directory: TemporaryDirectory
    let table: FaultTable

    init() throws {
        directory = try TemporaryDirectory()
        table = try FaultTable.create(directory.file("faults"))
    }

    /// The table as another process, or another incarnation, sees it.
    private func other() throws -> FaultTable { try FaultTable.open(directory.file("faults")) }

    private func fails(_ table: FaultTable, _ point: FaultPoint = .keychainWrite, process: String = "main") -> Bool {
        do {
            try table.pass(point, process: process)
            return false
        } catch {
            return true
        }
    }

    @Test func `Nothing happens while nothing is armed`() throws {
        try table.pass(.keychainWrite, process: "main")
        #expect(table.rules().isEmpty)
    }

    @Test func `A rule fails the named pass of the named process once`() throws {
        try table.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("ENOSPC"), pass: 2))
        let process = try other()
        #expect(!fails(process, process: "wallet"))
        #expect(!fails(process, .stateSave))
        #expect(!fails(process))
        let error = #expect(throws: InjectedFault.self) { try process.pass(.keychainWrite, process: "main") }
        #expect(error == InjectedFault(point: .keychainWrite, error: "ENOSPC"))
        #expect(error?.errno == Errno.number(named: "ENOSPC"))
        #expect(!fails(process))
        #expect(table.rules().map(\.fired) == [1])
    }

    @Test func `Passes are counted in each incarnation`() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), pass: 2, limit: 2))
        for _ in 0..<2 {
            let incarnation = try other()
            #expect(!fails(incarnation, .stateSave))
            #expect(fails(incarnation, .stateSave))
        }
        let third = try other()
        #expect(!fails(third, .stateSave) && !fails(third, .stateSave), "the limit is over all incarnations")
        #expect(table.rules().map(\.fired) == [2])
    }

    @Test func `A rule without a limit fires at every pass from the named one`() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("unavailable"), pass: 2, limit: 0))
        #expect((0..<4).map { _ in fails(table, .stateSave) } == [false, true, true, true])
    }

    @Test func `A rule for a subject counts and hits only that subject's passes`() throws {
        try table.arm(
            FaultRule(
                point: .httpRequestSent, process: "main", action: .fail("EIO"), subject: "activation/status", pass: 2))
        func fails(_ path: String) -> Bool {
            (try? table.pass(.httpRequestSent, process: "main", about: path)) == nil
        }
        #expect(!fails("/pa/v3/activation/status") && !fails("/pa/v3/token/create"))
        #expect(!fails("/pa/v3/reactivation/status"), "the end of a path begins after a `/`")
        #expect(table.rules().map(\.passed) == [1])
        #expect(fails("activation/status"))
        #expect(!fails("/pa/v3/activation/status"))
        #expect(table.rules().map(\.fired) == [1])
    }

    @Test func `A point that no process has reached differs from one whose fault is set for a later pass`() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), pass: 3))
        try table.arm(FaultRule(point: .stateSaved, process: "main", action: .fail("EIO")))
        for _ in 0..<2 { try other().pass(.stateSave, process: "main") }
        try other().pass(.stateSave, process: "wallet")
        #expect(table.rules().map(\.passed) == [2, 0], "the passes of all incarnations, of this process only")
        #expect(table.rules().map(\.fired) == [0, 0])
    }

    @Test func `Disarming stops a rule`() throws {
        let process = try other()
        let first = try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), limit: 0))
        try table.arm(FaultRule(point: .stateSave, process: "wallet", action: .fail("EIO"), limit: 0))
        #expect(fails(process, .stateSave))
        #expect(try table.disarm(id: first).map(\.fired) == [1])
        #expect(!fails(process, .stateSave))
        #expect(try table.disarm(process: "wallet").count == 1)
        #expect(table.rules().isEmpty)
    }

    @Test func `An exhausted rule does not silence another one`() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO")))
        try table.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        #expect(fails(table, .stateSave))
        #expect(fails(table, .keychainWrite))
    }

    @Test func `A rule in a reused slot counts only its own passes`() throws {
        let first = try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO")))
        #expect(fails(table, .stateSave))
        try table.disarm(id: first)
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), pass: 2))
        #expect((0..<3).map { _ in fails(table, .stateSave) } == [false, true, false])
    }

    @Test func `The observer is notified of a fault before it takes effect`() throws {
        let log = Recorder<FaultTable.Armed>()
        table.onFiring { log.add($0) }
        try table.arm(FaultRule(point: .counterBumped, process: "main", action: .delay(.milliseconds(1))))
        try table.pass(.counterBumped, process: "main")
        #expect(log.all.map(\.rule.point) == [.counterBumped])
        #expect(log.all.map(\.fired) == [1])
    }

    @Test func `A firing is traced with its point, action, pass and count`() throws {
        table.traceFirings(to: try TraceWriter(directory: directory.file("traces"), process: "main", incarnation: 1))
        let id = try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), pass: 2))
        try table.pass(.stateSave, process: "main")
        #expect(fails(table, .stateSave))
        let events = try TraceReader.readAll(directory.file("traces"))
        #expect(events.map(\.name) == [.faultFired])
        #expect(
            events.first?.fields == [
                "id": .integer(Int64(id)), "point": "state.save", "action": "fail", "pass": 2, "fired": 1,
            ])
    }

    @Test(.verifies("size", "FaultTable.slotCount"))
    func `A full table reports an error, and the slots of spent rules are reused`() throws {
        let spent = FaultRule(point: .stateSave, process: "main", action: .fail("EIO"))
        try table.arm(spent)
        #expect(fails(table, .stateSave))
        for _ in 0..<FaultTable.slotCount {
            try table.arm(FaultRule(point: .statusLockTaken, process: "x", action: .kill))
        }
        #expect(throws: InstanceError.faultTableFull(slots: FaultTable.slotCount)) { try table.arm(spent) }
    }

    @Test(.verifies("size", "FaultSlot.textSize"))
    func `A text too long for a slot is refused, and the longest allowed text is kept whole`() throws {
        let name = String(repeating: "x", count: 112)
        #expect(throws: InstanceError.faultTextTooLong(name, bytes: 111)) {
            try table.arm(FaultRule(point: .stateSave, process: name, action: .kill))
        }
        let longest = [String(name.dropFirst(2)), String(name.dropFirst())]
        for name in longest { try table.arm(FaultRule(point: .stateSave, process: name, action: .kill)) }
        #expect(try other().rules().map(\.rule.process) == longest)
    }

    @Test func `A copy brings the rules back with their counts, in every process, and removes those that came later`()
        throws
    {
        try table.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("ENOSPC"), limit: 2))
        #expect(fails(table))
        let copy = try table.copyOfRules()
        let process = try other()
        #expect(fails(process))
        try table.disarm()
        try table.arm(FaultRule(point: .stateSave, process: "wallet", action: .kill))
        try table.restoreRules(copy)
        #expect(process.rules().map(\.rule.process) == ["main"] && process.rules().map(\.fired) == [1])
        #expect(process.isArmed)
        let later = try other()
        #expect(fails(later))
    }

    @Test func `In another table, rules that are armed later get other numbers than restored ones`() throws {
        for _ in 0..<2 { try table.arm(FaultRule(point: .stateSave, process: "main", action: .kill)) }
        let fresh = try FaultTable.create(directory.file("fresh"))
        try fresh.restoreRules(try table.copyOfRules())
        #expect(fresh.rules().map(\.id) == [1, 2])
        #expect(try fresh.arm(FaultRule(point: .stateSave, process: "wallet", action: .kill)) == 3)
    }

    @Test func `A copy of another size is refused and changes nothing`() throws {
        try table.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("ENOSPC")))
        let copy = try table.copyOfRules()
        try table.disarm()
        for damaged in [copy.dropLast(), copy + Data([0]), Data()] {
            #expect(throws: InstanceError.self) { try table.restoreRules(damaged) }
        }
        #expect(table.rules().isEmpty)
        try table.restoreRules(copy)
        #expect(table.rules().count == 1)
    }

    @Test func `Concurrent passes fire a rule as often as its limit allows`() throws {
        try table.arm(FaultRule(point: .statusLockTaken, process: "main", action: .fail("EIO"), limit: 1))
        let log = Recorder<FaultTable.Armed>()
        let tables = try (0..<4).map { _ in try other() }
        let threads = tables.map { table in
            runOnThread(name: "passer") {
                table.onFiring { log.add($0) }
                for _ in 0..<200 { try? table.pass(.statusLockTaken, process: "main") }
            }
        }
        threads.forEach { $0.join() }
        #expect(log.all.count == 1)
    }

    // Several processes may see the rule unspent at the same time: the claim decides.
    @Test func `A rule is claimed as often as its limit allows, however many processes try`() throws {
        try table.arm(FaultRule(point: .statusLockTaken, process: "main", action: .fail("EIO"), limit: 2))
        let memory = try MappedMemory.file(directory.file("faults"), size: FaultSlot.tableSize, create: false)
        let slot = FaultSlot(memory: memory, index: 0)
        #expect((0..<4).map { _ in slot.claimFiring(limit: 2) } == [1, 2, nil, nil])
    }

    @Test func `A damaged table never crashes a pass`() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .delay(.zero), limit: 0))
        let path = directory.file("faults")
        let intact = try Files.read(path)
        for offset in Array(8..<320) + Array(FaultSlot.turnsOffset..<FaultSlot.turnsOffset + 16) {
            var damaged = intact
            damaged[offset] = 0xFF
            try Files.write(damaged, to: directory.file("damaged"))
            let table = try FaultTable.open(directory.file("damaged"))
            // The fault table would wait out a very long delay, so the point with the damaged delay is not passed.
            if !(280..<288).contains(offset) { try? table.pass(.stateSave, process: "main") }
        }
    }
}
