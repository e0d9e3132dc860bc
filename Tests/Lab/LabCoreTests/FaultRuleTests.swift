// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabCore

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

    @Test func `The table is armed, in every mapping, from the first rule to the end of the last`() throws {
        let other = try FaultTable.open(directory.file("faults"))
        #expect(!table.isArmed && !other.isArmed)
        for process in ["main", "wallet"] { try table.arm(rule(process)) }
        try table.disarm(process: "main")
        #expect(table.isArmed && other.isArmed)
        try table.disarm()
        #expect(!table.isArmed && !other.isArmed)
    }

    @Test func `A rule is read through every mapping as it was armed`() throws {
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
        arguments: [
            (nil, "", true), (nil, "a/b", true), ("b", "b", true), ("b", "a/b", true), ("b", "ab", false),
            ("b", "b/a", false), ("b", "", false), ("a/b", "x/a/b", true), ("a/b", "b", false), ("", "", true),
        ] as [(String?, String, Bool)])
    func `A subject is a whole text, or its end behind a slash; without one every pass counts`(
        wanted: String?, subject: String, isAbout: Bool
    ) {
        let rule = FaultRule(point: .httpRequestSent, process: "main", action: .kill, subject: wanted)
        #expect(rule.isAbout(subject) == isAbout)
    }

    @Test func `Rules are listed in the order of their arming, wherever their slots are`() throws {
        let first = try table.arm(rule("a"))
        let second = try table.arm(rule("b"))
        try table.disarm(id: first)
        let third = try table.arm(rule("c"))
        #expect(first < second && second < third)
        #expect(table.rules().map(\.rule.process) == ["b", "c"])
        #expect(table.rules().map(\.id) == [second, third])
    }

    @Test func `The table is armed as long as a rule can fire`() throws {
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

    @Test func `Disarming takes the rules of a process, of an arming, or of both together`() throws {
        let ids = try ["a", "b", "a"].map { try table.arm(rule($0)) }
        #expect(try table.disarm(process: "b", id: ids[0]).isEmpty)
        #expect(try table.disarm(process: "x").isEmpty)
        #expect(table.rules().count == 3)
        #expect(try table.disarm(process: "a", id: ids[0]).map(\.id) == [ids[0]])
        #expect(try table.disarm(process: "a").map(\.id) == [ids[2]])
        #expect(try table.disarm().map(\.rule.process) == ["b"])
    }

    @Test func `A firing on another host counts as pass and firing, up to the limit`() throws {
        let id = try table.arm(rule(limit: 2))
        for expected in 1...3 {
            try table.noteFiring(id: id)
            try table.noteFiring(id: id + 1)
            #expect(table.rules().map(\.passed) == [expected])
            #expect(table.rules().map(\.fired) == [min(expected, 2)])
            #expect(table.isArmed == (expected < 2))
        }
    }

    @Test func `A delay holds the pass at least as long as it says, and fails nothing`() throws {
        try table.arm(rule("main", .delay(.milliseconds(3))))
        let before = MonotonicClock.nanoseconds()
        try table.pass(.stateSave, process: "main")
        #expect(MonotonicClock.nanoseconds() - before >= 3_000_000)
        #expect(table.rules().map(\.fired) == [1])
    }

    @Test func `Of several failures at one pass the first armed is thrown, and all count`() throws {
        for error in ["EIO", "ENOSPC"] { try table.arm(rule("main", .fail(error))) }
        #expect(throws: InjectedFault(point: .stateSave, error: "EIO")) {
            try table.pass(.stateSave, process: "main")
        }
        #expect(table.rules().map(\.fired) == [1, 1])
    }

    @Test func `The errors of a rule are the names of the system, and one of the lab without a number`() {
        #expect(FaultRule.errors == Errno.names + ["unavailable"])
        let unavailable = InjectedFault(point: .stateSave, error: "unavailable")
        #expect(unavailable.errno == nil)
        #expect(unavailable.description == "injected fault at state.save: unavailable")
        for name in Errno.names {
            #expect(InjectedFault(point: .stateSave, error: name).errno == Errno.number(named: name))
        }
    }
}
