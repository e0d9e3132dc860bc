import Foundation
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import LabKit

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

    @Test("Nothing happens while nothing is armed")
    func nothingHappensWhileNothingIsArmed() throws {
        try table.pass(.keychainWrite, process: "main")
        #expect(table.rules().isEmpty)
    }

    @Test("A rule fails the named pass of the named process once")
    func aRuleFailsTheNamedPassOfTheNamedProcessOnce() throws {
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

    @Test("Passes are counted in each incarnation")
    func passesAreCountedInEachIncarnation() throws {
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

    @Test("A rule without a limit fires at every pass from the named one")
    func aRuleWithoutLimitFiresAtEveryPassFromTheNamedOne() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("unavailable"), pass: 2, limit: 0))
        #expect((0..<4).map { _ in fails(table, .stateSave) } == [false, true, true, true])
    }

    @Test("A rule for a subject counts and hits only that subject's passes")
    func aRuleForASubject() throws {
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

    @Test("A point that no process has reached differs from one whose fault is set for a later pass")
    func passesAreCounted() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), pass: 3))
        try table.arm(FaultRule(point: .stateSaved, process: "main", action: .fail("EIO")))
        for _ in 0..<2 { try other().pass(.stateSave, process: "main") }
        try other().pass(.stateSave, process: "wallet")
        #expect(table.rules().map(\.passed) == [2, 0], "the passes of all incarnations, of this process only")
        #expect(table.rules().map(\.fired) == [0, 0])
    }

    @Test("Disarming stops a rule")
    func disarmingStopsARule() throws {
        let process = try other()
        let first = try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), limit: 0))
        try table.arm(FaultRule(point: .stateSave, process: "wallet", action: .fail("EIO"), limit: 0))
        #expect(fails(process, .stateSave))
        #expect(try table.disarm(id: first).map(\.fired) == [1])
        #expect(!fails(process, .stateSave))
        #expect(try table.disarm(process: "wallet").count == 1)
        #expect(table.rules().isEmpty)
    }

    @Test("An exhausted rule does not silence another one")
    func aRuleThatSpentItselfDoesNotSilenceAnother() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO")))
        try table.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        #expect(fails(table, .stateSave))
        #expect(fails(table, .keychainWrite))
    }

    @Test("A rule in a reused slot counts only its own passes")
    func aRuleArmedWhereAnotherOneWasCountsItsOwnPasses() throws {
        let first = try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO")))
        #expect(fails(table, .stateSave))
        try table.disarm(id: first)
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO"), pass: 2))
        #expect((0..<3).map { _ in fails(table, .stateSave) } == [false, true, false])
    }

    @Test("The observer is notified of a fault before it takes effect")
    func theObserverHearsOfAFaultBeforeItTakesEffect() throws {
        let log = FiringLog()
        table.onFiring { log.add($0) }
        try table.arm(FaultRule(point: .counterBumped, process: "main", action: .delay(.milliseconds(1))))
        try table.pass(.counterBumped, process: "main")
        #expect(log.firings.map(\.rule.point) == [.counterBumped])
        #expect(log.firings.map(\.fired) == [1])
    }

    @Test("A firing is traced with its point, action, pass and count")
    func aFiringIsTracedWithItsPointActionPassAndCount() throws {
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

    @Test("A full table reports an error, and the slots of spent rules are reused")
    func aFullTableSaysSoAndReusesSpentRules() throws {
        let spent = FaultRule(point: .stateSave, process: "main", action: .fail("EIO"))
        try table.arm(spent)
        #expect(fails(table, .stateSave))
        for _ in 0..<FaultTable.slotCount {
            try table.arm(FaultRule(point: .statusLockTaken, process: "x", action: .kill))
        }
        #expect(throws: InstanceError.faultTableFull(slots: FaultTable.slotCount)) { try table.arm(spent) }
    }

    @Test("A text too long for a slot is refused, and the longest allowed text is kept whole")
    func aTextTooLongForASlotIsRefused() throws {
        let name = String(repeating: "x", count: 112)
        #expect(throws: InstanceError.faultTextTooLong(name, bytes: 111)) {
            try table.arm(FaultRule(point: .stateSave, process: name, action: .kill))
        }
        let longest = [String(name.dropFirst(2)), String(name.dropFirst())]
        for name in longest { try table.arm(FaultRule(point: .stateSave, process: name, action: .kill)) }
        #expect(try other().rules().map(\.rule.process) == longest)
    }

    @Test("Concurrent passes fire a rule as often as its limit allows")
    func concurrentPassesFireARuleAsOftenAsItsLimitSays() throws {
        try table.arm(FaultRule(point: .statusLockTaken, process: "main", action: .fail("EIO"), limit: 1))
        let log = FiringLog()
        let tables = try (0..<4).map { _ in try other() }
        let threads = tables.map { table in
            runOnThread(name: "passer") {
                table.onFiring { log.add($0) }
                for _ in 0..<200 { try? table.pass(.statusLockTaken, process: "main") }
            }
        }
        threads.forEach { $0.join() }
        #expect(log.firings.count == 1)
    }

    // Several processes may see the rule unspent at the same time: the claim decides.
    @Test("A rule is claimed as often as its limit allows, however many processes try")
    func aRuleIsClaimedAsOftenAsItsLimitSays() throws {
        try table.arm(FaultRule(point: .statusLockTaken, process: "main", action: .fail("EIO"), limit: 2))
        let memory = try MappedMemory.file(directory.file("faults"), size: FaultSlot.tableSize, create: false)
        let slot = FaultSlot(memory: memory, index: 0)
        #expect((0..<4).map { _ in slot.claimFiring(limit: 2) } == [1, 2, nil, nil])
    }

    @Test("A damaged table never crashes a pass")
    func aDamagedTableNeverCrashesAPass() throws {
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .delay(.zero), limit: 0))
        let path = directory.file("faults")
        let intact = try Files.read(path)
        for offset in 8..<320 {
            var damaged = intact
            damaged[offset] = 0xFF
            try Files.write(damaged, to: directory.file("damaged"))
            let table = try FaultTable.open(directory.file("damaged"))
            // The fault table would wait out a very long delay, so the point with the damaged delay is not passed.
            if !(280..<288).contains(offset) { try? table.pass(.stateSave, process: "main") }
        }
    }

    @Test("Point names are unique and can be looked up")
    func pointNamesAreUniqueAndFound() {
        #expect(Set(FaultPoint.all.map(\.rawValue)).count == FaultPoint.all.count)
        for point in FaultPoint.all { #expect(FaultPoint(rawValue: point.rawValue) == point) }
        #expect(FaultPoint(rawValue: "nonsense") == nil)
    }
}

private final class FiringLog: Sendable {
    private let entries = Mutex<[FaultTable.Armed]>([])
    var firings: [FaultTable.Armed] { entries.withLock { $0 } }
    func add(_ firing: FaultTable.Armed) { entries.withLock { $0.append(firing) } }
}
