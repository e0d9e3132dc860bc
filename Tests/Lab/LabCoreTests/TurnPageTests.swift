// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("Turns of processes", .endsInTime)
struct TurnPageTests {
    private let directory: TemporaryDirectory
    private let table: FaultTable
    private let turns: TurnPage

    init() throws {
        directory = try TemporaryDirectory()
        table = try FaultTable.create(directory.file("faults"))
        turns = table.turns
    }

    /// The table as another process maps it.
    private func other() throws -> FaultTable { try FaultTable.open(directory.file("faults")) }

    /// Starts a thread that passes points as a process, in a mapping of its own, and notes each one afterwards.
    private func passes(_ process: String, _ points: [FaultPoint], _ log: Recorder<String>) throws -> ThreadHandle {
        let table = try other()
        return runOnThread(name: process) {
            for point in points {
                do {
                    try table.pass(point, process: process)
                    log.add("\(process) \(point.rawValue)")
                } catch {
                    log.add("\(process) \(error)")
                }
            }
        }
    }

    /// Waits for an arrival of a process; a later one is not waited out.
    /// - Returns: where it is held, and the number of its arrivals.
    private func arrival(_ number: UInt32, of process: String) -> (place: TurnPage.Place, arrivals: UInt32) {
        while true {
            let seen = turns.changes
            let found = turns.place(of: process)
            if found.arrivals >= number { return found }
            turns.waitForChange(since: seen, timeout: .minutes(1))
        }
    }

    @Test func `A process is held at each point until it is granted the turn`() throws {
        try turns.begin(["main"])
        let log = Recorder<String>()
        let thread = try passes("main", [.stateSave, .stateSaved], log)
        for (number, point) in [FaultPoint.stateSave, .stateSaved].enumerated() {
            let (place, arrivals) = arrival(UInt32(number + 1), of: "main")
            #expect(place == .held(at: point.rawValue) && arrivals == UInt32(number + 1))
            #expect(log.all.count == number, "it has not passed the point")
            turns.grant("main")
            try log.wait(for: "main \(point.rawValue)")
        }
        thread.join()
        let (place, arrivals) = turns.place(of: "main")
        #expect(place == .running && arrivals == 2)
        turns.end()
    }

    @Test func `Two processes pass their points in the order of the grants`() throws {
        try turns.begin(["main", "wallet"])
        let log = Recorder<String>()
        let points: [FaultPoint] = [.statusLockTaken, .stateSave, .stateSaved]
        let threads = try ["main", "wallet"].map { try passes($0, points, log) }
        let order = ["wallet", "main", "main", "wallet", "wallet", "main"]
        var granted: [String: Int] = [:]
        var expected: [String] = []
        for process in order {
            let number = granted[process, default: 0]
            #expect(arrival(UInt32(number + 1), of: process).place == .held(at: points[number].rawValue))
            turns.grant(process)
            granted[process] = number + 1
            expected.append("\(process) \(points[number].rawValue)")
            try log.wait { $0.count == expected.count }
            #expect(log.all == expected)
        }
        threads.forEach { $0.join() }
        turns.end()
    }

    @Test func `A thread arrives at a place with a name of its own, for the process that it names`() throws {
        try turns.begin(["main"])
        let other = try other()
        let thread = runOnThread(name: "branch") { other.turns.arrive(at: "start", process: "main") }
        #expect(arrival(1, of: "main").place == .held(at: "start"))
        turns.grant("main")
        thread.join()
        turns.end()
    }

    @Test func `A turn taken for another process holds the calling thread, and no rule is about it`() throws {
        let other = try other()
        func take(of process: String) -> ThreadHandle {
            runOnThread(name: "server") { other.takeTurn(at: "server.afterCommit", of: process) }
        }
        var isComposed = false
        func composed() -> String {
            isComposed = true
            return "server.afterCommit"
        }
        table.takeTurn(at: composed(), of: "main")
        #expect(!isComposed, "nothing is armed")
        for process in ["main", "server"] {
            try table.arm(FaultRule(point: .serverAfterCommit, process: process, action: .fail("EIO"), limit: 0))
        }
        take(of: "main").join()
        try turns.begin(["main", "wallet"])
        take(of: "widget").join()
        let thread = take(of: "main")
        let (place, arrivals) = arrival(1, of: "main")
        #expect(place == .held(at: "server.afterCommit") && arrivals == 1)
        #expect(turns.place(of: "wallet").place == .running, "the caller's own process is not asked")
        turns.grant("main")
        thread.join()
        turns.end()
        #expect(table.rules().map(\.passed) == [0, 0])
    }

