// SPDX-License-Identifier: Apache-2.0

import LabCore
import SimulatedDevice
import Synchronization
import TestSupport
import Testing
import UserNotifications

/// The shim of Apple's framework (mobile-token.md, section 12.3).
@Suite("The UserNotifications shim", .endsInTime)
struct UserNotificationsTests {
    private let payment = DeviceNotification(
        id: "1",
        payload: [
            "aps": [
                "alert": ["title": "Payment", "body": "Check it"], "badge": 2, "sound": "default",
                "category": "payment", "thread-id": "bank",
            ],
            "operationId": "7",
        ], date: 1_500)

    /// A delegate with the functions that have handlers.
    private final class Delegate: UNUserNotificationCenterDelegate {
        let content = Mutex<(title: String, operationId: String?)?>(nil)
        let (actions, action) = AsyncStream.makeStream(of: String.self)

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
        ) {
            let content = notification.request.content
            self.content.withLock { $0 = (content.title, content.userInfo["operationId"] as? String) }
            completionHandler([.banner, .badge])
            action.yield("shown")
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping () -> Void
        ) {
            completionHandler()
            action.yield(response.actionIdentifier)
        }
    }

    /// A delegate with an asynchronous function, and none for the other news.
    private final class AsynchronousDelegate: UNUserNotificationCenterDelegate {
        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification
        ) async -> UNNotificationPresentationOptions { .list }
    }

    /// A delegate without functions of its own.
    private final class PlainDelegate: UNUserNotificationCenterDelegate {}

    @Test(.verifies("size", "DeviceNotification.longestPayload"), arguments: Sizes.around(4_096))
    func `A push service takes payloads of up to 4,096 bytes of JSON`(bytes: Int) {
        // `{"x":""}` has eight.
        let payload: [String: JSONValue] = ["x": .string(String(repeating: "y", count: bytes - 8))]
        let refusal = DeviceNotification(id: "1", payload: payload, date: 0).refusal
        #expect(refusal == (bytes <= 4_096 ? nil : "`payload` has \(bytes) bytes; a push service takes at most 4096."))
    }

    @Test func `A notification has the parts of its payload, and all of it as user info`() throws {
        let notification = UNNotification(payment)
        let content = notification.request.content
        #expect(notification.date.timeIntervalSince1970 == 1.5 && notification.request.identifier == "1")
        #expect(content.title == "Payment" && content.body == "Check it" && content.subtitle.isEmpty)
        #expect(content.badge == 2 && content.sound == .default && content.categoryIdentifier == "payment")
        #expect(content.threadIdentifier == "bank" && notification.request.trigger is UNPushNotificationTrigger)
        #expect(content.userInfo["operationId"] as? String == "7")
        let aps = try #require(content.userInfo["aps"] as? [String: Any])
        #expect(aps["badge"] as? Int == 2 && (aps["alert"] as? [String: Any])?["title"] as? String == "Payment")
    }

    @Test func `A request keeps a copy of its content`() {
        let content = UNMutableNotificationContent()
        content.title = "before"
        let request = UNNotificationRequest(identifier: "1", content: content, trigger: nil)
        content.title = "after"
        #expect(request.content.title == "before" && !(request.content is UNMutableNotificationContent))
        let copy = request.content.mutableCopy() as? UNMutableNotificationContent
        copy?.body = "changed"
        #expect(copy?.title == "before" && request.content.body.isEmpty)
    }

    @Test func `A content keeps every part that is set, and a copy of it does not change`() throws {
        let content = UNMutableNotificationContent()
        (content.title, content.subtitle, content.body) = ("title", "subtitle", "body")
        content.badge = 3
        content.sound = UNNotificationSound(named: UNNotificationSoundName("bell"))
        (content.categoryIdentifier, content.threadIdentifier) = ("category", "thread")
        content.userInfo = ["key": "value"]
        func parts(_ content: UNNotificationContent) -> [String] {
            [
                content.title, content.subtitle, content.body, content.badge.map { "\($0)" } ?? "",
                content.categoryIdentifier, content.threadIdentifier, content.userInfo["key"] as? String ?? "",
            ]
        }
        let expected = ["title", "subtitle", "body", "3", "category", "thread", "value"]
        let copy = try #require(content.copy() as? UNNotificationContent)
        #expect(parts(content) == expected && parts(copy) == expected)
        #expect(content.sound != .default && copy.sound == content.sound)
        content.subtitle = "other"
        #expect(parts(copy) == expected && !(copy is UNMutableNotificationContent))
    }

    @Test func `Sounds of one name are equal, and so are categories, of which a set keeps one of each name`() async {
        let names = [UNNotificationSoundName("bell"), UNNotificationSoundName(rawValue: "bell")]
        let sounds = names.map { UNNotificationSound(named: $0) }
        #expect(names[0] == names[1] && sounds[0] == sounds[1] && sounds[0].hash == sounds[1].hash)
        #expect(sounds[0] != UNNotificationSound(named: UNNotificationSoundName("horn")))
        let categories = ["payment", "payment", "login"].map {
            UNNotificationCategory(identifier: $0, actions: [], intentIdentifiers: [])
        }
        #expect(categories[0] == categories[1] && categories[0] != categories[2])
        let center = UNUserNotificationCenter(service: nil)
        center.setNotificationCategories(Set(categories))
        let found: [String] = await callback { report in
            center.getNotificationCategories { report($0.map(\.identifier).sorted()) }
        }
        #expect(found == ["login", "payment"])
    }

    @Test func `The delegate decides about a notification in the foreground, and learns what the user opens`() async {
        let system = FakeNotificationSystem()
        let (center, delegate) = (UNUserNotificationCenter(service: system.service), Delegate())
        center.delegate = delegate
        system.service.take(.arrived(payment))
        system.service.take(.opened(payment, action: nil))
        system.service.take(.opened(payment, action: "approve"))
        var actions = delegate.actions.makeAsyncIterator()
        #expect(await actions.next() == "shown")
        #expect(await actions.next() == UNNotificationDefaultActionIdentifier)
        #expect(await actions.next() == "approve")
        #expect(
            system.log
                == [.presented(id: "1", isShown: true, setsBadge: true), .handled(id: "1"), .handled(id: "1")])
        #expect(delegate.content.withLock { $0?.title == "Payment" && $0?.operationId == "7" })
    }

    @Test func `A delegate may answer asynchronously`() async {
        let (answers, answer) = AsyncStream.makeStream(of: NotificationRequest.self)
        let service = NotificationService()
        service.connect { _, request in answer.yield(request) }
        let (center, delegate) = (UNUserNotificationCenter(service: service), AsynchronousDelegate())
        center.delegate = delegate
        service.take(.arrived(payment))
        var iterator = answers.makeAsyncIterator()
        #expect(await iterator.next() == .presented(id: "1", isShown: true, setsBadge: false))
        withExtendedLifetime(delegate) {}
    }

    @Test
    func `A delegate without functions of its own shows nothing, and the system learns of the end of its work`() async {
        let (answers, answer) = AsyncStream.makeStream(of: NotificationRequest.self)
        let service = NotificationService()
        service.connect { _, request in answer.yield(request) }
        let (center, delegate) = (UNUserNotificationCenter(service: service), PlainDelegate())
        center.delegate = delegate
        var iterator = answers.makeAsyncIterator()
        service.take(.arrived(payment))
        #expect(await iterator.next() == .presented(id: "1", isShown: false, setsBadge: false))
        service.take(.opened(payment, action: nil))
        #expect(await iterator.next() == .handled(id: "1"))
        withExtendedLifetime(delegate) {}
    }

    @Test func `Without a delegate nothing is shown in the foreground, and the system waits for no work`() {
        let system = FakeNotificationSystem()
        let center = UNUserNotificationCenter(service: system.service)
        system.service.take(.arrived(payment))
        system.service.take(.background(payment))
        system.service.take(.opened(payment, action: nil))
        #expect(
            system.log
                == [.presented(id: "1", isShown: false, setsBadge: false), .finished(id: "1"), .handled(id: "1")])
        withExtendedLifetime(center) {}
    }

    @Test func `A delegate released before its decision leaves no notification undecided`() async {
        let system = FakeNotificationSystem()
        let center = UNUserNotificationCenter(service: system.service)
        await MainActor.run { [payment] in
            // The main queue asks the delegate after this block, when it is gone.
            let delegate = Delegate()
            center.delegate = delegate
            withExtendedLifetime(delegate) { system.service.take(.arrived(payment)) }
        }
        await mainQueueIsIdle()
        #expect(system.log == [.presented(id: "1", isShown: false, setsBadge: false)])
    }

    @Test func `The user's answer is reported, and its consequences`() async throws {
        for (authorization, isGranted, status) in [
            (NotificationAuthorization.authorized, true, UNAuthorizationStatus.authorized),
            (.denied, false, .denied), (.provisional, true, .provisional),
        ] {
            let system = FakeNotificationSystem { request in
                switch request {
                case .requestAuthorization, .settings: .authorization(authorization)
                case .setBadge: authorization.allows ? .done : .refused("not allowed")
                default: nil
                }
            }
            let center = UNUserNotificationCenter(service: system.service)
            #expect(try await center.requestAuthorization(options: [.alert, .provisional]) == isGranted)
            #expect(system.log == [.requestAuthorization(isQuiet: true)])
            #expect(await center.notificationSettings().authorizationStatus == status)
            if isGranted {
                try await center.setBadgeCount(3)
            } else {
                await #expect(throws: UNError(.notificationsNotAllowed)) { try await center.setBadgeCount(3) }
            }
        }
    }

    @Test func `The app sees and clears its notifications that are shown`() async {
        let system = FakeNotificationSystem { [payment] request in request == .shown ? .shown([payment]) : nil }
        let center = UNUserNotificationCenter(service: system.service)
        #expect(await center.deliveredNotifications().map(\.request.content.title) == ["Payment"])
        center.removeDeliveredNotifications(withIdentifiers: ["1"])
        center.removeAllDeliveredNotifications()
        #expect(system.log == [.shown, .remove(["1"]), .remove(nil)])
    }

    @Test func `A process that is on no device gets answers, too`() async throws {
        let center = UNUserNotificationCenter(service: nil)
        await #expect(throws: UNError.self) { try await center.requestAuthorization() }
        #expect(await center.deliveredNotifications().isEmpty)
        let approve = UNNotificationAction(identifier: "approve", title: "Approve")
        center.setNotificationCategories([.init(identifier: "payment", actions: [approve], intentIdentifiers: [])])
        #expect(await center.notificationCategories().map(\.identifier) == ["payment"])
    }
}
