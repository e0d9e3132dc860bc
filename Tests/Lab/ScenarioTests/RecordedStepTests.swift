// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("lab record", .endsInTime)
struct RecordedStepTests {
    @Test func `A recorded scenario expects the observed flags, words and errors, and is formatted`() async throws {
        let shell = try await FakeShell(
            """
            server initActivation as code
            - main:   persistActivation
              with: {password: "1234"}

            main hasValidActivation
            main fetchActivationStatus
            wallet createActivation activationCode=${code.activationCode}
            main canStartActivation
            undo
            """,
            answers: [
                "server.initActivation": [["result": ["activationCode": "AAAAA"]]],
                "main.hasValidActivation": [["result": true]],
                "main.canStartActivation": [["result": false]],
                "main.fetchActivationStatus": [["result": ["state": "active", "failCount": 0]]],
                "wallet.createActivation": [
                    ["error": ["name": "externalPendingOperation", "domain": "PowerAuthErrorDomain"]]
                ],
            ], isInteractive: false, isRecording: true)
        #expect(shell.outcome == .passed, "\(shell.errors)")
        #expect(
            shell.saved == """
                name: Found by hand
                lab: default
                values:
                  password: { environment: LAB_PASSWORD, secret: true }
                steps:
                  - server: initActivation
                    as: code
                  - main: persistActivation
                    with: { password: "${password}" }
                  - main: hasValidActivation
                    expect: true
                  - main: fetchActivationStatus
                    expect: { state: active }
                  - wallet: createActivation
                    with: { activationCode: "${code.activationCode}" }
                    fails: externalPendingOperation

                """)
    }

    @Test func `A step that reads what arrives over the link asks until it has arrived`() async throws {
        let shell = try await FakeShell(
            """
            main hasLocalToken name=accounts
            companion hasLocalToken name=accounts
            main watchSession
            - companion: hasValidActivation
              eventually: 1s
              expect: true

            { companion: hasValidActivation }
            """,
            answers: [
                "main.hasLocalToken": [["result": true]], "companion.hasLocalToken": [["result": true]],
                "main.watchSession": [["result": ["isReachable": true]]],
                "companion.hasValidActivation": [["result": true], ["result": true]],
            ], isInteractive: false, isRecording: true)
        #expect(shell.outcome == .passed, "\(shell.errors)")
        #expect(
            shell.saved == """
                name: Found by hand
                lab: default
                steps:
                  - main: hasLocalToken
                    with: { name: accounts }
                    expect: true
                  - companion: hasLocalToken
                    with: { name: accounts }
                    eventually: 5s
                    expect: true
                  - main: watchSession
                    eventually: 5s
                    expect: { isReachable: true }
                  - companion: hasValidActivation
                    eventually: 1s
                    expect: true
                  - { companion: hasValidActivation, eventually: 5s, expect: true }

                """, "\(shell.saved ?? "")")
    }

    @Test func `A pasted step in any form expects the observed answer`() async throws {
        let shell = try await FakeShell(
            """
            { wallet: createActivation, with: { activationCode: AAAAA-AAAAA-AAAAA-ATAAA } }
            - wallet: createActivation
              with: { activationCode: AAAAA-AAAAA-AAAAA-ATAAA }

            - { main: hasValidActivation }

            """,
            answers: [
                "wallet.createActivation": [
                    ["error": ["name": "externalPendingOperation", "domain": "PowerAuthErrorDomain"]]
                ],
                "main.hasValidActivation": [["result": true]],
            ], isInteractive: false, isRecording: true)
        #expect(shell.outcome == .passed, "\(shell.errors)")
        #expect(
            shell.saved == """
                name: Found by hand
                lab: default
                steps:
                  - { wallet: createActivation, with: { activationCode: AAAAA-AAAAA-AAAAA-ATAAA }, fails: externalPendingOperation }
                  - wallet: createActivation
                    with: { activationCode: AAAAA-AAAAA-AAAAA-ATAAA }
                    fails: externalPendingOperation
                  - { main: hasValidActivation, expect: true }

                """, "\(shell.saved ?? "")")
    }

    @Test
    func `A typed value that occurred in an answer becomes a reference, and that answer's step keeps it`() async throws
    {
        let shell = try await FakeShell(
            """
            server initActivation userId=alice
            main createActivation activationCode=VVVVV-VVVVV-VVVVV-VTFVA name=alice
            server commitActivation activationId=6f1b0c3e-0001
            - server: initActivation
              with: { userId: alice }
            - server: initActivation

            { server: initActivation }
            wallet createActivation activationCode="BBBBB-BBBBB-BBBBB-BTCBA"
            main persistActivation password=CCCCC-CCCCC-CCCCC-CTCCA
            server initActivation as activation2
            """,
            answers: [
                "server.initActivation": [
                    [
                        "result": [
                            "activationCode": "VVVVV-VVVVV-VVVVV-VTFVA", "activationId": "6f1b0c3e-0001",
                            "userId": "alice",
                        ]
                    ],
                    ["result": ["activationCode": "AAAAA-AAAAA-AAAAA-ATAAA"]],
                    ["result": ["activationCode": "BBBBB-BBBBB-BBBBB-BTCBA"]],
                    ["result": ["activationCode": "CCCCC-CCCCC-CCCCC-CTCCA"]],
                ]
            ], isInteractive: false, isRecording: true)
        #expect(shell.outcome == .passed, "\(shell.errors)")
        // A kept answer gets another name, and an expectation that the writer gave first is unchanged.
        #expect(
            shell.saved == """
                name: Found by hand
                lab: default
                steps:
                  - server: initActivation
                    as: activation
                    with: { userId: alice }
                  - main: createActivation
                    with: { activationCode: "${activation.activationCode}", name: alice }
                  - server: commitActivation
                    with: { activationId: "${activation.activationId}" }
                  - server: initActivation
                    with: { userId: alice }
                  - server: initActivation
                    as: activation3
                  - { server: initActivation, as: activation4 }
                  - wallet: createActivation
                    with: { activationCode: "${activation3.activationCode}" }
                  - main: persistActivation
                    with: { password: "${activation4.activationCode}" }
                  - server: initActivation
                    as: activation2

                """)
    }

    @Test func `An undone step provides no references`() async throws {
        let shell = try await FakeShell(
            "server initActivation\nundo\nmain createActivation activationCode=VVVVV-VVVVV-VVVVV-VTFVA",
            answers: ["server.initActivation": [["result": ["activationCode": "VVVVV-VVVVV-VVVVV-VTFVA"]]]])
        #expect(shell.saved?.contains("activationCode: VVVVV-VVVVV-VVVVV-VTFVA") == true, "\(shell.saved ?? "")")
    }

    @Test
    func `A failing replay says which step differs, and whether time or its values may be the reason`() async throws {
        let sample = try #require(ScenarioResult.sample(.failed).failures.first)
        let reasons = [
            (UInt64(12_000_000_000), sample.differences, "it came 12 s after the step before"),
            (0, sample.differences, "take what differs out of `expect`"),
            (0, [], "it may be that a value holds in one session only (activationCode)"),
        ]
        for (pause, differences, reason) in reasons {
            let recorded = try await onThread {
                try RecordedSteps(of: "main createActivation activationCode=x", after: pause)
            }
            var failure = sample
            (failure.step, failure.title, failure.differences) = ("1.2", "main: createActivation", differences)
            let told = try #require(recorded.difference(failure))
            #expect(told.hasPrefix("step 1.2, `main: createActivation`, did not end as in the session: "))
            #expect(told.contains(reason), "\(told)")
            failure.step = "2"
            #expect(recorded.difference(failure) == nil)
        }
    }
}

extension RecordedSteps {
    /// One step as it was read, run after a pause.
    fileprivate init(of line: String, after pause: UInt64) throws {
        self.init()
        let fake = try FakeLab(try FakeShell.topology(), answers: FakeAnswers([:]))
        defer { fake.end() }
        let steps = try LiveSteps(for: fake.connection, directory: fake.runDirectory, labFile: FakeShell.labFile)
        defer { steps.stop() }
        let yaml = try steps.yaml(line)
        guard case .done(let carriedOut, let answer) = try steps.perform(yaml) else {
            throw BadUsage(sentence: "the step was not carried out")
        }
        add(yaml, steps: carriedOut, answer: answer, error: nil, after: pause)
    }
}