    @Test func `A process that is given no turns is not held`() throws {
        turns.arrive(at: "start", process: "main")
        try turns.begin(["wallet"])
        for process in ["main", "agent", ""] {
            try table.pass(.stateSave, process: process)
            let (place, arrivals) = turns.place(of: process)
            #expect(place == .running && arrivals == 0)
            turns.grant(process)
        }
        #expect(turns.changes == 0)
        turns.end()
        try table.pass(.stateSave, process: "wallet")
        #expect(turns.place(of: "wallet").arrivals == 0)
    }

    @Test func `The end lets all held threads continue, and holds none from then on`() throws {
        try turns.begin(["main", "wallet"])
        let log = Recorder<String>()
        let points: [FaultPoint] = [.stateSave, .stateSaved, .keychainWrite]
        // The second thread of `main` waits for the first one.
        let threads = try ["main", "main", "wallet"].map { try passes($0, points, log) }
        for process in ["main", "wallet"] { #expect(arrival(1, of: process).arrivals == 1) }
        #expect(log.all.isEmpty)
        turns.end()
        threads.forEach { $0.join() }
        #expect(log.all.count == 9)
        for process in ["main", "wallet"] {
            let (place, arrivals) = turns.place(of: process)
            #expect(place == .running && arrivals == 1, "the later points are no arrivals")
        }
        turns.end()
        #expect(!turns.areGiven, "a second end does nothing")
    }

    @Test func `The next scheduler counts arrivals anew`() throws {
        let log = Recorder<String>()
        for _ in 0..<3 {
            try turns.begin(["wallet", "main"])
            #expect(turns.place(of: "main").arrivals == 0)
            let thread = try passes("main", [.stateSave], log)
            #expect(arrival(1, of: "main").place == .held(at: "state.save"))
            turns.end()
            thread.join()
        }
        #expect(log.all.count == 3)
    }

    @Test func `Threads of one process arrive one after the other`() throws {
        try turns.begin(["main"])
        let log = Recorder<String>()
        let threads = try (0..<4).map { _ in try passes("main", [.stateSave], log) }
        for number in 1...4 {
            #expect(arrival(UInt32(number), of: "main").arrivals == UInt32(number))
            #expect(log.all.count == number - 1)
            turns.grant("main")
            try log.wait { $0.count == number }
        }
        threads.forEach { $0.join() }
        turns.end()
    }

    @Test func `Only while turns are given, or a rule is armed, does a pass cost more than a look`() throws {
        let other = try other()
        #expect(!table.isArmed && !other.isArmed)
        try turns.begin(["main"])
        #expect(table.isArmed && other.isArmed)
        try table.arm(FaultRule(point: .stateSave, process: "wallet", action: .fail("EIO")))
        try table.disarm()
        #expect(table.isArmed && other.isArmed, "the change of the rules has left the turns")
        turns.end()
        #expect(!table.isArmed && !other.isArmed)
        try turns.begin(["main"])
        try table.arm(FaultRule(point: .stateSave, process: "wallet", action: .fail("EIO")))
        turns.end()
        #expect(table.isArmed && other.isArmed, "the rule can still fire")
    }

    /// What a turn has read and written.
    private func footprint(reads: SharedThing..., writes: SharedThing...) -> Footprint {
        var footprint = Footprint()
        for thing in reads { footprint.read(thing) }
        for thing in writes { footprint.write(thing) }
        return footprint
    }

    @Test func `What all processes touch is taken once`() throws {
        try turns.begin(["main", "wallet"])
        let other = try other()
        table.touch(.keychain, writing: false, process: "main")
        table.touch(.keychain, writing: false, process: "main")
        other.touch(.memory, writing: true, process: "wallet")
        #expect(turns.takeFootprint() == footprint(reads: .keychain, writes: .memory))
        #expect(turns.takeFootprint() == footprint())
        other.touch(.keychain, writing: true, process: "main")
        #expect(turns.takeFootprint() == footprint(writes: .keychain))
        other.turns.touchEverything(process: "wallet")
        #expect(turns.takeFootprint() == .everything)
        turns.end()
    }

    @Test func `An access is noted for a process that is given turns only, while a scheduler is at work`() throws {
        table.touch(.keychain, writing: true, process: "main")
        turns.touchEverything(process: "main")
        try turns.begin(["main"])
        #expect(turns.takeFootprint() == footprint())
        for process in ["wallet", "server", ""] { table.touch(.keychain, writing: true, process: process) }
        #expect(turns.takeFootprint() == footprint())
        table.touch(.files, writing: true, process: "main")
        turns.end()
        try turns.begin(["main"])
        #expect(turns.takeFootprint() == footprint(), "the next scheduler has seen nothing yet")
        turns.end()
        try table.arm(FaultRule(point: .stateSave, process: "wallet", action: .fail("EIO")))
        table.touch(.files, writing: true, process: "main")
        #expect(turns.takeFootprint() == footprint())
    }

    @Test func `What the server does for a process after one of the server's points is noted for the process`() throws {
        try turns.begin(["main"])
        for (place, expected) in [
            ("server.beforeCommit", footprint(writes: .server)), ("state.save", footprint()), ("start", footprint()),
        ] {
            let number = turns.place(of: "main").arrivals + 1
            let thread = runOnThread(name: "arriver") { [turns] in turns.arrive(at: place, process: "main") }
            #expect(arrival(number, of: "main").place == .held(at: place))
            #expect(turns.takeFootprint() == footprint())
            turns.grant("main")
            thread.join()
            #expect(turns.takeFootprint() == expected, "\(place)")
        }
        turns.end()
    }

    @Test func `Accesses of another process are seen when it arrives`() throws {
        try turns.begin(["main"])
        let other = try other()
        let thread = runOnThread(name: "app") {
            other.touch(.preferences, writing: true, process: "main")
            other.turns.arrive(at: "next", process: "main")
        }
        #expect(arrival(1, of: "main").place == .held(at: "next"))
        #expect(turns.takeFootprint() == footprint(writes: .preferences))
        turns.end()
        thread.join()
    }

    @Test func `A rule takes effect when the process has its turn`() throws {
        try turns.begin(["main"])
        try table.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO")))
        let log = Recorder<String>()
        let thread = try passes("main", [.stateSave], log)
        #expect(arrival(1, of: "main").place == .held(at: "state.save"))
        #expect(table.rules().map(\.passed) == [0])
        turns.grant("main")
        thread.join()
        #expect(log.all == ["main injected fault at state.save: EIO"])
        #expect(table.isArmed, "the rule is spent, and the scheduler at work")
        turns.end()
        #expect(!table.isArmed)
    }

    @Test func `Held threads continue when the process of the scheduler has died`() throws {
        let scheduler = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        try turns.begin(["main"], scheduler: scheduler.pid)
        let log = Recorder<String>()
        let threads = try (0..<2).map { _ in try passes("main", [.stateSave, .stateSaved], log) }
        #expect(arrival(1, of: "main").place == .held(at: "state.save"))
        #expect(log.all.isEmpty)
        try scheduler.signal(SIGKILL)
        #expect(try scheduler.wait() == .signaled(SIGKILL))
        threads.forEach { $0.join() }
        #expect(log.all.count == 4)
        #expect(!table.isArmed)
    }

    @Test func `One scheduler is at work at a time; the next one takes the place of one that has died`() throws {
        let first = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        try turns.begin(["main"], scheduler: first.pid)
        let refusal = InstanceError.turnsTaken(pid: first.pid)
        try #require(throws: refusal) { try other().turns.begin(["wallet"]) }
        #expect("\(refusal)".contains("\(first.pid)"))
        let log = Recorder<String>()
        let held = try passes("main", [.stateSave], log)
        #expect(arrival(1, of: "main").place == .held(at: "state.save"))
        try first.signal(SIGKILL)
        #expect(try first.wait() == .signaled(SIGKILL))
        try turns.begin(["wallet"])
        held.join()
        #expect(throws: InstanceError.turnsTaken(pid: getpid())) { try turns.begin(["wallet"]) }
        let thread = try passes("wallet", [.stateSaved], log)
        #expect(arrival(1, of: "wallet").place == .held(at: "state.saved"))
        #expect(turns.place(of: "main").place == .running)
        turns.end()
        thread.join()
    }

    @Test func `A wait for a change ends with a wake, with its time, and at once after a change`() throws {
        let before = MonotonicClock.nanoseconds()
        turns.waitForChange(since: turns.changes, timeout: .milliseconds(3))
        #expect(MonotonicClock.nanoseconds() - before >= 3_000_000)
        let seen = turns.changes
        let other = try other()
        let waiter = runOnThread(name: "waiter") {
            other.turns.waitForChange(since: seen, timeout: LabDuration(nanoseconds: .max))
        }
        turns.wake()
        waiter.join()
        #expect(turns.changes == seen + 1)
        // Longer than the time limit of the suite.
        turns.waitForChange(since: seen, timeout: .minutes(600))
        turns.waitForChange(since: turns.changes, timeout: .seconds(-1))
    }

    @Test func `What a process has to do and waits for is counted while turns are given, and never below zero`() throws
    {
        let other = try other()
        other.changeWork(of: "phone", by: 1)
        other.changeWaits(of: nil, by: 1)
        #expect(!other.changeCallbacks(of: "main", by: 1))
        for _ in 0..<2 {
            try turns.begin(["main", "phone"])
            let nothing = turns.tasks(of: "main")
            #expect(!nothing.isBusy && nothing.waits == 0 && turns.tasks(of: "phone") == nothing)
            #expect(turns.waitsOfBranches == 0)
            let seen = turns.changes
            other.changeWork(of: "phone", by: 2)
            other.changeWaits(of: "main", by: 1)
            other.changeWaits(of: nil, by: 1)
            #expect(other.changeCallbacks(of: "main", by: 1))
            #expect(turns.changes == seen + 4)
            other.changeWork(of: "wallet", by: 1)
            other.changeWaits(of: "wallet", by: 1)
            #expect(!other.changeCallbacks(of: "wallet", by: 1))
            #expect(turns.changes == seen + 4, "a process without turns")
            #expect(turns.tasks(of: "phone").work == 2 && turns.tasks(of: "phone").isBusy)
            #expect(turns.tasks(of: "main").callbacks == 1 && turns.tasks(of: "main").isBusy)
            #expect(turns.tasks(of: "main").waits == 1 && turns.waitsOfBranches == 1)
            other.changeWork(of: "phone", by: -1)
            #expect(turns.tasks(of: "phone").work == 1)
            other.changeWork(of: "phone", by: -2)
            #expect(turns.tasks(of: "phone") == nothing)
            other.turns.forgetTasks(of: "main")
            #expect(turns.tasks(of: "main") == nothing)
            other.changeWaits(of: nil, by: 1)
            other.changeWork(of: "main", by: 1)
            turns.end()
        }
        try turns.begin(["main"], scheduler: getppid())
        turns.changeWaits(of: nil, by: 1)
        #expect(turns.waitsOfBranches == 0, "another process carries out the branches")
        turns.end()
    }

    /// Waits until a thread of a role is held or queued for `main`.
    private func waitUntilParked(_ role: TurnPage.Role) {
        while true {
            let seen = turns.changes
            if turns.tasks(of: "main").isParked(role) { return }
            turns.waitForChange(since: seen, timeout: .minutes(1))
        }
    }

    @Test func `A process is busy with what it was given unless the thread that handles it is held or queued`() throws {
        try turns.begin(["main"])
        turns.changeWork(of: "main", by: 1)
        #expect(turns.tasks(of: "main").isBusy)
        let connection = runOnThread(name: "connection") { [turns] in
            TurnPage.Role.$current.withValue(.connection) { turns.arrive(at: "link.delivered", process: "main") }
        }
        waitUntilParked(.connection)
        #expect(!turns.tasks(of: "main").isBusy)
        #expect(turns.changeCallbacks(of: "main", by: 1))
        #expect(turns.tasks(of: "main").isBusy)
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: TurnPage.Role.key, value: .callbacks)
        queue.async { [turns] in turns.arrive(at: "state.save", process: "main") }
        waitUntilParked(.callbacks)
        #expect(!turns.tasks(of: "main").isBusy && !turns.tasks(of: "main").isParked(.branch))
        #expect(turns.place(of: "main").place == .held(at: "link.delivered"))
        turns.grant("main")
        connection.join()
        #expect(arrival(2, of: "main").place == .held(at: "state.save"))
        waitUntilParked(.callbacks)
        #expect(turns.tasks(of: "main").isBusy, "the connection continues")
        let branch = runOnThread(name: "branch") { [turns] in turns.arrive(at: "start", process: "main") }
        waitUntilParked(.branch)
        turns.end()
        branch.join()
        queue.sync {}
    }

