// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// How a watch app gets time in the background, and how that ends (watch.md, section 9.9).
@Suite("Background tasks of a watch app", .endsInTime)
struct BackgroundTaskTests {
    private func watch(
        _ place: AppPlace, isAllowed: Bool = true, overrun: AllowBackgroundRefresh.Overrun = .end
    ) throws -> (UnservedAgent, AppHost) {
        let watch = try UnservedAgent("watch")
        try watch.agent.backgroundTasks.change { record in
            record["companion"].isAllowed = isAllowed
            record["companion"].overrun = overrun
        }
        return (watch, try watch.bring("companion", to: place))
    }

    private func ask(_ request: BackgroundTaskRequest, by host: AppHost, on watch: UnservedAgent) {
        watch.agent.receiveBackgroundTaskRequest(
            WatchFrame(.backgroundTaskRequest, messageId: UUID(), body: WatchFrame.body(request)), from: host)
    }

    /// The app asks for a refresh.
    private func schedule(after seconds: Int64, userInfo: Data? = nil, by host: AppHost, on watch: UnservedAgent) {
        let date = watch.agent.deviceClock.currentTimeMillis + seconds * 1_000
        ask(.schedule(date: date, userInfo: userInfo), by: host, on: watch)
    }

    private func pass(_ time: LabDuration, on watch: UnservedAgent) throws {
        if time > .zero { try watch.device.clock.advance(by: time) }
        try watch.agent.followTimeOfBackgroundTasks()
    }

    /// What happened to tasks, oldest first.
    private func events(_ watch: UnservedAgent) throws -> [String] {
        try watch.traced(.watchTaskStarted, .watchTaskCompleted, .watchTaskExpired, .watchTaskLost).map {
            "\($0.name.rawValue.dropFirst("watch.task".count)) \($0.fields["kind"]?.stringValue ?? "")"
        }
    }

    private func kinds(_ tasks: [BackgroundTask]) -> [BackgroundTaskKind] { tasks.map(\.kind) }

    /// A guaranteed message for the app is in the inbox of the watch.
    private func receiveContent(_ position: Int64 = 1, on watch: UnservedAgent) {
        let entries = (1...position).map {
            Inbox.Entry(position: $0, transferId: UUID(), app: "companion", body: Data(), wasOffered: false)
        }
        watch.agent.links[0].link.inbox = Inbox(epoch: 1, received: UInt64(position), entries: entries)
    }

    // MARK: Scheduled tasks

    @Test(arguments: AppPlace.allCases)
    func `A scheduled task is handed over when it is due and its app can take it, and launches or wakes the app`(
        place: AppPlace
    ) throws {
        let (watch, host) = try watch(place)
        schedule(after: 900, userInfo: Data([7]), by: host, on: watch)
        try pass(.seconds(899), on: watch)
        #expect(try host.backgroundTasks.open.isEmpty && host.backgroundTasks.waiting.isEmpty && events(watch) == [])
        try pass(.seconds(1), on: watch)
        let isLater = place == .starting || place == .fallingAsleep
        if isLater {
            #expect(host.backgroundTasks.open.isEmpty && kinds(host.backgroundTasks.waiting) == [.applicationRefresh])
            #expect(watch.agent.backgroundTasks.record["companion"].scheduled != nil, "an agent that dies knows it")
            try watch.agent.followTimeOfBackgroundTasks()
            #expect(host.backgroundTasks.waiting.count == 1)
            let input: AppProcess.Input = place == .starting ? .ready : .stopped(holding: .none)
            try watch.agent.perform(host.process.handle(input), for: host)
        }
        #expect(watch.agent.backgroundTasks.record["companion"].scheduled == nil)
        #expect(host.backgroundTasks.waiting.isEmpty)
        // A process cannot be started here, so the task for which it is launched is lost.
        guard place != .ended else {
            #expect(try host.backgroundTasks.open.isEmpty && events(watch) == ["Lost applicationRefresh"])
            return
        }
        #expect(try events(watch) == ["Started applicationRefresh"])
        let open = try #require(host.backgroundTasks.open.first)
        #expect(open.task.userInfo == Data([7]) && host.backgroundTasks.open.count == 1)
        #expect(host.process.phase == .running(pid: 42))
        let isLimited = !host.process.isForeground
        #expect(open.end == (isLimited ? watch.device.clock.now() + .seconds(15) : nil))
        #expect(isLimited == (place != .foreground && place != .starting))
    }

