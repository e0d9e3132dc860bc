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

/// The outcome of a push in each state of its app (mobile-token.md, section 12.3).
@Suite("Pushes at a device", .endsInTime)
struct NotificationDeliveryTests {
    /// A phone whose user allows the app to show notifications.
    private func phone(_ place: AppPlace, isLocked: Bool = false) throws -> (UnservedAgent, AppHost) {
        let phone = try UnservedAgent()
        try phone.agent.notifications.change { record in
            _ = record.register("main")
            record["main"].authorization = .authorized
        }
        let host = try phone.bring("main", to: place)
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

    @Test func `A token is known to the push service of its app only; a push that names none finds the app`() throws {
        let (phone, _) = try phone(.ended)
        let token = try #require(phone.agent.notifications.record["main"].token).deviceTokenText
        for (environment, error) in [(nil, nil), ("production", nil), ("development", "BadDeviceToken")] as [Answer] {
            var arguments: [String: JSONValue] = ["token": .string(token), "payload": ["aps": ["alert": "Hello"]]]
            arguments["environment"] = environment.map(JSONValue.string)
            let answer = try #require(try phone.perform(DeliverPush.self, .object(arguments)))
            #expect(answer.error?.name == error)
        }
        #expect(phone.agent.notifications.record.shown.count == 2)
    }

    /// The push service that brings a push, and the error that it gets.
    private typealias Answer = (environment: String?, error: String?)

    @Test(arguments: AppPlace.allCases, [false, true])
    func `A visible push is shown with its badge, unless its app looks at it or will: then the app decides`(
        place: AppPlace, isLocked: Bool
    ) throws {
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

    @Test func `A push that only has a badge changes the icon wherever the app is, but not while it starts`() throws {
        for place in AppPlace.allCases {
            let (phone, _) = try phone(place)
            _ = try push(["badge": 3], to: phone)
            #expect(phone.agent.notifications.record["main"].badge == (place == .starting ? 0 : 3), "\(place)")
            #expect(shown(phone).isEmpty)
        }
    }

    @Test func `Without the user's permission a visible push is dropped`() throws {
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

    @Test func `The app in the foreground decides whether a push is shown and whether it changes the badge`() throws {
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

    @Test(arguments: AppPlace.allCases)
    func
        `Work in the background is handed to a running app, wakes a suspended one, and waits for one between two states`(
            place: AppPlace
        ) throws
    {
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

    @Test
    func `An app that was woken is suspended again when it has finished all of its work, and not before`() throws {
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

    @Test func `No push launches an app that the user has ended`() throws {
        let (phone, host) = try phone(.ended)
        #expect(try phone.perform(ForceQuit.self, of: "main")?.error == nil)
        _ = try push(["content-available": 1, "alert": "Hello"], to: phone)
        #expect(host.notifications.isForceQuit && host.notifications.work == nil)
        #expect(try dropped(phone) == ["1 forceQuit"] && shown(phone) == ["main 1"])
    }

    @Test
    func `An offline device gets the last push of each app when it is online again; the one before is replaced`() throws
    {
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

    @Test func `With its process an app loses the work it was handed; what it was to decide about is shown`() throws {
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

    @Test func `The list of shown notifications begins with the newest, with what was sent in each`() throws {
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

    private func ask(_ request: NotificationRequest, by host: AppHost, on phone: UnservedAgent) {
        phone.agent.receiveNotificationRequest(
            WatchFrame(.notificationRequest, messageId: UUID(), body: WatchFrame.body(request)), from: host)
    }

    @Test(arguments: AppPlace.allCases.filter { $0 != .ended })
    func `A notification that the user opens is handed to its app at once, or when the app is ready, and not before`(
        place: AppPlace
    ) throws {
        let (phone, host) = try phone(place)
        let notification = DeviceNotification(id: "1", payload: [:], date: 0)
        try phone.agent.notifications.change { $0.show(notification, of: "main") }
        let answer = try #require(try phone.perform(TapNotification.self, ["action": "pay"]))
        let opened = AppNotifications.Waiting.opened(notification, action: "pay")
        #expect(answer.error == nil && shown(phone).isEmpty)
        #expect(host.notifications.waiting == (place == .starting ? [opened] : []))
        #expect(host.notifications.handed == (place == .starting ? [] : [opened]))
        if place == .starting { try phone.agent.perform(host.process.handle(.ready), for: host) }
        #expect(host.notifications.waiting.isEmpty && host.notifications.handed == [opened])
        #expect(host.process.phase == .running(pid: 42) && host.process.isForeground)
        ask(.finished(id: "1"), by: host, on: phone)
        ask(.handled(id: "2"), by: host, on: phone)
        #expect(host.notifications.handed == [opened], "the app has confirmed something else")
        ask(.handled(id: "1"), by: host, on: phone)
        #expect(host.notifications.handed.isEmpty)
    }

    @Test func `What waits for an app that starts is delivered once it is ready, each as if it came then`() throws {
        let (phone, host) = try phone(.starting)
        _ = try push(["alert": "Hello"], to: phone)
        _ = try push(["content-available": 1], "2", to: phone)
        #expect(host.notifications.waiting.count == 2)
        for _ in 1...2 { try phone.agent.deliverWaiting(to: host) }
        #expect(host.notifications.waiting.count == 2 && host.notifications.handed.isEmpty)
        try phone.agent.perform(host.process.handle(.ready), for: host)
        #expect(host.notifications.waiting.isEmpty && host.notifications.work == nil)
        #expect(host.notifications.handed.map { $0.isBackground("2") } == [true])
        #expect(phone.agent.notifications.record["main"].undecided.map(\.id) == ["1"] && shown(phone).isEmpty)
    }

    @Test func `Work that comes while an app falls asleep wakes it once it sleeps`() throws {
        let (phone, host) = try phone(.fallingAsleep)
        _ = try push(["content-available": 1], to: phone)
        try phone.agent.deliverWaiting(to: host)
        #expect(host.notifications.waiting.count == 1 && host.notifications.handed.isEmpty)
        try phone.agent.perform(host.process.handle(.stopped(holding: .none)), for: host)
        #expect(host.notifications.waiting.isEmpty && host.notifications.handed.map { $0.isBackground("1") } == [true])
        #expect(host.notifications.work?.open == ["1"] && host.process.phase == .running(pid: 42))
    }

    @Test func `An app that asks quietly is allowed at once; one that asks aloud waits for the user's answer`() throws {
        typealias Row = (
            before: NotificationAuthorization, answer: Bool?, isQuiet: Bool, after: NotificationAuthorization,
            waits: Bool
        )
        let rows: [Row] = [
            (.notDetermined, nil, true, .provisional, false), (.notDetermined, true, true, .provisional, false),
            (.notDetermined, nil, false, .notDetermined, true), (.notDetermined, true, false, .authorized, false),
            (.notDetermined, false, false, .denied, false), (.denied, nil, true, .denied, false),
            (.denied, nil, false, .denied, false), (.authorized, nil, true, .authorized, false),
            (.authorized, nil, false, .authorized, false), (.provisional, nil, true, .provisional, false),
            (.provisional, nil, false, .provisional, false),
        ]
        for (place, row) in rows.enumerated() {
            let (phone, host) = try phone(.foreground)
            try phone.agent.notifications.change { record in
                record["main"].authorization = row.before
                record["main"].answer = row.answer
            }
            ask(.requestAuthorization(isQuiet: row.isQuiet), by: host, on: phone)
            let app = phone.agent.notifications.record["main"]
            #expect(app.authorization == row.after, "row \(place)")
            let isUsed = row.answer != nil && !row.isQuiet
            #expect(app.answer == (isUsed ? nil : row.answer), "row \(place)")
            #expect(host.notifications.prompt.count == (row.waits ? 1 : 0), "row \(place)")
            #expect(try phone.traced(.pushAsked).count == (row.waits ? 1 : 0), "row \(place)")
            let kept = try NotificationStore(layout: phone.agent.layout, device: "phone")
            #expect(kept.record["main"] == app, "row \(place): what is on the disk")
        }
    }

    @Test(arguments: [true, false])
    func `The user is asked once, and answers the open dialog, the next one, or changes the settings`(
        isAllowed: Bool
    ) throws {
        let (phone, host) = try phone(.foreground)
        func record() -> NotificationCenterRecord.App { phone.agent.notifications.record["main"] }
        let answer: JSONValue = ["isAllowed": .bool(isAllowed)]
        let decision: NotificationAuthorization = isAllowed ? .authorized : .denied
        try phone.agent.notifications.change { $0["main"].authorization = .notDetermined }
        for _ in 1...2 { ask(.requestAuthorization(isQuiet: false), by: host, on: phone) }
        #expect(host.notifications.prompt.count == 2)
        #expect(try phone.traced(.pushAsked).map(\.fields) == [["app": "main"]])
        #expect(try phone.perform(AllowNotifications.self, of: "main", answer)?.error == nil)
        #expect(record().authorization == decision && record().answer == nil && host.notifications.prompt.isEmpty)
        let change: JSONValue = ["isAllowed": .bool(!isAllowed)]
        #expect(try phone.perform(AllowNotifications.self, of: "main", change)?.error == nil)
        #expect(record().authorization == (isAllowed ? .denied : .authorized) && record().answer == nil)
        try phone.agent.notifications.change { $0["main"].authorization = .notDetermined }
        #expect(try phone.perform(AllowNotifications.self, of: "main", answer)?.error == nil)
        #expect(record().authorization == .notDetermined && record().answer == isAllowed, "nothing was asked")
        ask(.requestAuthorization(isQuiet: false), by: host, on: phone)
        #expect(record().authorization == decision && record().answer == nil && host.notifications.prompt.isEmpty)
    }

    @Test func `Each request of an app changes what it names, and nothing that its user or device forbids`() throws {
        let (phone, host) = try phone(.foreground)
        func record() -> NotificationCenterRecord.App { phone.agent.notifications.record["main"] }
        ask(.unregister, by: host, on: phone)
        #expect(!record().isRegistered && record().token != nil)
        _ = try phone.perform(GoOffline.self)
        ask(.register, by: host, on: phone)
        #expect(!record().isRegistered)
        _ = try phone.perform(GoOnline.self)
        ask(.register, by: host, on: phone)
        #expect(record().isRegistered)
        ask(.register, by: try #require(phone.agent.hosts["widget"]), on: phone)
        #expect(phone.agent.notifications.record["widget"] == NotificationCenterRecord.App())
        for (badge, expected) in [(5, 5), (-3, 0), (7, 7)] {
            ask(.setBadge(badge), by: host, on: phone)
            #expect(record().badge == expected)
        }
        try phone.agent.notifications.change { record in
            record["main"].authorization = .denied
            for app in ["main", "wallet"] {
                for id in ["1", "2", "3"] { record.show(DeviceNotification(id: id, payload: [:], date: 0), of: app) }
            }
        }
        ask(.setBadge(9), by: host, on: phone)
        #expect(record().badge == 7)
        ask(.remove(["2", "4"]), by: host, on: phone)
        #expect(shown(phone).filter { $0.hasPrefix("main") } == ["main 1", "main 3"])
        ask(.remove(nil), by: host, on: phone)
        #expect(shown(phone) == ["wallet 1", "wallet 2", "wallet 3"])
    }
}