    @Test(.verifies("size", "TurnPage.slotCount"))
    func `As many processes as there are slots are given turns, and one more is refused`() throws {
        let names = (0...TurnPage.slotCount).map { "app\($0)" }
        for _ in 0..<2 {
            for count in [TurnPage.slotCount - 1, TurnPage.slotCount] {
                try turns.begin(Array(names.prefix(count)))
                let log = Recorder<String>()
                let last = names[count - 1]
                let thread = try passes(last, [.stateSave], log)
                #expect(arrival(1, of: last).place == .held(at: "state.save"))
                turns.end()
                thread.join()
            }
            let refusal = InstanceError.tooManyTurns(processes: names.count, slots: TurnPage.slotCount)
            #expect(throws: refusal) { try turns.begin(names) }
            #expect(!table.isArmed, "nothing has begun")
        }
    }

    @Test func `A name too long for a slot is refused, and the longest allowed one is kept whole`() throws {
        let name = String(repeating: "x", count: FaultSlot.textSize)
        #expect(throws: InstanceError.faultTextTooLong(name, bytes: FaultSlot.textSize - 1)) {
            try turns.begin(["main", name])
        }
        let longest = String(name.dropFirst())
        try turns.begin([longest])
        let thread = runOnThread(name: "arriver") { [turns] in turns.arrive(at: longest, process: longest) }
        #expect(arrival(1, of: longest).place == .held(at: longest))
        turns.end()
        thread.join()
    }

    @Test func `The turns stand behind the rules in the file, as the layout says`() throws {
        try turns.begin(["main", "wallet"])
        let thread = runOnThread(name: "arriver") { [turns] in turns.arrive(at: "start", process: "wallet") }
        // The arrival is written before it is counted.
        turns.waitForChange(since: 0, timeout: .minutes(1))
        #expect(turns.place(of: "wallet").arrivals == 1)
        turns.touch(.memory, writing: false, process: "wallet")
        turns.touch(.server, writing: true, process: "wallet")
        turns.changeWork(of: "wallet", by: 7)
        turns.changeWaits(of: "wallet", by: 8)
        #expect(turns.changeCallbacks(of: "wallet", by: 9))
        turns.changeWaits(of: nil, by: 6)
        let bytes = [UInt8](try Files.read(directory.file("faults")))
        func word(_ offset: Int) -> Int {
            bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func text(_ offset: Int) -> String {
            String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
        }
        let begin = 256 + 64 * 512
        #expect(bytes.count == begin + 64 + 16 * 256)
        #expect(word(4) == 5 && word(8) == 1, "the version, and what a pass must look at")
        #expect([0, 4, 8, 12, 16].map { word(begin + $0) } == [1, Int(getpid()), 5, 2, 6])
        let slots = [begin + 64, begin + 64 + 256]
        #expect(slots.map { [word($0), word($0 + 4)] } == [[0, 0], [1, 0]])
        #expect(slots.map { [word($0 + 8), word($0 + 12)] } == [[0, 0], [2, 128]], "what was touched")
        #expect(slots.map { text($0 + 16) } == ["main", "wallet"])
        #expect(text(slots[1] + 16 + 112) == "start")
        #expect(
            slots.map { slot in [240, 244, 248, 252].map { word(slot + $0) } } == [[0, 0, 0, 0], [7, 8, 9, 4]],
            "what is to do, waits, callbacks, and the role of the held thread")
        turns.end()
        thread.join()
    }
}
