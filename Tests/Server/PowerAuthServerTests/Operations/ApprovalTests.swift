import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Signed data and flags of approvals", .endsInTime)
struct ApprovalTests {
    @Test("A separator in a parameter is escaped, also before a combining mark", arguments: ["*", "\\", "\n"])
    func escaping(separator: String) async throws {
        try await ServerFixture.run { client in
            _ = try await client.createTemplate(data: "A1*A${amount}*N${note}")
            let operation = try await client.createOperation(
                "payment", ["parameters": ["amount": "1EUR", "note": "x\(separator)\u{301}Qy"]])
            let escaped = ["*": #"\*"#, "\\": #"\\"#, "\n": #"\n"#][separator] ?? ""
            let expected = "A1*A1EUR*Nx\(escaped)\u{301}Qy"
            #expect(try operation.required("data").unicodeScalars.elementsEqual(expected.unicodeScalars))
        }
    }

    @Test("Data that reads the same and is other bytes approves nothing")
    func bytes() async throws {
        try await ServerFixture.run { client in
            _ = try await client.createTemplate(data: "A1*N${note}")
            let id = try await client.createOperation("payment", ["parameters": ["note": "caf\u{E9}"]]).required("id")
            let decomposed = try await client.approve(id, ["data": "A1*Ncafe\u{301}"])
            #expect(decomposed.text("result") == "APPROVAL_FAILED")
            #expect(try await client.approve(id, ["data": "A1*Ncaf\u{E9}"]).text("result") == "APPROVED")
        }
    }

    @Test("An operation with a flag is approved by an activation that has it, unless the settings say otherwise")
    func flags() async throws {
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

    @Test("Length, step and number of steps of proximity codes are those of the settings")
    func proximity() async throws {
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
