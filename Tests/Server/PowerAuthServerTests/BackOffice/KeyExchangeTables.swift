// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

extension EndpointTable {
    /// The errors of an encrypted message of 3.3 with any content.
    /// - Parameter wrongFields: the code for members that the version does not have.
    static func envelopeRows(wrongFields: ServiceErrorCode) -> [Row] {
        [
            .without("applicationKey", .invalidRequest), .without("ephemeralPublicKey", .invalidRequest),
            .without("encryptedData", .invalidRequest), .without("mac", .invalidRequest),
            .with(["mac": "%"], .invalidRequest, message: "mac is not Base64"),
            .with(["ephemeralPublicKey": "AAAA\n"], .invalidRequest, message: "ephemeralPublicKey is not Base64"),
            .with(["protocolVersion": "9.9"], .decryptionFailed), .without("temporaryKeyId", wrongFields),
            .without("nonce", wrongFields), .without("timestamp", wrongFields),
            .with(["nonce": "AAAA"], wrongFields), .with(["protocolVersion": "3.2"], wrongFields),
            .with(["temporaryKeyId": "no"], .missingTemporaryKey),
            .with(["timestamp": 0], .invalidRequest), .with(["timestamp": Int64.max], .invalidRequest),
            .with(["timestamp": -1], .invalidRequest),
            .when("with another code", .decryptionFailed) { _, sample in
                sample.merging(["mac": StrictBase64.encode(Data(count: 32))]) { $1 }
            },
            .when("with a key that is no point", .decryptionFailed) { _, sample in
                let key = Data([2] + [UInt8](repeating: 0xFF, count: 32))
                return sample.merging(["ephemeralPublicKey": StrictBase64.encode(key)]) { $1 }
            },
        ]
    }

    private static func exchanged(_ user: Shape) -> Shape {
        [
            "activationId": .uuid, "userId": user, "applicationId": "lab", "encryptedData": .base64(nil),
            "mac": .base64(32), "nonce": .base64(16), "timestamp": .number, "activationStatus": "PENDING_COMMIT",
        ]
    }

    private static func applicationRows(_ unknown: ServiceErrorCode) -> [Row] {
        [
            .with(["applicationKey": "AAAAAAAAAAAAAAAAAAAAAA=="], unknown),
            .when("with an unsupported version's key", unknown) { world, sample in
                sample.merging(["applicationKey": try await world.unsupportedKey()]) { $1 }
            },
        ]
    }

    /// The errors in the inner layer of any key exchange.
    private static let innerRows: [Row] = [
        .when("with a layer that is no JSON", .invalidInputFormat) { world, sample in
            sample.merging(try await world.keyExchange(plaintext: Data("no JSON".utf8))) { $1 }
        },
        .when("without device key", .invalidRequest) { world, sample in
            sample.merging(try await world.keyExchange(["devicePublicKey": " "])) { $1 }
        },
        .when("twice", .invalidRequest) { world, sample in
            _ = try await world.client.backOffice("activation/create", sample.merging(["userId": "x"]) { $1 })
            return sample
        },
        .damaged("of 3.2 without master key", .noMasterServerKeyPair, "DELETE FROM master_keypair") {
            world, sample in
            sample.filter { $0.key != "temporaryKeyId" }.merging(try await world.keyExchange(version: .v3_2)) { $1 }
        },
    ]

    /// The errors of a key exchange that creates an activation itself.
    private static let creationRows: [Row] = [
        .with(["maxFailureCount": 0], .activationCreateFailure),
        .when("with a key that is no point", .activationExpired) { world, sample in
            let key = StrictBase64.encode(Data(count: 65))
            return sample.merging(try await world.keyExchange(["devicePublicKey": key])) { $1 }
        },
        .when("with an unexpected password", .invalidActivationOtp) { world, sample in
            sample.merging(try await world.keyExchange(["activationOtp": "12345"])) { $1 }
        },
        damagedMasterKey,
    ]

