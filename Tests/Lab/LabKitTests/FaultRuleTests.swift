import Foundation
import LabSystem
import TestSupport
import Testing

@testable import LabKit

@Suite("Fault rules", .endsInTime)
struct FaultRuleTests {
    private let directory: TemporaryDirectory
    private let table: FaultTable

    init() throws {
        directory = try TemporaryDirectory()
        table = try FaultTable.create(directory.file("faults"))
    }

    private func rule(
        _ process: String = "main", _ action: FaultRule.Action = .fail("EIO"), limit: Int = 1
    ) -> FaultRule {
        FaultRule(point: .stateSave, process: process, action: action, limit: limit)
    }

    @Test("The table is armed, in every mapping, from the first rule to the end of the last")
    func isArmed() throws {
        let other = try FaultTable.open(directory.file("faults"))
        #expect(!table.isArmed && !other.isArmed)
        for process in ["main", "wallet"] { try table.arm(rule(process)) }
        try table.disarm(process: "main")
        #expect(table.isArmed && other.isArmed)
        try table.disarm()
        #expect(!table.isArmed && !other.isArmed)
    }

    @Test("A rule is read through every mapping as it was armed")
    func asArmed() throws {
        let rules = [
            FaultRule(point: .stateSave, process: "a", action: .kill),
            FaultRule(
                point: .httpRequestSent, process: "b", action: .delay(.milliseconds(7)), subject: "c/d", pass: 2,
                limit: 3),
            FaultRule(point: .keychainRead, process: "e", action: .fail("ENOSPC"), subject: "f", pass: 4, limit: 0),
        ]
        let ids = try rules.map { try table.arm($0) }
        let read = try FaultTable.open(directory.file("faults")).rules()
        #expect(read.map(\.rule) == rules)
        #expect(read.map(\.id) == ids)
        #expect(read.allSatisfy { $0.fired == 0 && $0.passed == 0 })
        #expect(rules[0].pass == 1 && rules[0].limit == 1 && rules[0].subject == nil)
        #expect(rules.map(\.action.word) == [.kill, .delay, .fail])
    }

    @Test(
        "A subject is a whole text, or its end behind a slash; without one every pass counts",
        arguments: [
            (nil, "", true), (nil, "a/b", true), ("b", "b", true), ("b", "a/b", true), ("b", "ab", false),
            ("b", "b/a", false), ("b", "", false), ("a/b", "x/a/b", true), ("a/b", "b", false), ("", "", true),
        ] as [(String?, String, Bool)])
    func subjects(wanted: String?, subject: String, isAbout: Bool) {
        let rule = FaultRule(point: .httpRequestSent, process: "main", action: .kill, subject: wanted)
        #expect(rule.isAbout(subject) == isAbout)
    }

    @Test("Rules are listed in the order of their arming, wherever their slots are")
    func order() throws {
        let first = try table.arm(rule("a"))
        let second = try table.arm(rule("b"))
        try table.disarm(id: first)
        let third = try table.arm(rule("c"))
        #expect(first < second && second < third)
        #expect(table.rules().map(\.rule.process) == ["b", "c"])
        #expect(table.rules().map(\.id) == [second, third])
    }

    @Test("The table is armed as long as a rule can fire")
    func armed() throws {
        let other = try FaultTable.open(directory.file("faults"))
        #expect(!table.isArmed)
        try table.arm(rule())
        #expect(table.isArmed && other.isArmed)
        #expect(throws: InjectedFault.self) { try other.pass(.stateSave, process: "main") }
        #expect(!table.isArmed && !other.isArmed, "the rule has fired for the last time")
        #expect(table.rules().map(\.fired) == [1], "it is still reported")
        try table.arm(rule(limit: 0))
        #expect(throws: InjectedFault.self) { try other.pass(.stateSave, process: "main") }
        #expect(table.isArmed)
        try table.disarm()
        #expect(!table.isArmed && table.rules().isEmpty)
    }

    @Test("Disarming takes the rules of a process, of an arming, or of both together")
    func disarming() throws {
        let ids = try ["a", "b", "a"].map { try table.arm(rule($0)) }
        #expect(try table.disarm(process: "b", id: ids[0]).isEmpty)
        #expect(try table.disarm(process: "x").isEmpty)
        #expect(table.rules().count == 3)
        #expect(try table.disarm(process: "a", id: ids[0]).map(\.id) == [ids[0]])
        #expect(try table.disarm(process: "a").map(\.id) == [ids[2]])
        #expect(try table.disarm().map(\.rule.process) == ["b"])
    }

    @Test("A firing on another host counts as pass and firing, up to the limit")
    func noted() throws {
        let id = try table.arm(rule(limit: 2))
        for expected in 1...3 {
            try table.noteFiring(id: id)
            try table.noteFiring(id: id + 1)
            #expect(table.rules().map(\.passed) == [expected])
            #expect(table.rules().map(\.fired) == [min(expected, 2)])
            #expect(table.isArmed == (expected < 2))
        }
    }

    @Test("A delay holds the pass at least as long as it says, and fails nothing")
    func delay() throws {
        try table.arm(rule("main", .delay(.milliseconds(3))))
        let before = MonotonicClock.nanoseconds()
        try table.pass(.stateSave, process: "main")
        #expect(MonotonicClock.nanoseconds() - before >= 3_000_000)
        #expect(table.rules().map(\.fired) == [1])
    }

    @Test("Of several failures at one pass the first armed is thrown, and all count")
    func severalFailures() throws {
        for error in ["EIO", "ENOSPC"] { try table.arm(rule("main", .fail(error))) }
        #expect(throws: InjectedFault(point: .stateSave, error: "EIO")) {
            try table.pass(.stateSave, process: "main")
        }
        #expect(table.rules().map(\.fired) == [1, 1])
    }

    @Test("The errors of a rule are the names of the system, and one of the lab without a number")
    func errors() {
        #expect(FaultRule.errors == Errno.names + ["unavailable"])
        let unavailable = InjectedFault(point: .stateSave, error: "unavailable")
        #expect(unavailable.errno == nil)
        #expect(unavailable.description == "injected fault at state.save: unavailable")
        for name in Errno.names {
            #expect(InjectedFault(point: .stateSave, error: name).errno == Errno.number(named: name))
        }
    }

    @Test("The points whose passes differ are those of items and of requests; others have no subject")
    func points() {
        let items = FaultPoint.all.filter { $0.subject == .item }
        #expect(items == [.keychainRead, .keychainWrite, .keychainDelete])
        let endpoints = FaultPoint.all.filter { $0.subject == .endpoint }
        #expect(endpoints == [.httpRequestSent, .httpResponseReceived, .serverRequestReceived, .serverResponseSent])
        for point in FaultPoint.all {
            #expect(point.actions.starts(with: [.kill, .delay]), "\(point)")
            let owners: [FaultPoint.Owner] =
                switch point.rawValue.prefix(while: { $0 != "." }) {
                case "server": [.server]
                case "link": ["link.store", "link.sent"].contains(point.rawValue) ? [.device] : [.device, .app]
                default: [.app]
                }
            #expect(point.owners == owners, "\(point)")
        }
    }
}
