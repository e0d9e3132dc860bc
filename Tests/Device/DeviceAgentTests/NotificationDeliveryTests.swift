import Foundation
import LabKit
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// The outcome of a push in each state of its app (mobile-token.md, section 12.3).
@Suite("Pushes at a device", .endsInTime)
struct NotificationDeliveryTests {
    /// Where the app is.
    enum Place: CaseIterable {
        case ended, starting, foreground, background, fallingAsleep, suspended
    }

    /// A phone whose user allows the app to show notifications.
    private func phone(_ place: Place, isLocked: Bool = false) throws -> (UnservedAgent, AppHost) {
        let phone = try UnservedAgent()
        let host = try #require(phone.agent.hosts["main"])
        try phone.agent.notifications.change { record in
            _ = record.register("main")
            record["main"].authorization = .authorized
        }
        if place != .ended {
            _ = host.process.handle(.launch(request: place == .background ? nil : 1))
            _ = host.process.handle(.spawned(pid: 42, incarnation: 1, at: 0))
        }
        if place != .ended, place != .starting { _ = host.process.handle(.ready) }
        if place == .fallingAsleep || place == .suspended { _ = host.process.handle(.suspend(request: 2)) }
        if place == .suspended { _ = host.process.handle(.stopped(holding: .none)) }
        if isLocked { _ = try phone.perform(LockDevice.self) }
        return (phone, host)
    }

    private func push(_ payload: JSONValue, _ id: String = "1", to phone: UnservedAgent) throws -> JSONValue? {
        let token = try #require(phone.agent.notifications.record["main"].token)
        let answer = try phone.perform(
            DeliverPush.self, ["token": .string(token.deviceTokenText), "payload": ["aps": payload], "id": .string(id)])
        return answer?.result
    }

    private func shown(_ phone: UnservedAgent) -> [String] {
        phone.agent.notifications.record.shown.map { "\($0.app) \($0.notification.id)" }
    }

    private func dropped(_ phone: UnservedAgent) throws -> [String] {
        try phone.traced(.pushDropped).map {
            "\($0.fields["id"]?.stringValue ?? "") \($0.fields["reason"]?.stringValue ?? "")"
        }
    }

    @Test(
        "A visible push is shown with its badge, unless its app looks at it or will: then the app decides",
        arguments: Place.allCases, [false, true])
    func visible(place: Place, isLocked: Bool) throws {
        let (phone, host) = try phone(place, isLocked: isLocked)
        let result = try push(["alert": "Hello", "badge": 3], to: phone)
        #expect(result == ["id": "1", "isKept": false])
        let app = phone.agent.notifications.record["main"]
        // No app is visible on a locked screen.
        let isLeft = place == .starting || place == .foreground && !isLocked
        #expect(shown(phone) == (isLeft ? [] : ["main 1"]))
        #expect(app.undecided.map(\.id) == (isLeft ? ["1"] : []) && app.badge == (isLeft ? 0 : 3))
        #expect(host.notifications.waiting.count == (place == .starting ? 1 : 0))
        #expect(try phone.traced(.pushShown).count == (isLeft ? 0 : 1))
    }

    @Test("A push that only has a badge changes the icon wherever the app is, but not while it starts")
    func badgeOnly() throws {
        for place in Place.allCases {
            let (phone, _) = try phone(place)
            _ = try push(["badge": 3], to: phone)
            #expect(phone.agent.notifications.record["main"].badge == (place == .starting ? 0 : 3), "\(place)")
            #expect(shown(phone).isEmpty)
        }
    }

    @Test("Without the user's permission a visible push is dropped")
    func notAllowed() throws {
        for authorization in [NotificationAuthorization.notDetermined, .denied, .authorized, .provisional] {
            let (phone, _) = try phone(.ended)
            try phone.agent.notifications.change { $0["main"].authorization = authorization }
            _ = try push(["alert": "Hello", "badge": 3], to: phone)
            let isAllowed = authorization == .authorized || authorization == .provisional
            #expect(shown(phone) == (isAllowed ? ["main 1"] : []))
            #expect(try dropped(phone) == (isAllowed ? [] : ["1 notAllowed"]))
            #expect(phone.agent.notifications.record["main"].badge == (isAllowed ? 3 : 0))
        }
    }

    @Test("The app in the foreground decides whether a push is shown and whether it changes the badge")
    func decided() throws {
        for (isShown, setsBadge) in [(true, true), (true, false), (false, true), (false, false)] {
            let (phone, host) = try phone(.foreground)
            _ = try push(["alert": "Hello", "badge": 3], to: phone)
            func decide(_ id: String) {
                let decision = NotificationRequest.presented(id: id, isShown: isShown, setsBadge: setsBadge)
                phone.agent.receiveNotificationRequest(
                    WatchFrame(.notificationRequest, messageId: UUID(), body: WatchFrame.body(decision)), from: host)
            }
            decide("2")
            #expect(shown(phone).isEmpty && phone.agent.notifications.record["main"].undecided.count == 1)
            decide("1")
            decide("1")
            #expect(shown(phone) == (isShown ? ["main 1"] : []))
            #expect(phone.agent.notifications.record["main"].badge == (setsBadge ? 3 : 0))
            #expect(phone.agent.notifications.record["main"].undecided.isEmpty)
            #expect(try dropped(phone) == (isShown ? [] : ["1 declined"]), "once")
        }
    }