    /// A recovery code of an activation that is ready to be used.
    static func recoverable(_ world: World) async throws -> (device: TestDevice, recovery: RecoveryData) {
        try await world.client.enableRecovery()
        let (id, code) = try await world.client.initiate()
        var device = try TestDevice(world.client, .v3_3)
        try await device.exchange("activation/prepare", ["activationCode": code, "generateRecoveryCodes": true])
            .expectOK()
        try await world.call("activation/commit", ["activationId": id])
        return (device, try #require(device.recovery))
    }

    static let keyExchanges = [
        EndpointTable(path: "/activation/prepare", shape: exchanged("alice")) { world in
            let (_, code) = try await world.client.initiate()
            return try await world.keyExchange().merging(["activationCode": code, "generateRecoveryCodes": true]) { $1 }
        }.refusing(envelopeRows(wrongFields: .invalidRequest)).refusing(applicationRows(.activationExpired))
            .refusing(innerRows).refusing([
                .without("activationCode", .activationNotFound),
                .with(["activationCode": "AAAAA-AAAAA-AAAAA-AAAAA"], .activationNotFound),
                .when("too late", .activationNotFound) { world, sample in
                    world.client.clock.advance(milliseconds: 300_001)
                    return sample.merging(try await world.keyExchange()) { $1 }
                },
                .when("with a key that is no point", .activationNotFound) { world, sample in
                    let key = StrictBase64.encode(Data(count: 65))
                    return sample.merging(try await world.keyExchange(["devicePublicKey": key])) { $1 }
                },
                .when("with an unexpected password", .invalidActivationOtp) { world, sample in
                    sample.merging(try await world.keyExchange(["activationOtp": "12345"])) { $1 }
                },
            ]),
        EndpointTable(path: "/activation/create", shape: exchanged("carol")) { world in
            try await world.keyExchange().merging([
                "userId": "carol", "timestampActivationExpire": 1_900_000_000_000, "generateRecoveryCodes": false,
                "maxFailureCount": 4, "activationOtp": "12345",
            ]) { $1 }
        }.refusing(envelopeRows(wrongFields: .invalidRequest)).refusing(applicationRows(.invalidApplication))
            .refusing(innerRows).refusing(creationRows).refusing([
                .without("userId", .invalidRequest), .without("protocolVersion", .decryptionFailed),
                .configured("when no identifier is free", .unableToGenerateActivationId) {
                    $0.policy.generationAttempts = 0
                },
            ]),
        EndpointTable(path: "/activation/recovery/create", shape: exchanged("alice")) { world in
            let (_, recovery) = try await recoverable(world)
            return try await world.keyExchange().merging([
                "recoveryCode": recovery.code.text, "puk": recovery.puk.text, "generateRecoveryCodes": true,
                "maxFailureCount": 4, "activationOtp": "12345",
            ]) { $1 }
        }.refusing(envelopeRows(wrongFields: .invalidRequest)).refusing(applicationRows(.invalidRequest))
            .refusing(innerRows).refusing(creationRows).refusing([
                .without("recoveryCode", .invalidRequest), .without("puk", .invalidRequest),
                .without("protocolVersion", .decryptionFailed),
                .with(["recoveryCode": "AAAAA-AAAAA-AAAAA-AAAAA"], .invalidRequest),
                .when("while recovery is disabled", .invalidRequest) { world, sample in
                    try await world.call(
                        "recovery/config/update", ["applicationId": "lab", "activationRecoveryEnabled": false])
                    return sample
                },
                .when("with a wrong PUK", code: "ERR_RECOVERY", message: "Invalid recovery code.") {
                    $1.merging(["puk": "0000000000"]) { $1 }
                },
                .when("with the last wrong PUK", .invalidRecoveryCode) { world, sample in
                    let wrong = sample.merging(["puk": "0000000000"]) { $1 }
                    for _ in 1...4 {
                        let fresh = wrong.merging(try await world.keyExchange()) { $1 }
                        _ = try await world.client.backOffice("activation/recovery/create", fresh)
                    }
                    return wrong
                },
            ]),
    ]
}
