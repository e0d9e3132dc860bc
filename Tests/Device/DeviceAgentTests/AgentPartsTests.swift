// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Glibc
import LabControl
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import DeviceAgent

/// Small parts of the agent by themselves.
@Suite("Parts of the agent", .endsInTime)
struct AgentPartsTests {
    @Test func `The numbers of the link are those of the specification`() {
        #expect(Heartbeat.interval == 500_000_000 && Heartbeat.patience == 3)
        #expect(LiveMessages.deliveryTimeout == 10_000_000_000 && LiveMessages.replyTimeout == 30_000_000_000)
        #expect(ComplicationBudget.perDay == 50 && ComplicationBudget.day == 86_400_000_000_000)
        #expect(Outbox.window == 16 && Inbox.memory == 64 && WatchLink.firstPairing == 1)
        #expect(ContextExchange.greatestVersion == 9_223_372_036_854_775_806)
        #expect(RefusalTally.limit == 16 && RefusalTally.period == 1_000_000_000)
        #expect(AppNotifications.workLimit == .seconds(30))
        let codes = [
            LinkCode.generic, LinkCode.sessionNotActivated, LinkCode.deviceNotPaired, LinkCode.watchAppNotInstalled,
            LinkCode.notReachable, LinkCode.payloadTooLarge, LinkCode.payloadUnsupportedTypes,
            LinkCode.messageReplyFailed, LinkCode.messageReplyTimedOut, LinkCode.fileAccessDenied,
            LinkCode.deliveryFailed, LinkCode.insufficientSpace, LinkCode.sessionInactive,
            LinkCode.transferTimedOut, LinkCode.companionAppNotInstalled,
        ]
        #expect(codes == [7001] + Array(7004...7007) + Array(7009...7018))
    }

    @Test
    func `A timeout is over when the lab's time and some real time have passed; each is waited for in its turn`() {
        let (early, late) = (LabTime(nanoseconds: 99), LabTime(nanoseconds: 100))
        let before = MonotonicClock.nanoseconds()
        let wait = LinkWait(until: 100, patience: .zero)
        #expect(wait.earliest >= before && wait.earliest <= MonotonicClock.nanoseconds())
        #expect(!wait.isOver(at: early) && wait.isOver(at: late))
        #expect(wait.alarm(at: early) == 100 && wait.alarm(at: late) == nil)
        #expect(wait.deadline(at: early) == nil && wait.deadline(at: late) == wait.earliest)
        let patient = LinkWait(until: 100, patience: .seconds(100_000))
        #expect(!patient.isOver(at: late) && patient.earliest >= before + 100_000_000_000_000)
    }

    @Test
    func
        `A process that holds a lock of the system runs for a moment and is stopped once; another one is only looked at`()
        throws
    {
        var checks = SuspensionChecks()
        var stopped: [String] = []
        func isBetween(_ value: UInt64, _ before: UInt64, pause: UInt64) -> Bool {
            value >= before + pause && value <= MonotonicClock.nanoseconds() + pause
        }
        #expect(checks.nextDue == nil)
        // This process runs, so it is looked at again and again.
        checks.add("main", pid: getpid())
        #expect(checks.nextDue == 0)
        var before = MonotonicClock.nanoseconds()
        let first = try checks.due { stopped.append($0) }
        #expect(first.isEmpty && stopped.isEmpty)
        let lookAgain = try #require(checks.nextDue)
        #expect(isBetween(lookAgain, before, pause: 500_000))
        before = MonotonicClock.nanoseconds()
        checks.addAfterPause("main", pid: getpid())
        let due = try #require(checks.nextDue)
        #expect(isBetween(due, before, pause: 1_000_000))
        while MonotonicClock.nanoseconds() < due {}
        let second = try checks.due { stopped.append($0) }
        #expect(second.isEmpty && stopped == ["main"])
        let again = try #require(checks.nextDue)
        while MonotonicClock.nanoseconds() < again {}
        _ = try checks.due { stopped.append($0) }
        #expect(stopped == ["main"])
        checks.add("wallet", pid: getpid())
        #expect(checks.nextDue == 0)
        checks.remove("wallet")
        #expect(try #require(checks.nextDue) > 0)
        checks.remove("main")
        #expect(checks.nextDue == nil)
    }

    @Test func `Each request has a number of its own, and is answered once`() {
        let answers = Mutex<[String]>([])
        var requests = PendingRequests()
        let numbers = ["a", "b"].map { name in
            requests.add { answer in answers.withLock { $0.append("\(name) \(answer == .done)") } }
        }
        #expect(numbers == [1, 2])
        requests.answer(3, .done)
        requests.answer(2, .done)
        requests.answer(2, .done)
        requests.answer(1, .refused(name: .notRunning, message: "m"))
        #expect(answers.withLock { $0 } == ["b true", "a false"])
    }

