// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// One way to be refused, with exactly what the device sees.
struct DeviceErrorRowV4: Sendable, CustomTestStringConvertible {
    let call: DeviceCallV4
    let what: String
    let failure: ErrorResponse
    var twist = TwistV4()
    /// How many failed attempts it adds to the activation.
    var counts = 0

    var testDescription: String { "\(call.rawValue): \(what)" }

    static let all = codes + headers + envelopes + contents + exchanges

    private static let calls = DeviceCallV4.allCases

    /// What can be wrong with any code.
    private static let codes = calls.filter(\.isCoded).flatMap { call -> [DeviceErrorRowV4] in
        // Possession alone is not counted.
        let counts = call == .confirmUpgrade ? 0 : 1
        let wrong = [
            DeviceErrorRowV4(
                call: call, what: "wrong key", failure: call.codeFailure, twist: TwistV4(isCodeCorrect: false),
                counts: counts),
            DeviceErrorRowV4(
                call: call, what: "another URI identifier", failure: call.codeFailure, twist: TwistV4(uriId: "/other"),
                counts: counts),
        ]
        let refused = SignatureType.allCases.filter { !call.factors.contains($0) }.map { type in
            // Where the vault looks at factors it answers with its own code.
            DeviceErrorRowV4(
                call: call, what: "a code of \(type.rawValue)",
                failure: call == .unlockVault && type == .possessionBiometry ? .vault : call.codeFailure,
                twist: TwistV4(factors: type))
        }
        return wrong + refused
    }

    /// Headers of another version, or without an attribute: nothing is counted.
    private static let headers = calls.filter { $0.form != .plain }.flatMap { call -> [DeviceErrorRowV4] in
        let failure = call.isCoded ? call.codeFailure : call.closedFailure
        let (own, other) = call == .startUpgrade ? ("\"3.3\"", "\"3.2\"") : ("\"4.0\"", "\"3.3\"")
        return [
            DeviceErrorRowV4(
                call: call, what: "headers of version \(other)", failure: failure,
                twist: TwistV4(header: { $0.replacing(own, with: other) })),
            DeviceErrorRowV4(
                call: call, what: "headers of version 5.0", failure: failure,
                twist: TwistV4(header: { $0.replacing(own, with: "\"5.0\"") })),
            DeviceErrorRowV4(
                call: call, what: "headers without application", failure: failure,
                twist: TwistV4(header: { $0.replacing("application_key", with: "application") })),
            DeviceErrorRowV4(
                call: call, what: "headers of another scheme", failure: failure,
                twist: TwistV4(header: { $0.replacing("PowerAuth ", with: "Basic ") })),
        ]
    }

    /// Envelopes that are incomplete, too old, or were made for something else. The code covers each as it is sent.
    private static let envelopes = calls.filter { ![.plain, .coded].contains($0.form) }
        .flatMap { call -> [DeviceErrorRowV4] in
            func row(_ what: String, _ change: @escaping @Sendable (inout [String: Any]) -> Void) -> DeviceErrorRowV4 {
                DeviceErrorRowV4(
                    call: call, what: what, failure: call.closedFailure, twist: TwistV4(envelope: change))
            }
            let purpose = DeviceErrorRowV4(
                call: call, what: "an envelope for another purpose", failure: call.closedFailure,
                twist: TwistV4(purpose: call.purpose == .tokenCreate ? .vaultUnlock : .tokenCreate))
            let missing = ["temporaryKeyId", "encryptedData", "nonce", "timestamp"].map { member in
                row("no \(member)") { $0[member] = nil }
            }
            return missing + [
                purpose, row("an unknown member") { $0["mac"] = "AAAA" },
                row("an unknown temporary key") { $0["temporaryKeyId"] = UUID().uuidString.lowercased() },
                row("a nonce of another size") { $0["nonce"] = StrictBase64.encode(Data(count: 23)) },
                row("one nonce twice") { $0["nonce"] = StrictBase64.encode(Data(repeating: 1, count: 24)) },
                row("data that is no Base64") { $0["encryptedData"] = "*" },
                row("data without a tag") { $0["encryptedData"] = StrictBase64.encode(Data(count: 43)) },
                row("another time") { shift(&$0, by: 1) },
                row("a time of long ago") { shift(&$0, by: -300_001) },
                row("a time to come") { shift(&$0, by: 300_001) },
                DeviceErrorRowV4(
                    call: call, what: "a body that is no JSON", failure: call.closedFailure,
                    twist: TwistV4(body: Data("{".utf8))),
            ]
        }