    @Test func `A later request takes the place of an earlier one, and stays when a task of before is handed over`()
        throws
    {
        let (watch, host) = try watch(.starting)
        func scheduled() -> LabTime? { watch.agent.backgroundTasks.record["companion"].scheduled?.date }
        let now = LabTime(milliseconds: watch.device.clock.now().milliseconds)
        schedule(after: 60, by: host, on: watch)
        schedule(after: 30, by: host, on: watch)
        #expect(scheduled() == now + .seconds(30))
        try pass(.seconds(30), on: watch)
        #expect(host.backgroundTasks.waiting.count == 1)
        schedule(after: 60, by: host, on: watch)
        try watch.agent.perform(host.process.handle(.ready), for: host)
        #expect(host.backgroundTasks.open.count == 1 && scheduled() == now + .seconds(90))
    }

    @Test
    func `The date of a request is one of the device's clock, and none is beyond those of the lab's clock`() throws {
        let (watch, host) = try watch(.background)
        func scheduled() -> Int64? { watch.agent.backgroundTasks.record["companion"].scheduled?.date.milliseconds }
        let now = watch.device.clock.now().milliseconds
        watch.agent.deviceClock.setSkew(milliseconds: 5_000)
        ask(.schedule(date: now + 60_000, userInfo: nil), by: host, on: watch)
        #expect(scheduled() == now + 55_000)
        watch.agent.deviceClock.setSkew(milliseconds: -5_000)
        for (date, expected) in [(Int64.min, 5_000), (.max, 9_000_000_000_000)] as [(Int64, Int64)] {
            ask(.schedule(date: date, userInfo: nil), by: host, on: watch)
            #expect(scheduled() == expected)
        }
    }

    @Test
    func `An app that the user does not allow background tasks gets none, and loses what it has asked for`() throws {
        let (watch, host) = try watch(.suspended, isAllowed: false)
        func record() -> BackgroundTaskRecord.App { watch.agent.backgroundTasks.record["companion"] }
        schedule(after: 60, by: host, on: watch)
        #expect(record().scheduled == nil)
        receiveContent(on: watch)
        try watch.agent.giveTaskForContent(to: host)
        #expect(try host.process.phase == .suspended(pid: 42) && events(watch) == [])
        let allowed = try watch.perform(AllowBackgroundRefresh.self, of: "companion", ["overrun": "suspend"])
        #expect(allowed?.error == nil && record().isAllowed && record().overrun == .suspend)
        #expect(try events(watch) == ["Started watchConnectivity"], "its content has waited")
        schedule(after: 60, by: host, on: watch)
        #expect(record().scheduled != nil)
        let refused = try watch.perform(AllowBackgroundRefresh.self, of: "companion", ["isAllowed": false])
        #expect(refused?.error == nil && record() == BackgroundTaskRecord.App())
        try pass(.seconds(60), on: watch)
        #expect(try events(watch).filter { $0.hasSuffix("applicationRefresh") } == [])
        let phone = try UnservedAgent()
        for command in [AllowBackgroundRefresh.self, BackgroundTasks.self] as [any Command.Type] {
            #expect(try phone.perform(command, of: "main")?.error?.name == "wrongState")
        }
    }

    // MARK: Time

    @Test
    func `An app that does not complete a task within fifteen seconds is ended or suspended, after a warning`() throws {
        for overrun in AllowBackgroundRefresh.Overrun.allCases {
            let (watch, host) = try watch(.suspended, overrun: overrun)
            schedule(after: 0, by: host, on: watch)
            try pass(.zero, on: watch)
            func isWarned() -> Bool? { host.backgroundTasks.open.first?.isWarned }
            try pass(.milliseconds(12_999), on: watch)
            #expect(isWarned() == false)
            try pass(.milliseconds(1), on: watch)
            #expect(isWarned() == true)
            try pass(.milliseconds(1_999), on: watch)
            #expect(try host.backgroundTasks.open.count == 1 && events(watch) == ["Started applicationRefresh"])
            try pass(.milliseconds(1), on: watch)
            #expect(host.backgroundTasks.open.isEmpty)
            #expect(try events(watch) == ["Started applicationRefresh", "Expired applicationRefresh"])
            #expect(host.termination == (overrun == .end ? .backgroundTime : nil))
            #expect(host.process.isSuspended == (overrun == .suspend))
        }
    }

