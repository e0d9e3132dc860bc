// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing
import WultraPowerAuthNetworking

@testable import WultraMobileTokenSDK

@Suite("Requests (mobile-token.md, section 8)", .endsInTime)
struct RequestTests {
    private func authorization(_ operation: any WMTOperation, adjustment: TimeInterval = 0) throws -> JSONValue {
        let now = Date(timeIntervalSince1970: 1_772_352_969)
        return try JSON.write(WPNRequest(WMTAuthorizationData(operation: operation, now: now, adjustment: adjustment)))
    }

    @Test(.verifies("mobile-token.md", "B-1"))
    func `A registration for pushes names the platform and the token in capital hexadecimal digits`() throws {
        let request = WPNRequest(WMTPushRegistrationData(tokenData: Data([0xDE, 0xAD, 0xBE, 0xEF])))
        #expect(try JSON.write(request) == ["requestObject": ["platform": "ios", "token": "DEADBEEF"]])
        #expect(WMTPushRegistrationData(tokenData: Data([0, 10])).token == "000A")
    }

    @Test(.verifies("mobile-token.md", "B-2")) func `An approval has identifier and data, and nothing else`() throws {
        let expected: JSONValue = ["requestObject": ["id": "1", "data": "A1"]]
        #expect(try authorization(WMTLocalOperation(id: "1", data: "A1")) == expected)
        let operation = try JSON.read(WMTUserOperation.self, Example.operation)
        #expect(try authorization(operation)["requestObject"]?.objectValue?.keys.sorted() == ["data", "id"])
    }

    @Test(.verifies("mobile-token.md", "B-3"))
    func `The approval of an operation with a proximity check carries it with both times`() throws {
        let operation = try JSON.read(WMTUserOperation.self, Example.operation)
        let received = Date(timeIntervalSince1970: 1_772_352_960)
        operation.proximityCheck = WMTProximityCheck(totp: "20406080", type: .qrCode, timestampReceived: received)
        let sent = try authorization(operation, adjustment: 60)["requestObject"]
        #expect(sent?["id"] == .string(Example.id) && sent?["data"] == .string(Example.data))
        #expect(
            sent?["proximityCheck"] == [
                "otp": "20406080", "type": "QR_CODE", "timestampReceived": "2026-03-01T08:16:00Z",
                "timestampSent": "2026-03-01T08:16:09Z",
            ])
    }

    @Test func `A time that the device's clock gave is corrected by the server's when it is sent`() throws {
        let operation = try JSON.read(WMTUserOperation.self, Example.operation)
        let check = WMTProximityCheck(totp: "1", type: .deeplink)
        operation.proximityCheck = check
        let sent = try authorization(operation, adjustment: 3_600)["requestObject"]?["proximityCheck"]
        let expected = ISO8601DateFormatter().string(from: check.timestampReceived.addingTimeInterval(3_600))
        #expect(sent?["timestampReceived"] == .string(expected) && sent?["type"] == "DEEPLINK")
    }

    @Test(.verifies("mobile-token.md", "B-4")) func `A rejection states its reason, also a custom one`() throws {
        for (reason, text) in [
            (WMTRejectionReason.unknown, "UNKNOWN"), (.incorrectData, "INCORRECT_DATA"),
            (.unexpectedOperation, "UNEXPECTED_OPERATION"), (.custom("MY_LAB_REASON"), "MY_LAB_REASON"),
        ] {
            let request = WPNRequest(WMTRejectionData(operationId: "1", reason: reason))
            #expect(try JSON.write(request) == ["requestObject": ["id": "1", "reason": .string(text)]])
        }
    }
}

@Suite("Answers (mobile-token.md, section 2.1)", .endsInTime)
struct ListResponseTests {
    private func read(_ value: JSONValue) throws -> WMTOperationListResponse<WMTUserOperation> {
        try JSON.read(WMTOperationListResponse<WMTUserOperation>.self, value)
    }