    private static func shift(_ envelope: inout [String: Any], by milliseconds: Int64) {
        envelope["timestamp"] = ((envelope["timestamp"] as? NSNumber)?.int64Value ?? 0) + milliseconds
    }

    private static func row(
        _ call: DeviceCallV4, _ what: String, _ failure: ErrorResponse,
        _ content: @escaping @Sendable (inout [String: Any]) -> Void
    ) -> DeviceErrorRowV4 {
        DeviceErrorRowV4(call: call, what: what, failure: failure, twist: TwistV4(content: content))
    }

    private static func secretRows(
        _ call: DeviceCallV4, _ change: @escaping @Sendable (inout [String: Any], String, Any) -> Void
    ) -> [DeviceErrorRowV4] {
        let failure = call.closedFailure
        return [
            row(call, "a suite of version 3", failure) { change(&$0, "algorithm", "EC_P256") },
            row(call, "another suite", failure) { change(&$0, "algorithm", "EC_P384_ML_L3") },
            row(call, "no key", failure) { change(&$0, "encapsulationKeys", [String]()) },
            row(call, "two keys", failure) { change(&$0, "encapsulationKeys", ["AAAA", "AAAA"]) },
            row(call, "a key that is no point", failure) {
                change(&$0, "encapsulationKeys", [StrictBase64.encode(Data([4]) + Data(count: 96))])
            },
        ]
    }

    private static let contents: [DeviceErrorRowV4] = [
        row(.createTemporaryKey, "no token", .temporaryKey) { $0["requestObject"] = [String: String]() },
        row(.createTemporaryKey, "a token of another format", .temporaryKey) {
            $0["requestObject"] = ["jwt": "a.b"]
        },
        row(.createTemporaryKey, "a token with another code", .temporaryKey) {
            let object = $0["requestObject"] as? [String: String]
            let parts = (object?["jwt"] ?? "").split(separator: ".")
            $0["requestObject"] = ["jwt": "\(parts[0]).\(parts[1]).AAAA"]
        },
        row(.createActivation, "an unknown code", .activation) {
            $0["identityAttributes"] = ["code": ActivationCode.generate().text]
        },
        row(.createActivation, "no identity", .activation) { $0["identityAttributes"] = nil },
        row(.createActivation, "an unknown type", .activation) { $0["type"] = "MAGIC" },
        row(.createActivation, "a recovery", .activation) {
            $0["type"] = "RECOVERY"
            $0["identityAttributes"] = ["recoveryCode": ActivationCode.generate().text, "puk": "0123456789"]
        },
        row(.createActivation, "no inner layer", .activation) { $0["activationData"] = nil },
        row(.createActivation, "an unknown key", .activation) { $0["surprise"] = 1 },
        row(.createActivation, "custom attributes that are no object", .activation) {
            $0["customAttributes"] = ["list"]
        },
        DeviceErrorRowV4(
            call: .confirmActivation, what: "a body that is no request", failure: .activation,
            twist: TwistV4(body: Data("[]".utf8))),
        row(.unlockVault, "an unknown key", .vault) { $0["keyIdentifier"] = "KEY" },
        row(.unlockVault, "an unknown reason", .vault) { $0["reason"] = "CURIOSITY" },
        row(.startUpgrade, "no device keys", .upgrade) { $0["devicePublicKeys"] = nil },
        row(.startUpgrade, "a device key that is no point", .upgrade) {
            $0["devicePublicKeys"] = ["ecdsa": StrictBase64.encode(Data([4]) + Data(count: 96))]
        },
        row(.startUpgrade, "a key that the suite does not have", .upgrade) {
            var keys = $0["devicePublicKeys"] as? [String: Any] ?? [:]
            keys["mldsa"] = "AAAA"
            $0["devicePublicKeys"] = keys
        },
    ]

