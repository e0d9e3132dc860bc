// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Operations (mobile-token.md, section 7.1)", .endsInTime)
struct OperationDecodingTests {
    @Test(
        arguments: [
            "id", "name", "data", "status", "operationCreated", "operationExpires", "allowedSignatureType",
            "allowedSignatureType.type", "allowedSignatureType.variants", "formData", "formData.title",
            "formData.message",
        ])
    func `A required member of an operation is refused if it is missing, null or of a wrong type`(path: String) throws {
        let operation = try Example.operation
        for value in [nil, .null, .integer(7), .bool(true)] as [JSONValue?] {
            let changed = operation.with(path, value)
            #expect(throws: (any Error).self, "\(path) = \(value as Any)") {
                try JSON.read(WMTUserOperation.self, changed)
            }
        }
    }

    @Test func `An optional member of an operation is nil or empty if it is missing, null or of a wrong type`() throws {
        let operation = try Example.operation
        let isAbsent: [(path: String, check: (WMTUserOperation) -> Bool)] = [
            ("statusReason", { $0.statusReason == nil }), ("proximityCheck", { $0.proximityCheck == nil }),
            ("formData.attributes", { $0.formData.attributes.isEmpty }),
            ("formData.resultTexts", { $0.formData.resultTexts == nil }),
            ("formData.resultTexts.success", { $0.formData.resultTexts?.success == nil }),
            ("ui.flipButtons", { $0.ui?.flipButtons == nil }),
            ("ui.blockApprovalOnCall", { $0.ui?.blockApprovalOnCall == nil }),
            ("ui.preApprovalScreen", { $0.ui != nil && $0.ui?.preApprovalScreen == nil }),
            ("ui.postApprovalScreen", { $0.ui != nil && $0.ui?.postApprovalScreen == nil }),
            ("ui.templates", { $0.ui?.templates == nil }),
        ]
        for (path, check) in isAbsent {
            for value in [nil, .null, .integer(7), "text", ["text"]] as [JSONValue?] {
                if path == "statusReason", value == "text" { continue }
                if path == "formData.resultTexts.success", value == "text" { continue }
                let read = try JSON.read(WMTUserOperation.self, operation.with(path, value))
                #expect(check(read), "\(path) = \(value as Any)")
            }
        }
    }

    @Test func `The screen's data may be missing or null, but must be an object`() throws {
        let operation = try Example.operation
        for value in [nil, .null] as [JSONValue?] {
            #expect(try JSON.read(WMTUserOperation.self, operation.with("ui", value)).ui == nil)
        }
        for value in ["text", .integer(7), []] as [JSONValue] {
            #expect(throws: (any Error).self) { try JSON.read(WMTUserOperation.self, operation.with("ui", value)) }
        }
    }

    @Test func `Unknown statuses, signature types and variants are refused`() throws {
        let operation = try Example.operation
        for (path, value) in [
            ("status", "DELAYED"), ("allowedSignatureType.type", "ECDSA"),
            ("allowedSignatureType.variants.0", "possession_magic"), ("operationCreated", "yesterday"),
        ] as [(String, JSONValue)] {
            #expect(throws: (any Error).self, "\(path)") {
                try JSON.read(WMTUserOperation.self, operation.with(path, value))
            }
        }
    }

    @Test func `Unknown members of an operation are ignored`() throws {
        let operation = try Example.operation.with("future", ["a": 1]).with("formData.future", true)
        #expect(try JSON.read(WMTUserOperation.self, operation).id == Example.id)
    }

    @Test(.verifies("mobile-token.md", "B-8"))
    func `Two factors with two variants and one factor with one variant are read`() throws {
        let two = try JSON.read(WMTUserOperation.self, Example.operation).allowedSignatureType
        #expect(two.signatureType == .twoFactors)
        #expect(two.signatureFactors == [.possessionKnowledge, .possessionBiometry] && two.isBiometryAllowed)
        let one = try JSON.read(
            WMTAllowedOperationSignature.self, ["type": "1FA", "variants": ["possession_knowledge"]])
        #expect(one.signatureType == .singleFactor && one.signatureFactors == [.possessionKnowledge])
        #expect(!one.isBiometryAllowed)
        let none = try JSON.read(WMTAllowedOperationSignature.self, ["type": "1FA", "variants": []])
        #expect(none.signatureFactors.isEmpty)
        let possession = try JSON.read(WMTAllowedOperationSignature.self, ["type": "1FA", "variants": ["possession"]])
        #expect(possession.signatureFactors == [.possession])
        #expect(possession.signatureType == .singleFactor)
    }

    @Test(.verifies("mobile-token.md", "B-12"))
    func `Result texts are nil without any, and each is nil without its own`() throws {
        let operation = try Example.operation
        func texts(_ value: JSONValue?) throws -> WMTResultTexts? {
            try JSON.read(WMTUserOperation.self, operation.with("formData.resultTexts", value)).formData.resultTexts
        }
        #expect(try texts(nil) == nil)
        let one = try #require(try texts(["success": "Paid"]))
        #expect(one.success == "Paid" && one.reject == nil && one.failure == nil)
        let all = try #require(try texts(["success": "a", "reject": "b", "failure": "c"]))
        #expect(all.success == "a" && all.reject == "b" && all.failure == "c")
    }

    @Test func `A class of the app reads members of its own`() throws {
        final class AppOperation: WMTUserOperation {
            enum Key: CodingKey { case colour }
            let colour: String

            required init(from decoder: any Decoder) throws {
                colour = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .colour)
                try super.init(from: decoder)
            }
        }
        let operation = try JSON.read(AppOperation.self, Example.operation.with("colour", "red"))
        #expect(operation.colour == "red" && operation.name == "payment")
        #expect(throws: (any Error).self) { try JSON.read(AppOperation.self, Example.operation) }
    }

    @Test func `A proximity check that the server sends is read with its time`() throws {
        let check: JSONValue = ["totp": "123", "type": "QR_CODE", "timestampReceived": "2026-03-01T08:16:00Z"]
        let operation = try JSON.read(WMTUserOperation.self, Example.operation.with("proximityCheck", check))
        #expect(operation.proximityCheck?.totp == "123" && operation.proximityCheck?.type == .qrCode)
        #expect(operation.proximityCheck?.timestampReceived == Date(timeIntervalSince1970: 1_772_352_960))
    }
}
