import LabKit
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Push messages", .endsInTime)
struct PushMessageTests {
    @Test("An app's key without a value is left out of the payload")
    func keysWithoutValue() {
        let message = PushMessage(title: "Hello", extras: ["campaign": .null, "number": 1, "nested": ["kept": .null]])
        #expect(
            message.notification(id: "1").payload == [
                "aps": ["alert": ["title": "Hello"]], "number": 1, "nested": ["kept": .null],
            ])
    }

    @Test("A silent message shows nothing, and carries badge and group all the same")
    func silent() {
        let message = PushMessage(
            title: "Hello", sound: "default", category: "payment", badge: 3, collapseKey: "payments", isSilent: true,
            priority: .normal)
        let notification = message.notification(id: "1")
        #expect(notification.payload == ["aps": ["content-available": 1, "badge": 3, "thread-id": "payments"]])
        #expect(notification.kind == .background && notification.priority.headerValue == 5)
    }
}
