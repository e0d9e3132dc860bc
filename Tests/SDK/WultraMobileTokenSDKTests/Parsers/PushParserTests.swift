// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice
import TestSupport
import Testing
import UserNotifications

@testable import WultraMobileTokenSDK

@Suite("Push messages (mobile-token.md, section 12.4)", .endsInTime)
struct PushParserTests {
    private static let created = #"""
        {"aps":{"alert":{"title":"Payment approval","body":"Please check the payment"},"sound":"default"},
         "messageType":"mtoken.operationInit","operationId":"1","operationName":"payment"}
        """#
    private static let finished = #"""
        {"aps":{"content-available":1},"messageType":"mtoken.operationFinished",
         "mtokenOperationResult":"operation.timeout","operationId":"1","operationName":"payment"}
        """#

    private func info(_ text: String) throws -> [AnyHashable: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func parse(_ text: String, _ change: (inout [AnyHashable: Any]) -> Void = { _ in }) throws
        -> WMTPushMessage?
    {
        var info = try info(text)
        change(&info)
        return WMTPushParser.parseNotification(info)
    }

    @Test(.verifies("mobile-token.md", "B-37")) func `Other pushes yield nil`() throws {
        #expect(WMTPushParser.parseNotification([:]) == nil)
        for type in ["mtoken.other", 7, NSNull()] as [Any] {
            #expect(try parse(Self.created) { $0["messageType"] = type } == nil)
        }
    }

    @Test(.verifies("mobile-token.md", "B-37"))
    func `A new operation is recognised, with its content where both texts are there`() throws {
        guard case .operationCreated(let id, let name, let content, let data) = try parse(Self.created)
        else { throw Unexpected("not recognised") }
        #expect(id == "1" && name == "payment" && data["operationId"] as? String == "1")
        #expect(content?.title == "Payment approval" && content?.message == "Please check the payment")
        for alert in [["title": "t"], ["body": "b"], "text"] as [Any] {
            let message = try parse(Self.created) { $0["aps"] = ["alert": alert] }
            guard case .operationCreated(_, _, nil, _) = message
            else { throw Unexpected("not recognised without content: \(alert)") }
        }
        for key in ["operationId", "operationName"] {
            #expect(try parse(Self.created) { $0[key] = nil } == nil, "\(key)")
            #expect(try parse(Self.created) { $0[key] = 7 } == nil, "\(key)")
        }
    }

    @Test func `A notification of the system is read as what its sender has written`() throws {
        let notification = UNNotification(
            DeviceNotification(id: "n", payload: ["messageType": "mtoken.inboxMessage.new", "inboxId": "9"], date: 0))
        guard case .inboxMessageReceived("9", let data) = WMTPushParser.parseNotification(notification)
        else { throw Unexpected("not recognised") }
        #expect(data["messageType"] as? String == "mtoken.inboxMessage.new")
        let other = UNNotification(DeviceNotification(id: "n", payload: ["aps": ["alert": "Hello"]], date: 0))
        #expect(WMTPushParser.parseNotification(other) == nil)
    }

    @Test(.verifies("mobile-token.md", "B-38")) func `The end of an operation is recognised with its result`() throws {
        let results: [(String, WMTPushOperationFinishedResult)] = [
            ("authentication.success", .success), ("authentication.fail", .fail), ("operation.timeout", .timeout),
            ("operation.canceled", .canceled), ("operation.methodNotAvailable", .methodNotAvailable),
            ("operation.alreadyFailed", .unknown),
        ]
        for (text, expected) in results {
            let message = try parse(Self.finished) { $0["mtokenOperationResult"] = text }
            guard case .operationFinished("1", "payment", expected, _) = message
            else { throw Unexpected("\(text) is not \(expected)") }
        }
        for key in ["operationId", "operationName", "mtokenOperationResult"] {
            #expect(try parse(Self.finished) { $0[key] = nil } == nil, "\(key)")
            #expect(try parse(Self.finished) { $0[key] = 7 } == nil, "\(key)")
        }
    }

    @Test(.verifies("mobile-token.md", "B-39")) func `A message in the inbox is recognised`() throws {
        let text = #"{"messageType":"mtoken.inboxMessage.new","inboxId":"9"}"#
        guard case .inboxMessageReceived("9", _) = try parse(text) else { throw Unexpected("not recognised") }
        #expect(try parse(text) { $0["inboxId"] = nil } == nil)
        #expect(try parse(text) { $0["inboxId"] = 9 } == nil)
    }
}