    @Test(.verifies("mobile-token.md", "B-5"))
    func `The server's time and the dates of operations are read with their zone`() throws {
        let operation = try Example.operation.with("operationCreated", "2018-08-08T12:30:42+0000")
        let list = try read([
            "status": "OK", "responseObject": [operation], "currentTimestamp": "2023-02-10T12:30:42+0000",
        ])
        #expect(list.currentTimestamp == Date(timeIntervalSince1970: 1_676_032_242))
        let created = list.responseObject?.first?.operationCreated
        #expect(created == Date(timeIntervalSince1970: 1_533_731_442))
        let array: WPNResponseArray<WMTUserOperation> = list
        #expect(array.responseObject?.count == 1, "an app reads it as any other list")
        for value in [nil, .null, "noon", .integer(7)] as [JSONValue?] {
            let other = JSONValue.object(["status": "OK", "responseObject": []]).with("currentTimestamp", value)
            #expect(try read(other).currentTimestamp == nil)
        }
    }

    @Test(.verifies("mobile-token.md", "B-13")) func `A refusal has code and message, and no operations`() throws {
        let list = try read([
            "status": "ERROR", "responseObject": ["code": "INVALID_ACTIVATION", "message": "Invalid activation."],
        ])
        #expect(list.status == .Error && list.responseObject == nil)
        #expect(list.responseError?.errorCode == .invalidActivation)
        #expect(list.responseError?.message == "Invalid activation.")
    }

    @Test(.verifies("mobile-token.md", "B-14")) func `A history has an operation of each status`() throws {
        let all = WMTUserOperation.Status.allCases
        let items = try all.map { try Example.operation.with("status", .string($0.rawValue)) }
        let list = try read(["status": "OK", "responseObject": .array(items)])
        #expect(all.count == 6 && list.responseObject?.map(\.status) == all)
    }

    @Test func `Operations that cannot be read are left out and reported; an invalid list is refused`() throws {
        let good = try Example.operation
        let bad: [JSONValue] = [.null, "x", good.with("status", "DELAYED"), good.with("id", nil)]
        let list = try read(["status": "OK", "responseObject": .array([bad[0], good, bad[1], bad[2], bad[3]])])
        #expect(list.responseObject?.map(\.id) == [Example.id] && list.mistakes.count == 4)
        for value in [nil, .null, [:], "x"] as [JSONValue?] {
            let envelope = JSONValue.object(["status": "OK"]).with("responseObject", value)
            #expect(throws: (any Error).self) { try read(envelope) }
        }
    }
}

@Suite("Messages of the inbox (mobile-token.md, section 13.2)", .endsInTime)
struct InboxDecodingTests {
    private let detail: JSONValue = [
        "id": "1", "type": "text", "subject": "New statement", "summary": "It is ready", "body": "Open the app.",
        "read": false, "timestampCreated": "2026-03-01T08:00:00+0000",
    ]

    @Test func `A message has all of its members, of their types`() throws {
        let read = try JSON.read(WMTInboxMessageDetail.self, detail)
        #expect(read.body == "Open the app." && !read.read && read.type == .text && read.subject == "New statement")
        #expect(read.timestampCreated == Date(timeIntervalSince1970: 1_772_352_000))
        let listed = try JSON.read(WMTInboxMessage.self, detail.with("body", nil))
        #expect(listed.id == "1" && listed.summary == "It is ready")
        for key in try #require(detail.objectValue).keys {
            for value in [nil, .null, [:]] as [JSONValue?] {
                let changed = detail.with(key, value)
                #expect(throws: (any Error).self, "\(key)") { try JSON.read(WMTInboxMessageDetail.self, changed) }
                guard key != "body" else { continue }
                #expect(throws: (any Error).self, "\(key)") { try JSON.read(WMTInboxMessage.self, changed) }
            }
        }
    }

    @Test func `Only two types of messages are known, and a count is a number`() throws {
        #expect(try JSON.read(WMTInboxMessageDetail.self, detail.with("type", "html")).type == .html)
        #expect(throws: (any Error).self) { try JSON.read(WMTInboxMessageDetail.self, detail.with("type", "pdf")) }
        #expect(try JSON.read(WMTInboxCount.self, ["countUnread": 3]).countUnread == 3)
        for value in [nil, .null, "3"] as [JSONValue?] {
            let changed = JSONValue.object([:]).with("countUnread", value)
            #expect(throws: (any Error).self) { try JSON.read(WMTInboxCount.self, changed) }
        }
    }
}
