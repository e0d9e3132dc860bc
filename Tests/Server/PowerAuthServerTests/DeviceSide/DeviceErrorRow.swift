// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// One way to be refused, with exactly what the device sees.
struct DeviceErrorRow: Sendable, CustomTestStringConvertible {
    let call: DeviceCall
    let what: String
    let failure: ErrorResponse
    var twist = Twist()
    /// How many failed attempts it adds to the activation (rest-api.md, section 7.5).
    var counts = 0
    /// Whether an upgrade that is committed was started before.
    var isStarted = true
    /// What happens on the server before the request is sent.
    var prepare: @Sendable (inout DeviceRig) async throws -> Void = { _ in }

    var testDescription: String { "\(call.rawValue): \(what)" }

    static let all = signatures + envelopes + activation + temporaryKeys + others + contents

    /// What can be wrong with any signature.
    private static let signatures = DeviceCall.signed.flatMap { call -> [DeviceErrorRow] in
        // Possession alone is not counted.
        let counts = call == .commitUpgrade ? 0 : 1
        // Where the vault looks at factors it answers with its own code.
        let weak: ErrorResponse = call == .unlockVault ? .vault : .authentication
        var rows: [DeviceErrorRow] = [
            DeviceErrorRow(
                call: call, what: "wrong key", failure: .authentication, twist: Twist(isSignatureCorrect: false),
                counts: counts),
            DeviceErrorRow(
                call: call, what: "another URI identifier", failure: .authentication, twist: Twist(uriId: "/other"),
                counts: counts),
        ]
        let all: [SignatureType] = [
            .possession, .knowledge, .biometry, .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry,
        ]
        for type in all where !accepted(by: call).contains(type) {
            rows.append(
                DeviceErrorRow(
                    call: call, what: "signed with \(type.rawValue)", failure: weak, twist: Twist(factors: type)))
        }
        return rows
    }

    /// The factors of an endpoint (rest-api.md, section 5), or of an application's own one (rest-api.md, section 12).
    static func accepted(by call: DeviceCall) -> Set<SignatureType> {
        switch call {
        case .validateSignature, .createToken, .removeToken:
            [.possession, .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry]
        case .unlockVault, .confirmRecovery: [.possessionKnowledge]
        case .commitUpgrade: [.possession]
        case .renameActivation, .activationCode: [.possessionKnowledge, .possessionBiometry]
        default: [.possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry]
        }
    }

    /// Envelopes that were made for something else.
    private static let envelopes = DeviceCall.sealed.map { call in
        let other: EciesSharedInfo1 = call.sharedInfo1 == .createToken ? .vaultUnlock : .createToken
        return DeviceErrorRow(
            call: call, what: "an envelope for another purpose", failure: call.closedFailure,
            twist: Twist(sharedInfo1: other), counts: call.form == .signedThenSealed ? 1 : 0)
    }

    private static func create(
        _ what: String, _ content: @escaping @Sendable (inout [String: Any]) -> Void = { _ in },
        inner: @escaping @Sendable (inout [String: Any]) -> Void = { _ in },
        prepare: @escaping @Sendable (inout DeviceRig) async throws -> Void = { _ in }
    ) -> DeviceErrorRow {
        DeviceErrorRow(
            call: .createActivation, what: what, failure: .activation, twist: Twist(content: content, inner: inner),
            prepare: prepare)
    }

    private static let activation: [DeviceErrorRow] = [
        create("unknown code") { $0["identityAttributes"] = ["code": ActivationCode.generate().text] },
        create("code with a wrong checksum") { $0["identityAttributes"] = ["code": "AAAAA-AAAAA-AAAAA-AAAAB"] },
        create("expired code", prepare: { $0.client.clock.advance(milliseconds: 300_001) }),
        create("no identity") { $0["identityAttributes"] = nil },
        create("empty identity") { $0["identityAttributes"] = [String: String]() },
        create("an identity that is no text") { $0["identityAttributes"] = ["code": 1] },
        create("no type") { $0["type"] = nil },
        create("unknown type") { $0["type"] = "MAGIC" },
        create("no inner layer") { $0["activationData"] = nil },
        create("an inner layer that is no envelope") { $0["activationData"] = ["mac": "x"] },
        create("an unknown key") { $0["surprise"] = 1 },
        create("an unknown key around the inner layer") {
            var inner = $0["activationData"] as? [String: Any] ?? [:]
            inner["surprise"] = 1
            $0["activationData"] = inner
        },
        create("custom attributes that are no object") { $0["customAttributes"] = ["list"] },
        create("no device key", inner: { $0["devicePublicKey"] = nil }),
        create("a blank device key", inner: { $0["devicePublicKey"] = " " }),
        create("a device name that is no text", inner: { $0["activationName"] = 7 }),
        create("an unexpected one-time password", inner: { $0["activationOtp"] = "1234" }),
        create("custom identity without user") {
            $0["type"] = "CUSTOM"
            $0["identityAttributes"] = ["colour": "blue"]
        },
        create("an unknown provider") {
            $0["type"] = "DIRECT"
            $0["identityAttributes"] = ["method": "oidc", "providerId": "unknown", "code": "c", "nonce": "n"]
        },
        create("an unknown recovery code") {
            $0["type"] = "RECOVERY"
            $0["identityAttributes"] = ["recoveryCode": ActivationCode.generate().text, "puk": "0123456789"]
        },
        DeviceErrorRow(
            call: .activationStatus, what: "a challenge of another size", failure: .activation,
            twist: Twist(content: { $0["requestObject"] = ["activationId": "x", "challenge": "AAAA"] })),
        DeviceErrorRow(
            call: .activationStatus, what: "no activation", failure: .activation,
            twist: Twist(content: { $0["requestObject"] = ["challenge": "ckyO/kP+wdUHclnmpxdPqw=="] })),
    ]

