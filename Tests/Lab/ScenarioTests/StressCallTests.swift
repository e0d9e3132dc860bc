// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabControl
import LabCore
import TestSupport
import Testing

@testable import LabTools

@Suite("Each action of a stress run is what an app and its user would do", .endsInTime)
struct StressCallTests {
    /// An action with the lab's answers, and what it asks for.
    struct Row: Sendable, CustomTestStringConvertible {
        let action: StressAction
        var app = "app1"
        /// Answers that differ from the usual ones, of `app1` unless they name an actor.
        var answers: [String: JSONValue] = [:]
        /// Whether the driver knows the secrets of the activation, and the application's own key among them.
        var isKnown = true
        var hasKey = false
        let commands: String
        var outcome = RecordedCall.Outcome.done
        var error: String?
        var found: Bool?
        var needsNewObject = false

        var testDescription: String { "\(action) of \(app): \(commands)" }
    }

    private static let usual: [String: JSONValue] = [
        "hasPendingActivation": false, "hasValidActivation": false, "hasExternalEncryptionKey": false,
        "activationIdentifier": "A", "createActivation": ["activationFingerprint": "12345678"],
        "fetchActivationStatus": state("active"), "hasBiometryFactor": true,
        "localToken": ["tokenName": "cards", "tokenIdentifier": "t"],
        "requestAccessToken": ["tokenName": "cards", "tokenIdentifier": "t"], "removeBiometryFactor": true,
        "sendActivationStatusToWatch": true, "post": ["encrypted": false],
        "startLegacyActivation": ["devicePublicKey": "k"],
        "server.initActivation": [
            "activationId": "A", "activationCode": "C", "activationSignature": "s", "userId": "u",
            "applicationId": "a",
        ],
        "server.call": ["activations": [["activationId": "L", "serverPublicKey": "s"]]],
    ]

    private static func state(_ state: String) -> JSONValue {
        ["state": .string(state), "failCount": 0, "maxFailCount": 5, "remainingAttempts": 5]
    }

    /// An answer that is an error.
    private static func failure(_ name: String) -> JSONValue {
        ["error": ["domain": "PowerAuthErrorDomain", "name": .string(name), "message": "no"]]
    }

    private static let begin = "hasPendingActivation hasValidActivation initActivation createActivation"
    private static let activation = "\(begin) hasExternalEncryptionKey persistActivation commitActivation"
    private static let identified = "activationIdentifier hasExternalEncryptionKey"

    private static let activations: [Row] = [
        Row(action: .activate, commands: activation),
        Row(
            action: .activate, answers: ["hasPendingActivation": true],
            commands: activation.replacing("hasPendingActivation", with: "hasPendingActivation removeActivationLocal")),
        Row(
            action: .activate, answers: ["hasValidActivation": true],
            commands: "hasPendingActivation hasValidActivation", outcome: .notDone),
        Row(
            action: .activate, answers: ["createActivation": failure("invalidActivationState")],
            commands: "\(begin) commitActivation", outcome: .notDone),
        Row(
            action: .activate, answers: ["createActivation": failure("networkError")],
            commands: "\(begin) commitActivation", outcome: .unknown, error: "networkError"),
        Row(action: .activateOld, commands: "hasPendingActivation startLegacyActivation call completeLegacyActivation"),
        Row(
            action: .activateOld, answers: ["startLegacyActivation": failure("invalidActivationState")],
            commands: "hasPendingActivation startLegacyActivation", outcome: .notDone),
        Row(action: .validActivation, commands: "hasValidActivation", found: false),
        Row(action: .removeLocally, commands: "removeActivationLocal"),
        Row(action: .replace, commands: "removeActivationLocal \(activation)"),
        Row(action: .removeActivation, commands: "\(identified) removeActivation"),
        Row(action: .relaunch, commands: ""),
        Row(action: .tellWatch, commands: "sendActivationStatusToWatch transferUserInfo"),
        Row(action: .tellWatch, app: "app2", commands: "", outcome: .notDone),
    ]

    private static let states: [Row] =
        ["active", "created", "pendingCommit"].map {
            Row(action: .status, answers: ["fetchActivationStatus": state($0)], commands: "fetchActivationStatus")
        }
        + ["removed", "blocked", "deadlock"].map {
            Row(
                action: .status, answers: ["fetchActivationStatus": state($0)],
                commands: "fetchActivationStatus removeActivationLocal")
        }

