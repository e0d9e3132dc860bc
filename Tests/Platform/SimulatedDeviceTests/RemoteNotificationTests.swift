// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import SimulatedDevice
import TestSupport
import Testing

@Suite("Remote notifications of an app", .endsInTime)
struct RemoteNotificationTests {
    private func app(_ system: FakeNotificationSystem?) throws -> ShimmedRemoteNotifications {
        let sandbox = try Sandbox.temporary()
        if let system { sandbox.connect(notifications: system.service) }
        return ShimmedRemoteNotifications(sandbox)
    }

    @Test func `The delegate gets the device token, or the error`() async throws {
        let token = Data(repeating: 7, count: 32)
        let answers: [(NotificationAnswer, ShimmedRemoteNotifications.News)] = [
            (.token(token), .token(token)), (.refused("offline"), .failure("offline")),
        ]
        for (answer, expected) in answers {
            let system = FakeNotificationSystem { $0 == .register ? answer : nil }
            let app = try app(system)
            app.register()
            #expect(await app.news.first { _ in true } == expected)
            app.unregister()
            #expect(system.log == [.register, .unregister])
        }
        let nowhere = try app(nil)
        nowhere.register()
        #expect(await nowhere.news.first { _ in true } == .failure("The process is on no device."))
    }

    @Test
    func `A background push is given to the delegate, whose handler reports its end to the system`() async throws {
        let system = FakeNotificationSystem()
        let app = try app(system)
        system.service.take(.background(DeviceNotification(id: "1", payload: ["key": "value"], date: 0)))
        #expect(await app.news.first { _ in true } == .push("value"))
        #expect(system.log == [.finished(id: "1")])
    }

    @Test
    func `A delegate without functions of its own ignores token and error, and has no work in the background`()
        async throws
    {
        for answer in [NotificationAnswer.token(Data([7])), .refused("offline")] {
            let system = FakeNotificationSystem { $0 == .register ? answer : nil }
            let sandbox = try Sandbox.temporary()
            sandbox.connect(notifications: system.service)
            let app = ShimmedPlainApp(sandbox)
            app.register()
            system.service.take(.background(DeviceNotification(id: "1", payload: [:], date: 0)))
            await mainQueueIsIdle()
            #expect(system.log == [.register, .finished(id: "1")])
            withExtendedLifetime(app) {}
        }
    }

    @Test func `A delegate released before a push reaches it leaves no background work pending`() async throws {
        let system = FakeNotificationSystem()
        try await MainActor.run {
            // The main queue calls the delegate after this block, when it is gone.
            let shim = try self.app(system)
            withExtendedLifetime(shim) {
                system.service.take(.background(DeviceNotification(id: "1", payload: [:], date: 0)))
            }
        }
        await mainQueueIsIdle()
        #expect(system.log == [.finished(id: "1")])
    }
}