    @Test func `Messages of other threads are taken in their order, each once`() throws {
        let mailbox = try AgentMailbox()
        func taken() -> [String] { mailbox.takeAll().map { "\($0)" } }
        #expect(taken().isEmpty)
        for message in [AgentMessage.labAlarm, .signal(15), .timeLimit, .leaseLost] { mailbox.post(message) }
        #expect(try Polling.waitReadable([mailbox.rawDescriptor], timeoutNanoseconds: 0) == [true])
        #expect(taken() == ["labAlarm", "signal(15)", "timeLimit", "leaseLost"])
        #expect(taken().isEmpty)
        #expect(try Polling.waitReadable([mailbox.rawDescriptor], timeoutNanoseconds: 0) == [false])
    }

    @Test func `Ends of transfers wait for their apps in order, until one reports its own or is removed`() {
        let ids = (0..<4).map { _ in UUID() }
        func end(_ number: Int, _ app: String, code: Int? = nil) -> FinishedTransfer {
            FinishedTransfer(transferId: ids[number], app: app, content: .userInfo(Data()), code: code)
        }
        var ended = EndedTransfers([end(0, "a"), end(1, "b")])
        ended.add(end(2, "a", code: 7014))
        #expect(ended.count == 3 && ended.waiting().map(\.transferId) == Array(ids.prefix(3)))
        #expect(ended.waiting(for: "a") == [end(0, "a"), end(2, "a", code: 7014)])
        let foreign = [ended.told(ids[0], by: "b"), ended.told(ids[3], by: "a")]
        #expect(foreign == [false, false] && ended.count == 3)
        let own = [ended.told(ids[0], by: "a"), ended.told(ids[0], by: "a")]
        #expect(own == [true, false] && ended.waiting().map(\.transferId) == [ids[1], ids[2]])
        ended.forget("b")
        #expect(ended.waiting() == [end(2, "a", code: 7014)])
        let frame = end(2, "a", code: 7014).frame
        #expect(frame == WatchFrame(.transferDone, flags: .propertyList, messageId: ids[2], sequence: 7014, app: "a"))
        #expect(end(1, "b").frame.sequence == 0)
    }

    @Test func `Each error of the storage has the name of the system's, and one of two codes`() {
        let rows: [(any Error, String, Int)] = [
            (DeviceDisk.Refusal.full, "ENOSPC", 7015), (DeviceDisk.Refusal.readOnly, "EROFS", 7013),
            (DatabaseError(resultCode: .SQLITE_FULL), "ENOSPC", 7015),
            (DatabaseError(resultCode: .SQLITE_READONLY), "EROFS", 7013),
            (DatabaseError(resultCode: .SQLITE_BUSY), "EIO", 7013),
            (SystemError(call: "write", errno: EDQUOT), "EDQUOT", 7015),
            (SystemError(call: "write", errno: EACCES), "EACCES", 7013),
            (InjectedFault(point: .linkStore, error: "ENOSPC"), "ENOSPC", 7015), (CancellationError(), "EIO", 7013),
        ]
        for (error, name, code) in rows {
            #expect(StorageFailure(error).name == name && StorageFailure(error).code == code, "\(error)")
        }
    }

    @Test func `A report of refused frames names the last cause, and how many it stands for if there are several`() {
        #expect(RefusalTally.Report(cause: "c").fields == ["cause": "c"])
        #expect(RefusalTally.Report(cause: "c", count: 3).fields == ["cause": "c", "count": 3])
    }

    @Test func `Content to be queued is measured for the room that it takes, and nothing else is`() {
        let body = Data(count: 7)
        func frame(_ kind: WatchFrame.Kind) -> WatchFrame { WatchFrame(kind, body: body) }
        for kind in (0...UInt8.max).compactMap(WatchFrame.Kind.init(rawValue:)) {
            let fromApp = WatchLink.Input.fromApp("main", frame(kind)).contentSize
            #expect(fromApp == ([.userInfo, .context].contains(kind) ? 7 : nil), "\(kind)")
            let fromPeer = WatchLink.Input.fromPeer(frame(kind)).contentSize
            #expect(fromPeer == ([.userInfo, .filePart, .context].contains(kind) ? 7 : nil), "\(kind)")
        }
        let file = WatchLink.Input.file("main", UUID(), WatchFile(path: "/a", size: 7), body)
        #expect(file.contentSize == 7 && WatchLink.Input.seek.contentSize == nil)
    }
}
