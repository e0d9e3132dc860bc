// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    private static let sealed: Shape = [
        "encryptedData": .base64(nil), "mac": .base64(32), "nonce": .base64(16), "timestamp": .number,
    ]

    /// What any message in activation scope is refused for.
    /// - Parameter wrongFields: the code for members that the version does not have.
    private static func scopeRows(_ purpose: EciesSharedInfo1, wrongFields: ServiceErrorCode) -> [Row] {
        let applicationRows: [Row] = [
            .without("protocolVersion", .decryptionFailed),
            .with(["applicationKey": "no"], .invalidApplication),
            .when("with an unsupported version's key", .invalidApplication) { world, sample in
                sample.merging(["applicationKey": try await world.unsupportedKey()]) { $1 }
            },
            .when("with another application's key", .invalidApplication) { world, sample in
                sample.merging(["applicationKey": try await world.foreignKey()]) { $1 }
            },
        ]
        let keyRows: [Row] = [
            .when("with the temporary key of another activation", .missingTemporaryKey) { world, sample in
                let other = try await world.message(world.device(.active), purpose)
                return sample.merging(["temporaryKeyId": other["temporaryKeyId"] ?? ""]) { $1 }
            },
            Row(
                title: "with an expired temporary key", code: ServiceErrorCode.missingTemporaryKey.rawValue,
                // Shorter than a message may be under way.
                configure: { $0.policy.temporaryKeyValidity = 40_000 }
            ) { world, sample in
                world.client.clock.advance(milliseconds: 50_000)
                return sample
            },
            .when("while blocked", .activationIncorrectState) { world, sample in
                try await world.call("activation/block", ["activationId": sample["activationId"] ?? ""])
                return sample
            },
        ]
        return envelopeRows(wrongFields: wrongFields) + activationRows + applicationRows + keyRows
    }

    /// Signs what unlocks the vault.
    private static func vault(
        _ world: World, plaintext: String = #"{"reason":"ADD_BIOMETRY"}"#
    ) async throws -> Fields {
        var device = try await world.device(.active)
        var fields = try await world.message(device, .vaultUnlock, Data(plaintext.utf8))
        fields["protocolVersion"] = nil
        let body = Data("{}".utf8)
        let header = try device.signature(uriId: "/pa/vault/unlock", body: body)
        fields["signedData"] = [
            "POST", StrictBase64.encode(Data("/pa/vault/unlock".utf8)), header.nonce, StrictBase64.encode(body),
        ].joined(separator: "&")
        fields["signature"] = header.signature
        fields["signatureType"] = "POSSESSION_KNOWLEDGE"
        fields["signatureVersion"] = "3.3"
        return fields
    }

    static let encrypted = [
        EndpointTable(path: "/token/create", shape: sealed) { world in
            try await world.message(world.device(.active), .createToken).merging(["signatureType": "POSSESSION"]) { $1 }
        }.refusing(scopeRows(.createToken, wrongFields: .decryptionFailed)).refusing([
            .without("signatureType", .invalidRequest),
            .when("twice", .invalidRequest) { world, sample in
                try await world.call("token/create", sample)
                return sample
            },
        ]),
        EndpointTable(
            path: "/token/validate",
            shape: [
                "tokenValid": true, "activationId": .uuid, "activationStatus": "ACTIVE", "blockedReason": nil,
                "userId": "alice", "applicationId": "lab", "signatureType": "POSSESSION", "applicationRoles": [],
                "activationFlags": [],
            ]
        ) { world in
            var device = try await world.client.activeDevice()
            let header = try await device.createToken().header(.v3_3, timestamp: world.client.timestamp)
            return [
                "tokenId": header.tokenId, "tokenDigest": StrictBase64.encode(header.tokenDigest),
                "nonce": StrictBase64.encode(header.nonce), "timestamp": header.timestampText,
                "protocolVersion": "3.3",
            ]
        }.refusing([
            .without("tokenId", .invalidRequest), .without("tokenDigest", .invalidRequest),
            .without("nonce", .invalidRequest), .without("timestamp", .tokenTimestampTooOld),
            .with(["timestamp": 0], .tokenTimestampTooOld), .with(["timestamp": -1], .tokenTimestampTooOld),
            .with(["timestamp": Int64.max], .tokenTimestampTooFarInFuture),
            .with(["timestamp": 0, "tokenId": "no"], .tokenTimestampTooOld),
            .when("too early", .tokenTimestampTooFarInFuture) { world, sample in
                sample.merging(["timestamp": world.client.clock.now().milliseconds + 1_800_001]) { $1 }
            },
            .with(["protocolVersion": "9.9"], .genericCryptographyError),
            .with(["nonce": "AAAA"], .invalidRequest), .with(["tokenDigest": "%"], .invalidRequest),
            .when("twice", .invalidRequest) { world, sample in
                try await world.call("token/validate", sample)
                return sample
            },
        ]),
        EndpointTable(path: "/token/remove", shape: ["removed": true]) { world in
            var device = try await world.client.activeDevice()
            return ["tokenId": try await device.createToken().tokenId, "activationId": device.activationId]
        }.refusing([.without("tokenId", .invalidRequest)]),
        EndpointTable(
            path: "/vault/unlock",
            shape: [
                "signatureValid": true, "encryptedData": .base64(nil), "mac": .base64(32), "nonce": .base64(16),
                "timestamp": .number,
            ]
        ) { try await vault($0) }.refusing(
            ["activationId", "signedData", "signature", "signatureType", "signatureVersion"].map {
                .without($0, .invalidRequest)
            }
        ).refusing(
            envelopeRows(wrongFields: .invalidRequest).filter { !$0.title.contains("protocolVersion") }
        ).refusing([
            .with(["signatureType": "POSSESSION"], .invalidSignature),
            .with(["signatureType": "POSSESSION_BIOMETRY"], .invalidSignature),
            .with(["signatureType": "POSSESSION_KNOWLEDGE_BIOMETRY"], .invalidSignature),
            .with(["signatureVersion": "9.9"], .decryptionFailed),
            .with(["signatureVersion": "3.2"], .invalidRequest),
            .when("for a reason that is no plain word", .invalidInputFormat) { world, _ in
                try await vault(world, plaintext: #"{"reason":"a b"}"#)
            },
        ]),
        EndpointTable(
            path: "/ecies/decryptor", shape: ["secretKey": .base64(48), "sharedInfo2": .base64(32)]
        ) { world in
            try await world.message(world.device(.active), .activationGeneric).filter {
                $0.key != "encryptedData" && $0.key != "mac"
            }
        }.refusing([
            .without("applicationKey", .invalidRequest), .without("ephemeralPublicKey", .invalidRequest),
            .with(["ephemeralPublicKey": "%"], .invalidRequest, message: "ephemeralPublicKey is not Base64"),
            .with(["nonce": "%"], .invalidRequest, message: "nonce is not Base64"),
            .with(["timestamp": 0], .invalidRequest), .with(["timestamp": Int64.max], .invalidRequest),
            .without("timestamp", .invalidRequest), .without("nonce", .invalidRequest),
            .without("protocolVersion", .decryptionFailed), .without("temporaryKeyId", .decryptionFailed),
            .with(["protocolVersion": "9.9"], .decryptionFailed),
            .when("with a key that is no point", .decryptionFailed) { _, sample in
                let key = Data([2] + [UInt8](repeating: 0xFF, count: 32))
                return sample.merging(["ephemeralPublicKey": StrictBase64.encode(key)]) { $1 }
            },
            .with(["applicationKey": "no"], .invalidApplication),
            .when("with another application's key", .invalidApplication) { world, sample in
                sample.merging(["applicationKey": try await world.foreignKey()]) { $1 }
            },
            .with(["activationId": "no"], .activationNotFound),
            inState(.created, .activationIncorrectState), inState(.blocked, .activationIncorrectState),
            .with(["temporaryKeyId": "no"], .missingTemporaryKey),
            .when("twice", .invalidRequest) { world, sample in
                try await world.call("ecies/decryptor", sample)
                return sample
            },
            .damaged("of 3.2 without master key", .noMasterServerKeyPair, "DELETE FROM master_keypair") {
                world, _ in try await world.keyExchange(version: .v3_2)
            },
        ]),
        EndpointTable(path: "/keystore/create", shape: ["jwt": .text]) { world in
            ["jwt": try await world.device(.active).temporaryKeyRequest(activation: true).jwt]
        }.refusing([
            .without("jwt", .invalidRequest), .with(["jwt": "no"], .invalidRequest),
            .with(["jwt": ".."], .invalidRequest), .with(["jwt": "e30.e30.e30"], .invalidRequest),
            .when("signed with another key", .invalidRequest) { world, sample in
                let jwt = sample["jwt"] as? String ?? ""
                return ["jwt": String(jwt.dropLast(43)) + String(repeating: "A", count: 43)]
            },
            Row(
                title: "of an unsupported version", code: ServiceErrorCode.invalidApplication.rawValue,
                isDestructive: true
            ) { world, sample in
                try await world.call(
                    "application/version/unsupport", ["applicationId": "lab", "applicationVersionId": "default"])
                return sample
            },
            .when("for an activation of no application", .invalidApplication) { _, _ in
                let claims = Data(#"{"activationId":"x","challenge":"AAAA"}"#.utf8)
                return ["jwt": JWT.signed(claims: claims, key: try TemporaryKeyRequestKey(Data(count: 16)))]
            },
            .when("of a removed activation", .activationNotFound) { world, sample in
                ["jwt": try await world.device(.removed).temporaryKeyRequest(activation: true).jwt]
            },
            .when("of an activation that waits for its commit", .activationNotFound) { world, sample in
                ["jwt": try await world.device(.pendingCommit).temporaryKeyRequest(activation: true).jwt]
            },
            .damaged("for the application without master key", .noMasterServerKeyPair, "DELETE FROM master_keypair") {
                world, _ in
                ["jwt": try TestDevice(world.client, .v3_3).temporaryKeyRequest(activation: false).jwt]
            },
            .damaged(
                "for the application with a damaged master key", .incorrectMasterServerKeyPair,
                "UPDATE master_keypair SET private_key = x'00'"
            ) { world, _ in
                ["jwt": try TestDevice(world.client, .v3_3).temporaryKeyRequest(activation: false).jwt]
            },
        ]),
        EndpointTable(path: "/keystore/remove", shape: ["id": "no", "removed": true]) { _ in ["id": "no"] }
            .refusing([.without("id", .invalidRequest)]),
        EndpointTable(path: "/upgrade/start", shape: sealed) { world in
            try await world.message(world.client.deviceOfProtocol2(), .upgrade)
        }.refusing(scopeRows(.upgrade, wrongFields: .decryptionFailed)).refusing([
            .when("of protocol 3 already", .activationIncorrectState) { world, _ in
                try await world.message(world.device(.active), .upgrade)
            },
            .when("of protocol 3 already, in a message that cannot be decrypted", .activationIncorrectState) {
                world, _ in
                try await world.message(world.device(.active), .upgrade).merging([
                    "mac": StrictBase64.encode(Data(count: 32))
                ]) { $1 }
            },
        ]),
        EndpointTable(path: "/upgrade/commit", shape: ["committed": true]) { world in
            let device = try await world.client.deviceOfProtocol2()
            _ = try await device.startUpgrade()
            return ["activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText]
        }.refusing([
            .without("activationId", .decryptionFailed), .without("applicationKey", .decryptionFailed),
            .with(["activationId": "no"], .activationNotFound), .with(["applicationKey": "no"], .invalidApplication),
            inState(.active, .activationIncorrectState), inState(.blocked, .activationIncorrectState),
            .when("that was not started", .activationIncorrectState) { world, sample in
                sample.merging(["activationId": try await world.client.deviceOfProtocol2().activationId]) { $1 }
            },
        ]),
    ]
}