    private static let temporaryKeys: [DeviceErrorRow] = [
        DeviceErrorRow(
            call: .createTemporaryKey, what: "no token", failure: .temporaryKey,
            twist: Twist(content: { $0["requestObject"] = [String: String]() })),
        DeviceErrorRow(
            call: .createTemporaryKey, what: "a token of another format", failure: .temporaryKey,
            twist: Twist(content: { $0["requestObject"] = ["jwt": "a.b"] })),
    ]

    private static let others: [DeviceErrorRow] = [
        DeviceErrorRow(
            call: .activationDetail, what: "a token that was removed", failure: .authentication,
            prepare: { try await $0.removeToken() }),
        DeviceErrorRow(
            call: .exchangeToken, what: "a token that was removed", failure: .authentication,
            prepare: { try await $0.removeToken() }),
        DeviceErrorRow(
            call: .exchangeTokenGenerics, what: "a token that was removed", failure: .authentication,
            prepare: { try await $0.removeToken() }),
        DeviceErrorRow(
            call: .balance, what: "a token that was removed", failure: .authentication,
            prepare: { try await $0.removeToken() }),
        DeviceErrorRow(
            call: .renameActivation, what: "a blank name", failure: .activation,
            twist: Twist(content: { $0["activationName"] = " " })),
        DeviceErrorRow(
            call: .identityProvider, what: "an unknown provider", failure: .applicationConfiguration,
            twist: Twist(content: { $0["providerId"] = "unknown" })),
        DeviceErrorRow(
            call: .identityProvider, what: "no provider", failure: .applicationConfiguration,
            twist: Twist(content: { $0["providerId"] = nil })),
        DeviceErrorRow(
            call: .activationCode, what: "an unknown application", failure: .activationCode,
            twist: Twist(content: {
                $0["requestObject"] = ["applicationId": "unknown", "otp": DeviceCall.otpOfCode]
            })),
        DeviceErrorRow(
            call: .activationCode, what: "no application", failure: .activationCode,
            twist: Twist(content: { $0["requestObject"] = ["otp": DeviceCall.otpOfCode] })),
        DeviceErrorRow(
            call: .activationCode, what: "no one-time password", failure: .activationCode,
            twist: Twist(content: { $0["requestObject"] = ["applicationId": "lab"] })),
        DeviceErrorRow(
            call: .activationCode, what: "a blank one-time password", failure: .activationCode,
            twist: Twist(content: {
                $0["requestObject"] = ["applicationId": "lab", "otp": String(repeating: " ", count: 16)]
            })),
        DeviceErrorRow(
            call: .activationCode, what: "a content without envelope", failure: .activationCode,
            twist: Twist(plaintext: Data(#"{"applicationId":"lab","otp":"1234567890abcdef"}"#.utf8))),
        DeviceErrorRow(
            call: .unlockVault, what: "a reason that is no word", failure: .vault,
            twist: Twist(content: { $0["reason"] = "two words" })),
        DeviceErrorRow(
            call: .unlockVault, what: "a reason that is too long", failure: .vault,
            twist: Twist(content: { $0["reason"] = String(repeating: "x", count: 256) })),
        DeviceErrorRow(
            call: .confirmRecovery, what: "an unknown code", failure: .authentication,
            twist: Twist(content: { $0["recoveryCode"] = ActivationCode.generate().text })),
        DeviceErrorRow(
            call: .startUpgrade, what: "no nonce, or no timestamp, or no temporary key", failure: .authentication,
            twist: Twist(envelope: { for key in ["nonce", "timestamp", "temporaryKeyId"] { $0[key] = nil } })),
        DeviceErrorRow(
            call: .commitUpgrade, what: "an empty body", failure: .authentication, twist: Twist(body: Data())),
        DeviceErrorRow(call: .commitUpgrade, what: "nothing started", failure: .authentication, isStarted: false),
        DeviceErrorRow(
            call: .commitUpgrade, what: "an activation of protocol 3", failure: .upgrade,
            prepare: { rig in rig.device = try await rig.client.activeDevice(rig.version) }),
    ]

    private static let contents = [DeviceCall.exchangeSigned, .exchangeString, .exchangeGenerics].map { call in
        DeviceErrorRow(
            call: call, what: "a content of another type", failure: .encryption,
            twist: Twist(plaintext: Data(#"{"data":7}"#.utf8)))
    }

    /// Failures that do not fit a row, and their tests.
    static let elsewhere: [(call: DeviceCall, failure: ErrorResponse, test: String)] = [
        (.createActivation, .recovery(expectedPukIndex: 1), "RecoveryActivationTests: a wrong PUK is counted"),
        (.removeActivation, .activation, "DeviceErrorTests: a removal that fails after its signature"),
        (.userInfo, .userInfo, "DeviceErrorTests: claims that cannot be read"),
    ]
}