    @Test(
        "Work in the background is handed to a running app, wakes a suspended one, and waits for one between two states",
        arguments: Place.allCases)
    func background(place: Place) throws {
        let (phone, host) = try phone(place)
        _ = try push(["content-available": 1], to: phone)
        let notification = DeviceNotification(
            id: "1", payload: ["aps": ["content-available": 1]], date: phone.device.clock.now().milliseconds)
        let entry = AppNotifications.Waiting.background(notification)
        let isHanded = place == .foreground || place == .background || place == .suspended
        #expect(host.notifications.handed == (isHanded ? [entry] : []))
        #expect(host.notifications.waiting == (place == .starting || place == .fallingAsleep ? [entry] : []))
        let end = phone.device.clock.now() + .seconds(30)
        let work = AppNotifications.Work(open: ["1"], end: end)
        #expect(host.notifications.work == (place == .suspended ? work : nil))
        // A process cannot be started here, so the work for which it is launched is lost.
        #expect(try dropped(phone) == (place == .ended ? ["1 processEnded"] : []))
        #expect(host.process.phase == .running(pid: 42) || !isHanded)
        #expect(shown(phone).isEmpty)
    }

    @Test("An app that was woken is suspended again when it has finished all of its work, and not before")
    func finished() throws {
        let (phone, host) = try phone(.suspended)
        _ = try push(["content-available": 1], to: phone)
        try phone.device.clock.advance(by: .seconds(10))
        _ = try push(["content-available": 1], "2", to: phone)
        let end = phone.device.clock.now() + .seconds(30)
        #expect(host.notifications.work == AppNotifications.Work(open: ["1", "2"], end: end))
        try phone.agent.finishWork(on: "3", by: host)
        try phone.agent.finishWork(on: "1", by: host)
        #expect(host.notifications.work?.open == ["2"] && host.notifications.handed.count == 1)
        #expect(!host.process.isSuspended)
        try phone.agent.finishWork(on: "2", by: host)
        #expect(host.notifications.work == nil && host.notifications.handed.isEmpty && host.process.isSuspended)
    }

    @Test("No push launches an app that the user has ended")
    func forceQuit() throws {
        let (phone, host) = try phone(.ended)
        #expect(try phone.perform(ForceQuit.self, of: "main")?.error == nil)
        _ = try push(["content-available": 1, "alert": "Hello"], to: phone)
        #expect(host.notifications.isForceQuit && host.notifications.work == nil)
        #expect(try dropped(phone) == ["1 forceQuit"] && shown(phone) == ["main 1"])
    }

    @Test("An offline device gets the last push of each app when it is online again; the one before is replaced")
    func offline() throws {
        let (phone, _) = try phone(.ended)
        _ = try phone.perform(GoOffline.self)
        for id in ["1", "2"] {
            #expect(try push(["alert": "Hello"], id, to: phone) == ["id": .string(id), "isKept": true])
        }
        #expect(shown(phone).isEmpty && phone.agent.notifications.record["main"].kept?.id == "2")
        #expect(try dropped(phone) == ["1 replaced"])
        #expect(try phone.traced(.pushKept).compactMap { $0.fields["id"]?.stringValue } == ["1", "2"])
        for _ in 0..<2 {
            _ = try phone.perform(GoOnline.self)
            #expect(shown(phone) == ["main 2"] && phone.agent.notifications.record["main"].kept == nil)
        }
        #expect(try phone.traced(.pushShown).count == 1)
    }

    @Test("With its process an app loses the work it was handed; what it was to decide about is shown")
    func processEnds() throws {
        for isRestarting in [false, true] {
            let (phone, host) = try phone(.foreground)
            _ = try push(["alert": "Hello"], to: phone)
            _ = try push(["content-available": 1], "2", to: phone)
            host.notifications.waiting = [.background(DeviceNotification(id: "3", payload: [:], date: 0))]
            _ = host.process.handle(.ended("", standardError: ""))
            try phone.agent.notificationsLoseProcess(of: host, isRestarting: isRestarting)
            #expect(shown(phone) == ["main 1"] && host.notifications.handed.isEmpty)
            #expect(host.notifications.waiting.count == (isRestarting ? 1 : 0))
            #expect(try dropped(phone) == ["2 processEnded"] + (isRestarting ? [] : ["3 processEnded"]))
        }
    }

    @Test("The list of shown notifications begins with the newest, with what was sent in each")
    func listed() throws {
        let (phone, _) = try phone(.ended)
        try phone.agent.notifications.change {
            $0.show(DeviceNotification(id: "0", payload: [:], date: 0), of: "wallet")
        }
        let alert: JSONValue = ["alert": ["title": "T", "subtitle": "S", "body": "B"], "category": "C"]
        _ = try push(alert, to: phone)
        let all = try #require(try phone.perform(ShownNotifications.self)?.result?.arrayValue)
        #expect(all.map { $0["id"] } == ["1", "0"])
        let own = try phone.perform(ShownNotifications.self, ["app": "main"])?.result
        #expect(
            own == [
                [
                    "id": "1", "app": "main", "title": "T", "subtitle": "S", "body": "B", "category": "C",
                    "userInfo": ["aps": alert],
                ]
            ])
    }
}