    private static let signatures: [Row] = [
        Row(action: .knowledgeSignature, commands: "\(identified) validatePassword"),
        Row(
            action: .knowledgeSignature, answers: ["activationIdentifier": nil], commands: "activationIdentifier",
            outcome: .notDone),
        Row(
            action: .knowledgeSignature, isKnown: false, commands: "activationIdentifier removeActivationLocal",
            outcome: .notDone),
        Row(
            action: .knowledgeSignature, hasKey: true,
            commands: "\(identified) setExternalEncryptionKey validatePassword"),
        Row(
            action: .knowledgeSignature, answers: ["hasExternalEncryptionKey": true], hasKey: true,
            commands: "\(identified) validatePassword"),
        Row(
            action: .knowledgeSignature, answers: ["hasExternalEncryptionKey": true], commands: identified,
            outcome: .notDone, needsNewObject: true),
        Row(
            action: .knowledgeSignature, answers: ["validatePassword": failure("signatureError")],
            commands: "\(identified) validatePassword", outcome: .notDone, error: "signatureError"),
        Row(action: .biometrySignature, commands: "\(identified) hasBiometryFactor answerBiometry post"),
        Row(
            action: .biometrySignature, answers: ["hasBiometryFactor": false],
            commands: "\(identified) hasBiometryFactor",
            outcome: .notDone, error: "biometryNotAvailable"),
        Row(action: .requestToken, commands: "activationIdentifier requestAccessToken activationIdentifier"),
        Row(
            action: .tokenHeader, commands: "activationIdentifier localToken generateHeader activationIdentifier",
            found: true),
        Row(
            action: .tokenHeader, answers: ["localToken": nil],
            commands: "activationIdentifier localToken activationIdentifier", found: false),
        Row(action: .removeToken, commands: "activationIdentifier removeAccessToken activationIdentifier"),
        Row(
            action: .removeToken, answers: ["removeAccessToken": failure("invalidToken")],
            commands: "activationIdentifier removeAccessToken", outcome: .notDone, error: "invalidToken"),
    ]

    private static let secrets: [Row] = [
        Row(action: .changePassword, commands: "\(identified) changePassword activationIdentifier"),
        Row(action: .changePassword, isKnown: false, commands: "activationIdentifier", outcome: .notDone),
        Row(
            action: .changePassword, answers: ["changePassword": failure("networkError")],
            commands: "\(identified) changePassword", outcome: .unknown, error: "networkError"),
        Row(
            action: .changePassword, answers: ["changePassword": failure("signatureError")],
            commands: "\(identified) changePassword", outcome: .notDone, error: "signatureError"),
        Row(action: .externalKey, commands: "\(identified) addExternalEncryptionKey activationIdentifier"),
        Row(
            action: .externalKey, answers: ["hasExternalEncryptionKey": true], hasKey: true,
            commands: "\(identified) removeExternalEncryptionKey activationIdentifier"),
        Row(action: .externalKey, isKnown: false, commands: "activationIdentifier", outcome: .notDone),
        Row(
            action: .externalKey, answers: ["addExternalEncryptionKey": failure("signatureError")],
            commands: "\(identified) addExternalEncryptionKey", outcome: .notDone, error: "signatureError"),
        Row(action: .addBiometry, commands: "\(identified) addBiometryFactor"),
        Row(
            action: .addBiometry, isKnown: false,
            commands: "activationIdentifier activationIdentifier removeActivationLocal", outcome: .notDone),
        Row(action: .removeBiometry, commands: "removeBiometryFactor"),
    ]

    private static let rows = [activations, states, signatures, secrets].flatMap { $0 }

    @Test(arguments: rows)
    func `Every action has its commands, in this order, and their outcome`(_ row: Row) async throws {
        try await onThread {
            let (answer, requests) = try Self.perform(row) { _ in }
            #expect(requests.map(\.command).joined(separator: " ") == row.commands)
            #expect(requests.allSatisfy { $0.operation == "\(row.app)/7" })
            #expect(answer.outcome == row.outcome)
            #expect(answer.error?.name == row.error)
            #expect(answer.found == row.found)
            #expect(answer.needsNewObject == row.needsNewObject)
        }
    }

    @Test func `The table has each action`() {
        #expect(Set(Self.rows.map(\.action)) == Set(StressAction.allCases))
    }

    /// Performs the action of a row.
    ///
    /// - Parameter known: Gets what the driver knows afterwards of the activation.
    private static func perform(
        _ row: Row, known: (StressSecrets.Activation?) -> Void
    ) throws -> (StressAnswer, [ControlRequest]) {
        var script: [String: [JSONValue]] = [:]
        for (name, value) in usual.merging(row.answers, uniquingKeysWith: { $1 }) {
            script[name.contains(".") ? name : "app1.\(name)"] = [value["error"] == nil ? ["result": value] : value]
        }
        let topology = try StressConfiguration(processes: 2, duration: .seconds(1)).topology
        let lab = try FakeLab(topology, answers: FakeAnswers(script))
        defer { lab.end() }
        let secrets = StressSecrets()
        if row.isKnown { try secrets.making("A", hasExternalKey: { row.hasKey }) {} }
        let call = StressPlan.Call(number: 7, action: row.action, token: "cards", fault: nil)
        let answer = StressCalls(
            app: row.app, instance: lab.connection, secrets: secrets, operation: "\(row.app)/7",
            patience: LabDuration.seconds(20).stretched
        ).perform(call)
        known(secrets.using { secrets.activation("A") })
        return (answer, lab.answers.requests)
    }

    // MARK: What is recorded

