// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    /// Lets an application have postcards, whose printer has a key.
    private static func enablePostcards(_ world: World) async throws {
        let printer = try PrivateKey.generate().publicKey.uncompressed
        try await world.call(
            "recovery/config/update",
            [
                "applicationId": "lab", "activationRecoveryEnabled": true, "recoveryPostcardEnabled": true,
                "allowMultipleRecoveryCodes": true, "remotePostcardPublicKey": StrictBase64.encode(printer),
            ])
    }

    private static let unknownApplication: [Row] = [
        .without("applicationId", .invalidRequest), .with(["applicationId": "no"], .invalidRequest),
    ]

    static let recovery = [
        EndpointTable(
            path: "/recovery/config/detail",
            shape: [
                "applicationId": "lab", "activationRecoveryEnabled": true, "recoveryPostcardEnabled": true,
                "allowMultipleRecoveryCodes": true, "postcardPublicKey": .base64(65),
                "remotePostcardPublicKey": .base64(65),
            ]
        ) { world in
            try await enablePostcards(world)
            return ["applicationId": "lab"]
        }.refusing(unknownApplication),
        EndpointTable(path: "/recovery/config/update", shape: ["updated": true]) { _ in
            [
                "applicationId": "lab", "activationRecoveryEnabled": true, "recoveryPostcardEnabled": true,
                "allowMultipleRecoveryCodes": false, "remotePostcardPublicKey": "",
            ]
        }.refusing(unknownApplication).refusing([
            .with(["remotePostcardPublicKey": "%"], .invalidKeyFormat),
            .with(["remotePostcardPublicKey": StrictBase64.encode(Data(count: 65))], .invalidKeyFormat),
            .with(["remotePostcardPublicKey": "AAAA"], .invalidKeyFormat),
        ]),
        EndpointTable(
            path: "/recovery/create",
            shape: [
                "nonce": .base64(32), "userId": "alice", "recoveryCodeId": .number, "recoveryCodeMasked": .text,
                "status": "CREATED",
                "puks": [
                    ["pukIndex": 1, "pukDerivationIndex": .number, "status": "VALID"],
                    ["pukIndex": 2, "pukDerivationIndex": .number, "status": "VALID"],
                ],
            ]
        ) { world in
            try await enablePostcards(world)
            return ["applicationId": "lab", "userId": "alice", "pukCount": 2]
        }.refusing(unknownApplication).refusing([
            .without("userId", .invalidRequest), .without("pukCount", .invalidRequest),
            .with(["userId": String(repeating: "u", count: 256)], .invalidRequest),
            .with(["pukCount": 0], .invalidRequest), .with(["pukCount": 101], .invalidRequest),
            .with(["pukCount": -1], .invalidRequest),
            .when("while postcards are disabled", .invalidRequest) { world, sample in
                try await world.call(
                    "recovery/config/update", ["applicationId": "lab", "recoveryPostcardEnabled": false])
                return sample
            },
            .when("without the printer's key", .invalidRecoveryConfiguration) { world, sample in
                try await world.call("recovery/config/update", ["applicationId": "lab", "remotePostcardPublicKey": ""])
                return sample
            },
            .when("for the second time where one is allowed", .recoveryCodeAlreadyExists) { world, sample in
                try await world.call(
                    "recovery/config/update", ["applicationId": "lab", "allowMultipleRecoveryCodes": false])
                let once = sample.merging(["userId": UUID().uuidString]) { $1 }
                try await world.call("recovery/create", once)
                return once
            },
            .configured("when no code is free", .unableToGenerateRecoveryCode) { $0.policy.generationAttempts = 0 },
            .damaged("with a damaged key", .invalidKeyFormat, "UPDATE recovery_config SET postcard_private = x'00'"),
        ]),
        EndpointTable(
            path: "/recovery/confirm",
            shape: [
                "activationId": .uuid, "userId": "alice", "encryptedData": .base64(nil), "mac": .base64(32),
                "nonce": .base64(16), "timestamp": .number,
            ]
        ) { world in
            let (device, recovery) = try await recoverable(world)
            let plaintext = Data(#"{"recoveryCode":"\#(recovery.code.text)"}"#.utf8)
            return try await world.message(device, .confirmRecovery, plaintext)
        }.refusing(envelopeRows(wrongFields: .invalidRequest)).refusing(activationRows).refusing([
            .without("protocolVersion", .decryptionFailed),
            .with(["applicationKey": "no"], .invalidApplication),
            .when("of an activation that is not active", .activationIncorrectState) { world, sample in
                try await world.call("activation/block", ["activationId": sample["activationId"] ?? ""])
                return sample
            },
            .when("of an unknown code", .recoveryCodeNotFound) { world, _ in
                let (device, _) = try await recoverable(world)
                let plaintext = Data(#"{"recoveryCode":"\#(ActivationCode.generate().text)"}"#.utf8)
                return try await world.message(device, .confirmRecovery, plaintext)
            },
            .when("of a mistyped code", .invalidRequest) { world, _ in
                try await world.message(
                    world.device(.active), .confirmRecovery, Data(#"{"recoveryCode":"AAAAA"}"#.utf8))
            },
            .when("in a message that is no JSON", .decryptionFailed) { world, _ in
                try await world.message(world.device(.active), .confirmRecovery, Data("no JSON".utf8))
            },
            .when("of another user's code", .invalidRequest) { world, _ in
                let (_, recovery) = try await recoverable(world)
                let device = try await world.device(.active, ["userId": "bob"])
                let plaintext = Data(#"{"recoveryCode":"\#(recovery.code.text)"}"#.utf8)
                return try await world.message(device, .confirmRecovery, plaintext)
            },
            .when("of no activation, with a field missing", .activationNotFound) { _, sample in
                sample.merging(["activationId": "no"]) { $1 }.filter { $0.key != "nonce" }
            },
            .when("while recovery is disabled", .invalidRequest) { world, sample in
                // Even the state of the activation is no longer returned.
                try await world.call("activation/block", ["activationId": sample["activationId"] ?? ""])
                try await world.call(
                    "recovery/config/update", ["applicationId": "lab", "activationRecoveryEnabled": false])
                return sample
            },
        ]),
        EndpointTable(
            path: "/recovery/lookup",
            shape: [
                "recoveryCodes": [
                    [
                        "recoveryCodeId": .number, "recoveryCodeMasked": .text, "userId": "alice",
                        "applicationId": "lab", "activationId": .uuid, "status": "ACTIVE",
                        "puks": [["pukIndex": 1, "pukDerivationIndex": 0, "status": "VALID"]],
                    ]
                ]
            ]
        ) { world in
            let (device, _) = try await recoverable(world)
            return [
                "userId": "alice", "activationId": device.activationId, "applicationId": "lab",
                "recoveryCodeStatus": "ACTIVE", "recoveryPukStatus": "VALID",
            ]
        }.refusing([
            .with(["applicationId": "no"], .invalidRequest),
            .when("of an application alone", .invalidRequest) { _, _ in ["applicationId": "lab"] },
        ]),
        EndpointTable(path: "/recovery/revoke", shape: ["revoked": false]) { _ in
            ["recoveryCodeIds": [999, "998"] as [any Sendable]]
        }
        .refusing([
            .without("recoveryCodeIds", .invalidRequest), .with(["recoveryCodeIds": [Int]()], .invalidRequest),
            .with(["recoveryCodeIds": [-1]], .invalidRequest),
        ]),
    ]
}
