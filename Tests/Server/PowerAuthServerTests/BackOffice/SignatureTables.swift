// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    private static let data = "POST&L3BhL3NpZ25hdHVyZS92YWxpZGF0ZQ==&iet0XBIr+nghwiM0muAGxA==&eyJoZWxsbyI6ImxhYiJ9"

    private static let verdict: Shape = [
        "signatureValid": true, "activationStatus": "ACTIVE", "blockedReason": nil, "activationId": .uuid,
        "userId": "alice", "applicationId": "lab", "signatureType": "POSSESSION_KNOWLEDGE", "remainingAttempts": 5,
        "applicationRoles": [], "activationFlags": ["f"],
    ]

    private static func signature(_ device: TestDevice, secret: String, decimal: Bool) throws -> String {
        guard let keys = device.keys else { return "" }
        let signatureKeys = SignatureKeys(keys, factors: [.possession, .knowledge])
        let signed = SymmetricSignature.appendSecret(secret, to: Data(data.utf8))
        return decimal
            ? try SymmetricSignature.signature(
                form: .decimal(length: 8), keys: signatureKeys, counter: device.counter, data: signed)
            : try SymmetricSignature.online(version: .v3_3, keys: signatureKeys, counter: device.counter, data: signed)
    }

    private static let noDeviceKey = "UPDATE activation SET device_public = x'00'"
    private static let proximity: Fields = ["seed": "AAAAAAAAAAAAAAAAAAAAAA==", "stepLength": 30]

    static let signatures = [
        EndpointTable(path: "/signature/verify", shape: verdict) { world in
            let device = try await world.device(.active, ["flags": ["f"]])
            return [
                "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
                "data": data, "signatureType": "POSSESSION_KNOWLEDGE", "signatureVersion": "3.3",
                "forcedSignatureVersion": 3,
                "signature": try signature(device, secret: device.configuration.applicationSecretText, decimal: false),
            ]
        }.refusing(
            ["activationId", "applicationKey", "data", "signature", "signatureType", "signatureVersion"].map {
                .without($0, .invalidRequest)
            }
        ).refusing([
            .with(["signatureVersion": "2.1"], .unableToComputeSignature),
            .with(["signatureVersion": "latest"], .unableToComputeSignature),
            .with(["signatureVersion": "nan"], .unableToComputeSignature),
            .with(["signatureVersion": ""], .unableToComputeSignature),
        ]),
        EndpointTable(
            path: "/signature/offline/personalized/create", shape: ["offlineData": .text, "nonce": .base64(16)]
        ) { world in
            [
                "activationId": try await world.activation(.active), "data": "a\nb",
                "nonce": "AAECAwQFBgcICQoLDA0ODw==", "proximityCheck": proximity,
            ]
        }.refusing(activationRows).refusing([
            .without("data", .invalidRequest), .with(["nonce": "%"], .invalidRequest),
            .with(
                ["proximityCheck": ["stepLength": 30] as Fields], .invalidRequest,
                message: "proximityCheck needs seed and stepLength"),
            .with(
                ["proximityCheck": proximity.merging(["stepLength": 0]) { $1 }], .invalidRequest,
                message: "stepLength must be at least 1 second"),
            .with(
                ["proximityCheck": proximity.merging(["seed": "%"]) { $1 }], .invalidRequest,
                message: "seed is not Base64"),
        ]),
        EndpointTable(
            path: "/signature/offline/non-personalized/create", shape: ["offlineData": .text, "nonce": .base64(16)]
        ) { _ in ["applicationId": "lab", "data": "c"] }.refusing([
            .without("applicationId", .invalidRequest), .without("data", .invalidRequest),
            .with(["applicationId": "no"], .invalidApplication), noMasterKey,
        ]),
        EndpointTable(path: "/signature/offline/verify", shape: verdict) { world in
            let device = try await world.device(.active, ["flags": ["f"]])
            return [
                "activationId": device.activationId, "data": data, "componentLength": 8, "allowBiometry": true,
                "signature": try signature(device, secret: SymmetricSignature.offlineSecretText, decimal: true),
            ]
        }.refusing([
            .without("activationId", .invalidRequest), .without("data", .invalidRequest),
            .without("signature", .invalidRequest), .with(["componentLength": 3], .invalidCryptographyProvider),
            .with(["componentLength": 9], .invalidCryptographyProvider),
            .with(["componentLength": -1], .invalidCryptographyProvider),
            .with(
                ["proximityCheck": proximity.merging(["stepCount": -1]) { $1 }], .invalidRequest,
                message: "stepCount must be 0 to 64"),
            .with(
                ["proximityCheck": proximity.merging(["stepCount": 65]) { $1 }], .invalidRequest,
                message: "stepCount must be 0 to 64"),
            .with(
                ["proximityCheck": proximity.filter { $0.key != "stepCount" }], .invalidRequest,
                message: "proximityCheck needs stepCount"),
            .with(
                ["proximityCheck": proximity.merging(["stepCount": 1]) { $1 }, "data": "no body"], .invalidRequest,
                message: "data must end with the Base64 form of the body"),
        ]),
        EndpointTable(path: "/signature/ecdsa/verify", shape: ["signatureValid": true]) { world in
            let device = try await world.device(.active)
            let data = Data("data".utf8)
            return [
                "activationId": device.activationId, "data": StrictBase64.encode(data), "signatureFormat": "DER",
                "signature": StrictBase64.encode(try device.deviceKey.sign(data)),
            ]
        }.refusing([
            .without("activationId", .invalidRequest), .without("data", .invalidRequest),
            .without("signature", .invalidRequest),
            .with(["signature": "%"], .invalidRequest, message: "signature is not Base64"),
            .damaged("with a damaged device key", .invalidKeyFormat, noDeviceKey),
        ]),
        EndpointTable(path: "/signature/ecdsa/sign", shape: ["signature": .base64(nil)]) { world in
            ["activationId": try await world.activation(.active), "data": "YQ=="]
        }.refusing(activationRows).refusing([
            .without("data", .invalidRequest), .with(["data": "%"], .invalidRequest, message: "data is not Base64"),
            inState(.created, .activationIncorrectState), inState(.pendingCommit, .activationIncorrectState),
            inState(.blocked, .activationIncorrectState), inState(.removed, .activationIncorrectState),
            .damaged("with a damaged server key", .invalidKeyFormat, "UPDATE activation SET server_private = x'00'"),
        ]),
        EndpointTable(
            path: "/signature/list",
            shape: [
                "items": [
                    [
                        "id": .number, "timestampCreated": .date, "userId": "alice", "applicationId": "lab",
                        "activationId": .uuid, "activationCounter": 0, "activationCtrData": .base64(16),
                        "activationStatus": "ACTIVE", "additionalInfo": [], "dataBase64": .base64(nil),
                        "signatureVersion": "3.3", "signatureType": "POSSESSION", "signature": .text, "valid": false,
                        "note": "signature_does_not_match", "version": 3,
                    ]
                ]
            ]
        ) { world in
            let device = try await world.device(.active)
            try await world.call(
                "signature/verify",
                [
                    "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
                    "data": data, "signature": "wrong", "signatureType": "POSSESSION", "signatureVersion": "3.3",
                ])
            return [
                "userId": "alice", "applicationId": "lab", "timestampFrom": "1970-01-01T00:00:00.000+00:00",
                "timestampTo": "4000000000000",
            ]
        }.refusing([.without("userId", .invalidRequest)]),
    ]
}