    @Test func `The record has the activation and the token of a call, and the numbers of passwords`() async throws {
        try await onThread { () throws in
            func expect(
                _ action: StressAction, _ answers: [String: JSONValue] = [:], has expected: [String: JSONValue]
            ) throws {
                let (answer, _) = try Self.perform(Row(action: action, answers: answers, commands: "")) { _ in }
                #expect(answer.fields == expected, "\(action)")
            }
            let done: [String: JSONValue] = ["outcome": "done"]
            let about: [String: JSONValue] = ["outcome": "done", "activationId": "A"]
            try expect(.requestToken, has: about.merging(["tokenIdentifier": "t"]) { $1 })
            try expect(.tokenHeader, has: about.merging(["found": true, "tokenIdentifier": "t"]) { $1 })
            try expect(.tokenHeader, ["localToken": nil], has: about.merging(["found": false]) { $1 })
            try expect(.removeToken, has: about)
            try expect(.removeToken, ["activationIdentifier": nil], has: done)
            try expect(.biometrySignature, has: done)
            for action in [StressAction.knowledgeSignature, .addBiometry, .removeActivation] {
                try expect(action, has: done.merging(["password": 0]) { $1 })
            }
            try expect(.changePassword, has: done.merging(["password": 0, "newPassword": 1]) { $1 })
            for (error, outcome) in [("networkError", "unknown"), ("signatureError", "notDone")] {
                let failed: [String: JSONValue] = [
                    "outcome": .string(outcome), "error": .string(error), "message": "no", "password": 0,
                ]
                try expect(.knowledgeSignature, ["validatePassword": Self.failure(error)], has: failed)
                try expect(
                    .changePassword, ["changePassword": Self.failure(error)],
                    has: failed.merging(["newPassword": 1]) { $1 })
            }
        }
    }

    @Test func `An error of the network is recorded without its name`() {
        let lost = StressAnswer(ControlError(domain: ControlError.urlLoadingDomain, name: "timedOut", message: "late"))
        #expect(lost.fields == ["outcome": "unknown", "message": "late"])
    }

    // MARK: Secrets

    private static func known(after row: Row) throws -> StressSecrets.Activation? {
        var found: StressSecrets.Activation?
        _ = try perform(row) { found = $0 }
        return found
    }

    @Test func `What an action changes is known afterwards, unless its outcome is unknown`() async throws {
        try await onThread { () throws in
            func known(
                _ action: StressAction, _ answers: [String: JSONValue] = [:], hasKey: Bool = false
            ) throws -> StressSecrets.Activation? {
                try Self.known(after: Row(action: action, answers: answers, hasKey: hasKey, commands: ""))
            }
            let first = StressSecrets.Activation()
            #expect(try known(.knowledgeSignature) == first)
            #expect(try known(.changePassword)?.password == "changed-1")
            #expect(try known(.changePassword, ["changePassword": Self.failure("signatureError")]) == first)
            #expect(try known(.changePassword, ["changePassword": Self.failure("networkError")]) == nil)
            #expect(try known(.externalKey)?.hasExternalKey == true)
            #expect(try known(.externalKey, ["hasExternalEncryptionKey": true], hasKey: true) == first)
            #expect(try known(.externalKey, ["addExternalEncryptionKey": Self.failure("signatureError")]) == first)
            #expect(try known(.externalKey, ["addExternalEncryptionKey": Self.failure("networkError")]) == nil)
            // The application had the key when the activation was made.
            #expect(try known(.activate, ["hasExternalEncryptionKey": true])?.hasExternalKey == true)
        }
    }

    @Test func `Secrets, codes and tokens go where they belong`() async throws {
        try await onThread {
            func arguments(_ action: StressAction, of command: String) throws -> JSONValue? {
                let (_, requests) = try Self.perform(Row(action: action, commands: "")) { _ in }
                return requests.first { $0.command == command }?.arguments
            }
            #expect(try arguments(.activate, of: "createActivation")?["activationCode"] == "C")
            #expect(try arguments(.activate, of: "persistActivation")?["password"] == "1234")
            #expect(try arguments(.activate, of: "commitActivation")?["activationId"] == "A")
            #expect(try arguments(.activateOld, of: "completeLegacyActivation")?["activationId"] == "L")
            #expect(try arguments(.activateOld, of: "completeLegacyActivation")?["serverPublicKey"] == "s")
            let seed = try arguments(.activateOld, of: "call")?["request"]?["activations"]?[0]
            #expect(seed == ["userId": "alice", "version": 2, "devicePublicKey": "k"])
            #expect(try arguments(.knowledgeSignature, of: "validatePassword")?["password"] == "1234")
            #expect(try arguments(.changePassword, of: "changePassword")?["from"] == "1234")
            #expect(try arguments(.changePassword, of: "changePassword")?["to"] == "changed-1")
            #expect(try arguments(.biometrySignature, of: "answerBiometry")?["answer"] == "success")
            #expect(try arguments(.biometrySignature, of: "post")?["biometry"] == true)
            #expect(try arguments(.tellWatch, of: "transferUserInfo")?["userInfo"] == ["call": "app1/7"])
            for (action, command) in [
                (StressAction.requestToken, "requestAccessToken"), (.tokenHeader, "generateHeader"),
                (.removeToken, "removeAccessToken"),
            ] {
                #expect(try arguments(action, of: command)?["name"] == "cards", "\(action)")
            }
        }
    }
}