    private static let exchanges: [DeviceErrorRowV4] =
        secretRows(.changePassword) { $0[$1] = $2 } + secretRows(.addBiometry) { $0[$1] = $2 }
        + secretRows(.startUpgrade) {
            var request = $0["sharedSecretRequest"] as? [String: Any] ?? [:]
            request[$1] = $2
            $0["sharedSecretRequest"] = request
        }

    /// Declared failures that no request of a table meets.
    static let elsewhere: Set<String> = [
        "\(DeviceCallV4.removeActivation) ERR_ACTIVATION", "\(DeviceCallV4.confirmUpgrade) ERR_UPGRADE",
        "\(DeviceCallV4.userInfo) ERR_USER_INFO",
    ]
}

@Suite("Endpoints for devices of protocol 4", .endsInTime)
struct DeviceErrorV4Tests {
    @Test(arguments: DeviceCallV4.allCases)
    func `A wrong request is refused as documented, and counted as in version 3`(call: DeviceCallV4) async throws {
        try await ServerFixture.deviceSide().run { client in
            let rows = DeviceErrorRowV4.all.filter { $0.call == call }
            #expect(!rows.isEmpty || call == .serverStatus)
            for row in rows {
                var rig = try await DeviceRigV4(client, call)
                let before = try await rig.failures()
                let answer = try await rig.send(row.twist)
                answer.expect(row.failure, row.testDescription)
                #expect(try await rig.failures() == before.map { $0 + row.counts }, "\(row.testDescription)")
            }
        }
    }

    @Test(arguments: CryptographySuite.Name.allCases)
    func `A right request is answered, in every suite`(name: CryptographySuite.Name) async throws {
        try await ServerFixture.deviceSide().run { client in
            for call in DeviceCallV4.allCases {
                var rig = try await DeviceRigV4(client, call, .named(name))
                let request = try rig.request()
                let answer = try await request.send(client)
                try #require(answer.status == 200, "\(call.rawValue) answered \(answer.code ?? "nothing")")
                let opened = try request.open(answer)
                let content = opened["responseObject"] ?? opened
                let keys = Set(content.objectValue.map { Array($0.keys) } ?? [])
                #expect(keys.subtracting(["customObject"]) == call.answerKeys, "\(call.rawValue)")
                if ![.plain, .coded].contains(call.form) {
                    let envelope = try JSONValue.parse(answer.body).objectValue ?? [:]
                    #expect(Set(envelope.keys) == ["encryptedData", "timestamp"], "\(call.rawValue)")
                }
            }
        }
    }

    @Test func `An encrypted request is taken once`() async throws {
        try await ServerFixture.deviceSide().run { client in
            for call in DeviceCallV4.allCases {
                guard case .sealed = call.form else { continue }
                var rig = try await DeviceRigV4(client, call)
                let request = try rig.request()
                try await request.expectAccepted(client)
                try await request.send(client).expect(call.closedFailure, "a replay")
            }
        }
    }

    @Test func `The table knows every endpoint, and every failure of each`() throws {
        let endpoints = try ServerFixture.deviceSide().server.endpoints.filter { $0.path.hasPrefix("/pa/v4/") }
        #expect(Set(endpoints.map(\.path)) == Set(DeviceCallV4.allCases.map(\.rawValue)))
        for endpoint in endpoints {
            let call = try #require(DeviceCallV4(rawValue: endpoint.path))
            let declared = ([endpoint.fallback] + endpoint.otherFailures).filter { $0 != .unexpected }
                .map { "\(call) \($0.code(on: .device))" }
            let tested = DeviceErrorRowV4.all.filter { $0.call == call }.map {
                "\(call) \($0.failure.code(on: .device))"
            }
            #expect(Set(tested) == Set(declared).subtracting(DeviceErrorRowV4.elsewhere), "\(call.rawValue)")
        }
    }
}
