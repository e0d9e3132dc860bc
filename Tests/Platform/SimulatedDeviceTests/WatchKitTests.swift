// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SimulatedDevice
import TestSupport
import Testing
import WatchKit

/// A delegate that keeps what it was given.
private final class KeepingDelegate: NSObject, Sendable {
    let given = Recorder<WKRefreshBackgroundTask>()
}

extension KeepingDelegate: WKApplicationDelegate {
    func handle(_ backgroundTasks: Set<WKRefreshBackgroundTask>) {
        for task in backgroundTasks { given.add(task) }
    }
}

/// Delegates without functions of their own.
private final class PlainDelegate: NSObject {}

extension PlainDelegate: WKApplicationDelegate {}

private final class PlainExtensionDelegate: NSObject {}

extension PlainExtensionDelegate: WKExtensionDelegate {}

/// The system's side of background tasks, played by a test.
private final class FakeTaskSystem: Sendable {
    let service = BackgroundTaskService()
    let requests = Recorder<BackgroundTaskRequest>()

    /// - Parameter refusal: the answer to each request for a task.
    init(refusal: String? = nil) {
        service.connect { [self] id, request in
            requests.add(request)
            if case .schedule = request { service.take(BackgroundTaskAnswer(refusal: refusal), to: id) }
        }
    }

    /// What an app on a watch with this system gets.
    func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox.temporary(kind: .watchApp)
        sandbox.connect(backgroundTasks: service)
        return sandbox
    }

    /// Gives the app a task.
    func start(_ kind: BackgroundTaskKind, userInfo: Data? = nil) -> BackgroundTask {
        let task = BackgroundTask(kind: kind, userInfo: userInfo)
        service.take(.started(task))
        return task
    }

    /// The identifiers of completed tasks, once there are some.
    func completed() async throws -> [UUID] {
        try await onThread { [self] in
            try requests.wait { !$0.isEmpty }
            return requests.all.compactMap { if case .completed(let id) = $0 { id } else { nil } }
        }
    }
}

/// The shim of Apple's framework (watch.md, section 9.9).
@Suite("The WatchKit shim", .endsInTime)
struct WatchKitTests {
    private func given(_ count: Int, to delegate: KeepingDelegate) async throws -> [WKRefreshBackgroundTask] {
        try await onThread {
            try delegate.given.wait { $0.count >= count }
            return delegate.given.all
        }
    }

    @Test func `A request has the date and the user info of the app, and fails with the refusal of the system`()
        async throws
    {
        for refusal in [nil, "not allowed"] as [String?] {
            let system = FakeTaskSystem(refusal: refusal)
            let app = WKApplication(sandbox: try system.sandbox())
            let date = Date(timeIntervalSince1970: 1.5)
            let error = await failure { completion in
                app.scheduleBackgroundRefresh(
                    withPreferredDate: date, userInfo: NSDictionary(dictionary: ["name": "walk", "steps": 7]),
                    scheduledCompletion: completion)
            }
            #expect(error?.localizedDescription == refusal)
            guard case .schedule(1_500, let archive?)? = system.requests.all.first else {
                Issue.record("the request was \(system.requests.all)")
                return
            }
            let delegate = KeepingDelegate()
            app.delegate = delegate
            _ = system.start(.applicationRefresh, userInfo: archive)
            let task = try #require(try await given(1, to: delegate).first)
            #expect(task.userInfo as? NSDictionary == NSDictionary(dictionary: ["name": "walk", "steps": 7]))
            withExtendedLifetime(app) {}
        }
    }

    @Test func `A date that the lab's clock cannot show becomes its first or last one`() async throws {
        let system = FakeTaskSystem()
        let app = WKExtension(sandbox: try system.sandbox())
        for date in [Date.distantPast, .distantFuture] {
            try await app.scheduleBackgroundRefresh(withPreferredDate: date, userInfo: nil)
        }
        #expect(
            system.requests.all == [
                .schedule(date: 0, userInfo: nil), .schedule(date: 9_000_000_000_000, userInfo: nil),
            ])
    }

    @Test func `A request with too much user info, and one of a process on no device, fail`() async throws {
        let system = FakeTaskSystem()
        let text = String(repeating: "x", count: WatchContent.messageLimit)
        await #expect(throws: (any Error).self) {
            try await WKApplication(sandbox: system.sandbox()).scheduleBackgroundRefresh(
                withPreferredDate: Date(), userInfo: NSDictionary(dictionary: ["text": text]))
        }
        #expect(system.requests.all.isEmpty)
        let app = WKApplication(sandbox: try Sandbox.temporary(kind: .watchApp))
        let error = await failure { completion in
            app.scheduleBackgroundRefresh(
                withPreferredDate: Date(), userInfo: nil, scheduledCompletion: completion)
        }
        #expect(error?.localizedDescription == "The process is on no device.")
    }

    @Test(arguments: BackgroundTaskKind.allCases)
    func `A task reaches the delegate with its type, and its end the system once`(
        kind: BackgroundTaskKind
    ) async throws {
        let system = FakeTaskSystem()
        let delegate = KeepingDelegate()
        let app = WKApplication(sandbox: try system.sandbox())
        app.delegate = delegate
        let started = system.start(kind)
        let task = try #require(try await given(1, to: delegate).first)
        #expect((task is WKWatchConnectivityRefreshBackgroundTask) == (kind == .watchConnectivity))
        #expect((task is WKApplicationRefreshBackgroundTask) == (kind == .applicationRefresh))
        #expect(task.userInfo == nil && !task.isCompleted && system.requests.all.isEmpty)
        for _ in 1...2 { task.setTaskCompletedWithSnapshot(false) }
        #expect(task.isCompleted && system.requests.all == [.completed(id: started.id)])
        withExtendedLifetime(app) {}
    }

    @Test func `A task that no function of the app handles is completed at once`() async throws {
        for delegates in 0...3 {
            let system = FakeTaskSystem()
            let sandbox = try system.sandbox()
            let (plain, older) = (PlainDelegate(), PlainExtensionDelegate())
            // Without any of these types in use the service itself completes the task.
            var apps: [NSObject] = []
            if delegates == 1 { apps = [WKApplication(sandbox: sandbox)] }
            if delegates == 2 {
                let app = WKApplication(sandbox: sandbox)
                app.delegate = plain
                apps = [app]
            }
            if delegates == 3 {
                let app = WKExtension(sandbox: sandbox)
                app.delegate = older
                apps = [app]
            }
            let task = system.start(.applicationRefresh)
            #expect(try await system.completed() == [task.id], "\(delegates)")
            withExtendedLifetime((apps, plain, older)) {}
        }
    }

    @Test func `The app is warned about a task that it has not completed`() async throws {
        let system = FakeTaskSystem()
        let app = WKApplication(sandbox: try system.sandbox())
        let delegate = KeepingDelegate()
        app.delegate = delegate
        let tasks = [system.start(.applicationRefresh), system.start(.watchConnectivity)]
        let given = try await given(2, to: delegate)
        let warned = Recorder<UUID>()
        for task in given { task.expirationHandler = { warned.add(task.id) } }
        for id in [tasks[1].id, UUID()] { system.service.take(.isExpiring(id: id)) }
        try await onThread { try warned.wait { !$0.isEmpty } }
        for task in given { task.setTaskCompletedWithSnapshot(false) }
        for task in tasks { system.service.take(.isExpiring(id: task.id)) }
        await mainQueueIsIdle()
        #expect(warned.all == [tasks[1].id])
        withExtendedLifetime(app) {}
    }
}