    @Test func `Time counts while an app runs in the background, for each task from its beginning`() throws {
        let (watch, host) = try watch(.suspended)
        schedule(after: 0, by: host, on: watch)
        try pass(.zero, on: watch)
        func ends() -> [LabTime?] { host.backgroundTasks.open.map(\.end) }
        let begin = watch.device.clock.now()
        try pass(.seconds(10), on: watch)
        schedule(after: 0, by: host, on: watch)
        try pass(.zero, on: watch)
        #expect(ends() == [begin + .seconds(15), begin + .seconds(25)])
        _ = try watch.perform(Suspend.self, of: "companion")
        try watch.agent.perform(host.process.handle(.stopped(holding: .none)), for: host)
        #expect(ends() == [nil, nil])
        try pass(.seconds(60), on: watch)
        #expect(host.backgroundTasks.open.count == 2 && host.termination == nil)
        try watch.agent.perform(host.process.handle(.wake), for: host)
        let again = watch.device.clock.now() + .seconds(15)
        #expect(ends() == [again, again])
        _ = try watch.perform(Resume.self, of: "companion")
        #expect(ends() == [nil, nil])
    }

    @Test func `The app is suspended when it has completed its last task, unless the user looks at it`() throws {
        for place in [AppPlace.suspended, .foreground] {
            let (watch, host) = try watch(place)
            for _ in 1...2 {
                schedule(after: 0, by: host, on: watch)
                try pass(.zero, on: watch)
            }
            let ids = host.backgroundTasks.open.map(\.task.id)
            try #require(ids.count == 2)
            ask(.completed(id: UUID()), by: host, on: watch)
            ask(.completed(id: ids[1]), by: host, on: watch)
            ask(.completed(id: ids[1]), by: host, on: watch)
            #expect(host.backgroundTasks.open.map(\.task.id) == [ids[0]] && !host.process.isSuspended)
            ask(.completed(id: ids[0]), by: host, on: watch)
            #expect(host.backgroundTasks.open.isEmpty && host.process.isSuspended == (place == .suspended))
            #expect(try events(watch).filter { $0.hasPrefix("Completed") }.count == 2)
        }
    }

    @Test
    func `With its process an app loses its open tasks; those that wait stay for a process that is restarted`() throws {
        for isRestarting in [false, true] {
            let (watch, host) = try watch(.background)
            schedule(after: 0, by: host, on: watch)
            try pass(.zero, on: watch)
            host.backgroundTasks.waiting = [BackgroundTask(kind: .watchConnectivity)]
            host.backgroundTasks.isContentAnnounced = true
            try watch.agent.backgroundTasksLoseProcess(of: host, isRestarting: isRestarting)
            #expect(host.backgroundTasks.open.isEmpty && !host.backgroundTasks.isContentAnnounced)
            #expect(host.backgroundTasks.waiting.count == (isRestarting ? 1 : 0))
            let lost = ["Lost applicationRefresh"] + (isRestarting ? [] : ["Lost watchConnectivity"])
            #expect(try events(watch) == ["Started applicationRefresh"] + lost)
        }
    }

    @Test func `What the user has ended is not launched for a task, and gets it when the user launches it`() throws {
        let (watch, host) = try watch(.ended)
        _ = try watch.perform(ForceQuit.self, of: "companion")
        schedule(after: 60, by: host, on: watch)
        try pass(.seconds(60), on: watch)
        #expect(try events(watch) == [] && host.backgroundTasks.waiting.count == 1)
        _ = try watch.bring("companion", to: .starting)
        try watch.agent.perform(host.process.handle(.ready), for: host)
        #expect(try events(watch) == ["Started applicationRefresh"])
        #expect(host.backgroundTasks.open.map(\.end) == [nil] && !host.notifications.isForceQuit)
    }

    // MARK: Content

    @Test(arguments: AppPlace.allCases)
    func `Content gives an app one task until it is completed; in the foreground an app needs none`(
        place: AppPlace
    ) throws {
        let (watch, host) = try watch(place)
        try watch.agent.giveTaskForContent(to: host)
        #expect(try events(watch) == [] && host.backgroundTasks.waiting.isEmpty)
        for position in [1, 2] as [Int64] {
            receiveContent(position, on: watch)
            try watch.agent.giveTaskForContent(to: host)
        }
        let isGiven = place == .background || place == .suspended
        #expect(kinds(host.backgroundTasks.open.map(\.task)) == (isGiven ? [.watchConnectivity] : []))
        #expect(host.backgroundTasks.isContentAnnounced == isGiven)
        let isWaiting = place == .starting || place == .fallingAsleep
        #expect(kinds(host.backgroundTasks.waiting) == (isWaiting ? [.watchConnectivity] : []))
        if place == .starting {
            try watch.agent.perform(host.process.handle(.ready), for: host)
            #expect(host.backgroundTasks.waiting.isEmpty && host.backgroundTasks.open.isEmpty, "the user looks at it")
        }
        guard isGiven else { return }
        try watch.agent.followContent()
        #expect(host.backgroundTasks.isContentAnnounced)
        watch.agent.links[0].link.inbox = Inbox(epoch: 1, received: 2)
        try watch.agent.followContent()
        #expect(!host.backgroundTasks.isContentAnnounced && host.backgroundTasks.open.count == 1)
    }

