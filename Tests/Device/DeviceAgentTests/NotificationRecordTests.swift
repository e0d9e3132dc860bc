// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("What a device keeps about notifications", .endsInTime)
struct NotificationRecordTests {
    private func notification(_ id: String, _ payload: [String: JSONValue] = [:]) -> DeviceNotification {
        DeviceNotification(id: id, payload: payload, date: 0)
    }

    @Test func `An app keeps its device token, and no other app has the same`() {
        var record = NotificationCenterRecord()
        let (main, wallet) = (record.register("main"), record.register("wallet"))
        #expect(main.count == 32 && main != wallet)
        #expect(record.register("main") == main)
        #expect(record.app(withToken: main.deviceTokenText) == "main")
        #expect(record.app(withToken: wallet.deviceTokenText.uppercased()) == "wallet")
        #expect(record.app(withToken: "") == nil)
    }

    @Test func `An app that has unregistered from pushes has no token until it registers again`() {
        var record = NotificationCenterRecord()
        let token = record.register("main")
        record["main"].isRegistered = false
        #expect(record.app(withToken: token.deviceTokenText) == nil)
        #expect(record.register("main") == token)
    }

    @Test func `With the installation of an app everything about its notifications ends`() {
        var record = NotificationCenterRecord()
        let token = record.register("main")
        record["main"].authorization = .authorized
        record.show(notification("1"), of: "main")
        record.show(notification("2"), of: "wallet")
        record.forget(["main"])
        #expect(record.app(withToken: token.deviceTokenText) == nil)
        #expect(record["main"] == NotificationCenterRecord.App())
        #expect(record.shown.map(\.app) == ["wallet"])
        #expect(record.register("main") != token)
    }

    @Test func `A notification replaces an earlier one with its identifier, of the same app only`() {
        var record = NotificationCenterRecord()
        record.show(notification("1"), of: "main")
        record.show(notification("1"), of: "wallet")
        record.show(notification("2"), of: "main")
        record.show(notification("1", ["new": true]), of: "main")
        #expect(record.shown.map(\.notification.id) == ["1", "2", "1"])
        #expect(record.shown.map(\.app) == ["wallet", "main", "main"])
        record.remove(nil, of: "main")
        #expect(record.shown.map(\.app) == ["wallet"])
    }

    @Test func `An alert is a text, or an object with title and body`() {
        let text = notification("1", ["aps": ["alert": "Hello"]])
        #expect(text.title.isEmpty && text.body == "Hello" && text.isVisible && !text.wakesApp)
        let object = notification(
            "2",
            ["aps": ["alert": ["title": "Payment", "subtitle": "100", "body": "Check"], "badge": 3, "sound": "ping"]])
        #expect(object.title == "Payment" && object.subtitle == "100" && object.body == "Check")
        #expect(object.badge == 3 && object.sound == "ping")
        let silent = notification("3", ["aps": ["content-available": 1, "alert": ["title": ""]]])
        #expect(!silent.isVisible && silent.wakesApp)
        #expect(!notification("4", ["aps": "nonsense"]).isVisible)
    }

    @Test func `An app is looked at only while its process is ready, in the foreground and the screen is on`() {
        var app = AppProcess(name: "main", isLenient: false)
        func place(isScreenOn: Bool = true) -> NotificationPlace { .init(app, isScreenOn: isScreenOn) }
        #expect(place() == .ended)
        _ = app.handle(.launch(request: 1))
        _ = app.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        #expect(place() == .starting && !place().isSettled)
        _ = app.handle(.ready)
        #expect(place() == .foreground && place(isScreenOn: false) == .background)
        _ = app.handle(.suspend(request: 2))
        #expect(place() == .fallingAsleep && !place().isSettled)
        _ = app.handle(.stopped(holding: .none))
        #expect(place() == .suspended)
        _ = app.handle(.wake)
        #expect(place() == .background)
    }
}
