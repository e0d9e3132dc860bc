// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Secrets are never shown", .endsInTime)
struct SecretTests {
    private static let canary = "c4n4ry/+=secret"

    /// Every encoding in which a secret could leak.
    private static var encodings: [String] {
        let bytes = Data(canary.utf8)
        return [
            canary, bytes.base64EncodedString(), bytes.map { String(format: "%02x", $0) }.joined(),
            bytes.map { String(format: "%02X", $0) }.joined(),
            canary.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? canary,
        ]
    }

    @Test func `A canary in a scenario appears in no report, even if a peer sends it back`() async throws {
        let echo = Self.encodings.joined(separator: " ")
        for steps in [
            "  - main: persistActivation\n    with: { password: '\(Self.canary)' }\n",
            "  - main: requestAccessToken\n    with: { name: a, password: '\(Self.canary)' }\n    expect: { tokenName: b }\n",
            "  - eventually: 50ms\n    main: requestAccessToken\n    with: { name: a, password: '\(Self.canary)' }\n    expect: { tokenName: b }\n",
        ] {
            let run = try await FakeRun(
                steps,
                answers: FakeAnswers([
                    "main.persistActivation": [["error": ["message": .string(echo), "name": "x"]]],
                    "main.requestAccessToken": [["result": ["tokenName": .string(echo), "tokenIdentifier": "t"]]],
                ])
            ) { lab in
                try lab.emit(.log, of: "main", ["message": .string(echo)])
            }
            #expect(run.result.verdict == .failed)
            #expect(run.requests.contains { $0.arguments["password"]?.stringValue == Self.canary })
            for encoding in Self.encodings {
                #expect(!run.sinks.contains(encoding), "\(encoding) is in\n\(run.sinks)")
            }
        }
    }

    @Test
    func `A secret from the environment, a declared one and a generated PIN are hidden like a literal`() async throws {
        let run = try await FakeRun(
            """
            name: Secrets
            values:
              outside: { environment: CANARY, secret: true }
              declared: { secret: '\(Self.canary)2' }
              pin: { generate: pin, digits: 8 }
            steps:
              - parallel:
                  - main: persistActivation
                    with: { password: "${outside}" }
                  - wallet: persistActivation
                    with: { password: "${declared}" }
                  - main: removeActivation
                    with: { password: "${pin}" }
            """,
            answers: FakeAnswers([
                "main.persistActivation": [["error": ["message": .string("got \(Self.canary)")]]],
                "wallet.persistActivation": [["error": ["message": .string("got \(Self.canary)2")]]],
            ]), environment: ["CANARY": Self.canary])
        let sent = run.requests.compactMap { $0.arguments["password"]?.stringValue }
        #expect(sent.count == 3)
        for secret in sent { #expect(!run.sinks.contains(secret), "\(run.sinks)") }
    }

    @Test func `A key or PUK in a peer's answer reaches the next step but no report`() async throws {
        let puk = "4815162342"
        let run = try await FakeRun(
            """
              - main: activationRecoveryData
                with: { password: '1234' }
                as: recovery
              - main: createActivationWithRecoveryCode
                with: { recoveryCode: "R:${recovery.recoveryCode}", puk: "${recovery.puk}" }
              - main: fetchEncryptionKey
                with: { password: '1234' }
                expect: another

            """,
            answers: FakeAnswers([
                "main.activationRecoveryData": [["result": ["recoveryCode": "A-B", "puk": .string(puk)]]],
                "main.fetchEncryptionKey": [["result": .string(Self.canary)]],
            ]))
        #expect(run.result.verdict == .failed)
        #expect(run.requests.contains { $0.arguments["puk"]?.stringValue == puk })
        #expect(run.requests.contains { $0.command == "fetchEncryptionKey" })
        #expect(!run.sinks.contains(puk), "\(run.sinks)")
        for encoding in Self.encodings { #expect(!run.sinks.contains(encoding), "\(run.sinks)") }
    }

    @Test func `A short secret is hidden only as a whole word, not in every number`() {
        let redactor = Redactor(secrets: ["1234"])
        #expect(redactor.redact("PIN 1234, port 51234, \"1234\"") == "PIN ••••, port 51234, \"••••\"")
        #expect(redactor.redact("1234") == "••••")
    }

    @Test func `A secret on the command line is refused, one from the environment accepted`() async throws {
        try await FakeLab.run(FakeLab.onePhone) { lab in
            func call(_ words: String...) throws -> CommandLineCall {
                try CommandLineCall(
                    actor: "main", command: "persistActivation", words: words, in: lab.connection,
                    environment: ["PIN": "8642"], readInput: { _ in "9753\n" })
            }
            #expect(throws: BadUsage.self) { try call("password=8642") }
            #expect(throws: BadUsage.self) { try call("password=env:MISSING") }
            #expect(throws: BadUsage.self) { try call() }
            _ = try call("password=env:PIN").perform(in: lab.connection)
            _ = try call("password=@-").perform(in: lab.connection)
            #expect(lab.answers.requests.map { $0.arguments["password"] } == ["8642", "9753"])
        }
    }
}
