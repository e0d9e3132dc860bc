// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Signed data and flags of approvals", .endsInTime)
struct ApprovalTests {
    @Test(
        .verifies("server.md", "B-51"),
        arguments: ["*", "\\", "\n"])
    func `A separator in a parameter is escaped, also before a combining mark`(separator: String) async throws {
        try await ServerFixture.run { client in
            _ = try await client.createTemplate(data: "A1*A${amount}*N${note}")
            let operation = try await client.createOperation(
                "payment", ["parameters": ["amount": "1EUR", "note": "x\(separator)\u{301}Qy"]])
            let escaped = ["*": #"\*"#, "\\": #"\\"#, "\n": #"\n"#][separator] ?? ""
            let expected = "A1*A1EUR*Nx\(escaped)\u{301}Qy"
            #expect(try operation.required("data").unicodeScalars.elementsEqual(expected.unicodeScalars))
        }
    }

    @Test(.verifies("server.md", "B-52"))
    func `Data that reads the same and is other bytes approves nothing`() async throws {
        try await ServerFixture.run { client in
            _ = try await client.createTemplate(data: "A1*N${note}")
            let id = try await client.createOperation("payment", ["parameters": ["note": "caf\u{E9}"]]).required("id")
            let decomposed = try await client.approve(id, ["data": "A1*Ncafe\u{301}"])
            #expect(decomposed.text("result") == "APPROVAL_FAILED")
            #expect(try await client.approve(id, ["data": "A1*Ncaf\u{E9}"]).text("result") == "APPROVED")
        }
    }

    @Test(.verifies("server.md", "B-58"))
    func `An operation with a flag is approved by an activation that has it, unless the settings say otherwise`()
        async throws
    {
        for isChecked in [true, false] {
            try await ServerFixture { $0.policy.isFlagCheckedAtApproval = isChecked }.run { client in
                _ = try await client.createTemplate()
                let (with, _) = try await client.initiate(["flags": ["F"]])
                let (without, _) = try await client.initiate()
                let (foreign, _) = try await client.initiate(["userId": "mallory", "flags": ["F"]])
                for (activation, isRight) in [(with, true), (without, false), (foreign, false), (nil, false)] {
                    let id = try await client.createOperation("payment", ["activationFlag": "F"]).required("id")
                    let data: [String: String] = activation.map { ["activationId": $0] } ?? [:]
                    let decided = try await client.approve(id, ["additionalData": data])
                    let expected = isRight || !isChecked ? "APPROVED" : "APPROVAL_FAILED"
                    #expect(decided.text("result") == expected, "\(activation ?? "none"), checked: \(isChecked)")
                }
            }
        }
    }

    @Test(.verifies("size", "ProximityPolicy.digits", "ProximityPolicy.step"))
    func `Length, step and number of steps of proximity codes are those of the settings`() async throws {
        let fixture = try ServerFixture {
            $0.policy.proximity.digits = 6
            $0.policy.proximity.step = 10_000
            $0.policy.proximity.previousSteps = 2
        }
        try await fixture.run { client in
            _ = try await client.createTemplate()
            for (wait, result) in [(0, "APPROVED"), (20_000, "APPROVED"), (30_000, "APPROVAL_FAILED")] {
                let created = try await client.createOperation("payment", ["proximityCheckEnabled": true])
                let code = try created.required("proximityOtp")
                #expect(code.count == 6)
                client.clock.advance(milliseconds: Int64(wait))
                let decided = try await client.approve(
                    created.required("id"), ["additionalData": ["proximity_otp": code]])
                #expect(decided.text("result") == result, "after \(wait) ms")
            }
        }
    }
}

/// What the user agent of an app says of its device (server.md, section 18.3).
@Suite("User agents", .endsInTime)
struct DeviceUserAgentTests {
    @Test func `The user agent of the vendor's library is taken apart, and no other`() {
        let known = "PowerAuthNetworking/1.1.7 (en; cellular) com.acme.app/2.0.0 (Apple; iOS/16.6.1; iphone12,3)"
        let parts: JSONValue = [
            "networkVersion": "1.1.7", "language": "en", "connection": "cellular", "product": "com.acme.app",
            "version": "2.0.0", "platform": "Apple", "os": "iOS", "osVersion": "16.6.1", "model": "iphone12,3",
        ]
        #expect(DeviceUserAgent(known)?.json == parts)
        for other in ["", "Mozilla/5.0", " " + known, known + " ", known.replacing("; cellular", with: "")] {
            #expect(DeviceUserAgent(other) == nil, "\(other)")
        }
    }
}