    @Test func `A transfer and a context wake their app when they are stored, once`() throws {
        let changes: [(LinkChange, isContent: Bool)] = [
            (
                .received(
                    Inbox.Entry(position: 1, transferId: UUID(), app: "companion", body: Data(), wasOffered: false),
                    sequence: 1), true
            ),
            (.received(nil, sequence: 1), false),
            (.contextReceived(app: "companion", version: 1, body: Data([1]), isTold: false), true),
            (.contextReceived(app: "companion", version: 1, body: Data([1]), isTold: true), false),
        ]
        for (change, isContent) in changes {
            let (watch, host) = try watch(.suspended)
            let link = watch.agent.links[0]
            receiveContent(on: watch)
            link.effects = [.store(change)]
            _ = try link.settled()
            try watch.agent.followContent()
            #expect(try events(watch) == (isContent ? ["Started watchConnectivity"] : []))
            #expect(host.process.isSuspended == !isContent && link.takeArrivals().isEmpty)
        }
    }

    @Test func `A context waits until the delegate of its app has it`() throws {
        let received = ContextExchange.Context(version: 1, body: Data([1]), isDone: false)
        var contexts = ContextExchange(received: ["companion": received])
        #expect(contexts.isWaiting(for: "companion") && !contexts.isWaiting(for: "other"))
        guard case .toApp(_, let frame)? = contexts.tell("companion").first else {
            Issue.record("the context is not delivered")
            return
        }
        #expect(contexts.isWaiting(for: "companion"))
        _ = contexts.told(frame.messageId, by: "companion")
        #expect(!contexts.isWaiting(for: "companion"))
    }

    // MARK: The device

    @Test func `What is scheduled and allowed is on the disk, until the app is removed`() throws {
        let (watch, host) = try watch(.background)
        schedule(after: 60, by: host, on: watch)
        let kept = try BackgroundTaskStore(layout: watch.agent.layout, device: "watch").record["companion"]
        #expect(kept.isAllowed && kept == watch.agent.backgroundTasks.record["companion"])
        #expect(kept.scheduled?.task.kind == .applicationRefresh)
        host.backgroundTasks.waiting = [BackgroundTask(kind: .watchConnectivity)]
        try watch.agent.forgetBackgroundTasks(of: ["companion"])
        #expect(try events(watch) == ["Lost watchConnectivity"] && host.backgroundTasks.waiting.isEmpty)
        #expect(try BackgroundTaskStore(layout: watch.agent.layout, device: "watch").record == BackgroundTaskRecord())
    }

    @Test func `A device that starts gives its apps what became due, and tasks for content that waits`() throws {
        let (watch, host) = try watch(.suspended)
        schedule(after: 60, by: host, on: watch)
        try watch.device.clock.advance(by: .seconds(90))
        receiveContent(on: watch)
        try watch.agent.resumeBackgroundTasks()
        #expect(try events(watch) == ["Started watchConnectivity", "Started applicationRefresh"])
        let (other, ended) = try self.watch(.ended)
        ended.backgroundTasks.waiting = [BackgroundTask(kind: .watchConnectivity)]
        try other.agent.resumeBackgroundTasks()
        #expect(try events(other) == ["Lost watchConnectivity"], "the app was launched for it")
    }

    @Test func `The tasks of an app can be looked at, with the time that is left`() throws {
        let (watch, host) = try watch(.suspended)
        func seen() throws -> JSONValue? { try watch.perform(BackgroundTasks.self, of: "companion")?.result }
        #expect(try seen() == ["isAllowed": true, "open": []])
        schedule(after: 0, by: host, on: watch)
        try pass(.zero, on: watch)
        try pass(.seconds(5), on: watch)
        schedule(after: 3_600, by: host, on: watch)
        let looked = try #require(try seen())
        let id = try #require(host.backgroundTasks.open.first?.task.id.uuidString)
        #expect(looked["open"] == [["id": .string(id), "kind": "applicationRefresh", "timeLeft": 10_000]])
        // The request names a whole millisecond.
        let left = try #require(looked["scheduledIn"]?.integerValue)
        #expect((3_599_999...3_600_000).contains(left))
    }
}
