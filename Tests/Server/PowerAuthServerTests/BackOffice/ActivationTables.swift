// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    /// What every endpoint about one activation refuses.
    static let activationRows: [Row] = [
        .without("activationId", .invalidRequest), .with(["activationId": "no"], .activationNotFound),
    ]

    /// A request about an activation in another state than the sample's.
    static func inState(_ state: ActivationState, _ code: ServiceErrorCode) -> Row {
        .when("while \(state.name)", code) { world, sample in
            sample.merging(["activationId": try await world.activation(state)]) { $1 }
        }
    }

    static let noMasterKey = Row.damaged("without master key", .noMasterServerKeyPair, "DELETE FROM master_keypair")
    static let damagedMasterKey = Row.damaged(
        "with a damaged master key", .incorrectMasterServerKeyPair, "UPDATE master_keypair SET private_key = x'00'")

    /// An activation as lists show it.
    static func listed(_ status: Shape, hasDevice: Bool, flags: Shape = []) -> Shape {
        [
            "activationId": .uuid, "activationStatus": status, "blockedReason": nil, "activationName": nil,
            "externalId": nil, "extras": nil, "protocol": "powerauth", "platform": hasDevice ? "unknown" : nil,
            "deviceInfo": nil, "activationFlags": flags, "timestampCreated": .date, "timestampLastUsed": .date,
            "timestampLastChange": .date, "userId": "alice", "applicationId": "lab", "applicationName": nil,
            "failedAttempts": 0, "maxFailedAttempts": 5, "devicePublicKeyBase64": hasDevice ? .base64(65) : nil,
            "version": hasDevice ? 3 : 0,
        ]
    }

    static let activations = [
        EndpointTable(
            path: "/activation/init",
            shape: [
                "activationId": .uuid, "activationCode": .text, "activationSignature": .base64(nil), "userId": "alice",
                "applicationId": "lab",
            ]
        ) { _ in
            [
                "userId": "alice", "applicationId": "lab", "protocol": "powerauth", "maxFailureCount": 3,
                "timestampActivationExpire": "2030-01-01T00:00:00Z", "commitPhase": "ON_COMMIT",
                "activationOtp": "12345", "flags": ["f"],
            ]
        }.refusing([
            .without("userId", .invalidRequest), .with(["userId": " "], .invalidRequest),
            .with(["userId": String(repeating: "u", count: 256)], .invalidRequest),
            .without("applicationId", .noApplicationId), .with(["applicationId": "no"], .invalidApplication),
            .with(["maxFailureCount": 0], .activationCreateFailure),
            .with(["maxFailureCount": -1], .activationCreateFailure),
            .with(["activationOtpValidation": "ON_COMMIT"], .invalidRequest),
            .when("with a password's mode and no password", .invalidRequest) { _, _ in
                ["userId": "alice", "applicationId": "lab", "activationOtpValidation": "ON_KEY_EXCHANGE"]
            },
            .with(
                ["protocol": "fido2"], .invalidRequest,
                message: "this server supports activations of the protocol powerauth only"),
            .configured("when no identifier is free", .unableToGenerateActivationId) {
                $0.policy.generationAttempts = 0
            },
            noMasterKey, damagedMasterKey,
        ]),
        EndpointTable(path: "/activation/commit", shape: ["activationId": .uuid, "activated": true]) { world in
            ["activationId": try await world.activation(.pendingCommit), "externalUserId": "operator"]
        }.refusing(activationRows).refusing([
            inState(.created, .activationIncorrectState), inState(.active, .activationIncorrectState),
            inState(.blocked, .activationIncorrectState), inState(.removed, .activationExpired),
            .when("too late", .activationExpired) { world, sample in
                world.client.clock.advance(milliseconds: 300_001)
                return sample
            },
            .with(["activationOtp": "12345"], .invalidActivationOtp),
            .when("without the password that is due", .invalidActivationOtp) { world, _ in
                ["activationId": try await world.activation(.pendingCommit, ["activationOtp": "12345"])]
            },
        ]),
        EndpointTable(
            path: "/activation/status",
            shape: [
                "activationId": .uuid, "activationStatus": "CREATED", "activationOtpValidation": "NONE",
                "commitPhase": "ON_COMMIT", "blockedReason": nil, "activationName": nil, "userId": "alice",
                "extras": nil, "protocol": "powerauth", "externalId": nil, "platform": nil, "deviceInfo": nil,
                "applicationId": "lab", "failedAttempts": 0, "maxFailedAttempts": 5, "timestampCreated": .date,
                "timestampLastUsed": .date, "timestampLastChange": .date, "encryptedStatusBlob": .base64(32),
                "encryptedStatusBlobNonce": .base64(16), "activationCode": .text,
                "activationSignature": .base64(nil), "devicePublicKeyFingerprint": nil, "version": 0,
                "activationFlags": ["a", "b"], "applicationRoles": [],
            ]
        ) { world in
            [
                "activationId": try await world.activation(.created, ["flags": ["b", "a"]]),
                "challenge": "eP+0k8KPpESafeoErRsRCw==",
            ]
        }.refusing([
            .without("activationId", .invalidRequest), .with(["challenge": "AAAA"], .genericCryptographyError),
            .with(["challenge": "%"], .genericCryptographyError),
            noMasterKey, damagedMasterKey,
        ]),
        EndpointTable(
            path: "/activation/block",
            shape: ["activationId": .uuid, "activationStatus": "BLOCKED", "blockedReason": "TEST-REASON"]
        ) { world in
            [
                "activationId": try await world.activation(.active), "reason": "TEST-REASON",
                "externalUserId": "operator",
            ]
        }.refusing(activationRows).refusing([
            inState(.created, .activationIncorrectState), inState(.pendingCommit, .activationIncorrectState),
            inState(.removed, .activationIncorrectState),
        ]),
        EndpointTable(
            path: "/activation/unblock", shape: ["activationId": .uuid, "activationStatus": "ACTIVE"]
        ) { world in
            ["activationId": try await world.activation(.blocked), "externalUserId": "operator"]
        }.refusing(activationRows).refusing([
            inState(.created, .activationIncorrectState), inState(.pendingCommit, .activationIncorrectState),
            inState(.removed, .activationIncorrectState),
        ]),
        EndpointTable(path: "/activation/remove", shape: ["activationId": .uuid, "removed": true]) { world in
            [
                "activationId": try await world.activation(.active), "externalUserId": "operator",
                "revokeRecoveryCodes": true,
            ]
        }.refusing(activationRows),
        EndpointTable(
            path: "/activation/list",
            shape: ["userId": "alice", "activations": [listed("ACTIVE", hasDevice: true, flags: ["f"])]]
        ) { world in
            _ = try await world.activation(.active, ["flags": ["f"]])
            return [
                "userId": "alice", "applicationId": "lab", "protocols": ["powerauth", "fido2"], "pageNumber": 0,
                "pageSize": 1, "activationStatuses": ["ACTIVE", "BLOCKED"],
            ]
        }.refusing([
            .without("userId", .invalidRequest), .with(["pageNumber": -1], .invalidRequest),
            .with(["pageSize": 0], .invalidRequest), .with(["pageSize": -1], .invalidRequest),
            .with(["pageNumber": Int64.max, "pageSize": Int64.max], .invalidRequest),
        ]),
        EndpointTable(
            path: "/activation/history",
            shape: [
                "items": [
                    [
                        "id": .number, "activationId": .uuid, "activationStatus": "BLOCKED", "eventReason": "WHY",
                        "externalUserId": "operator", "activationName": nil, "timestampCreated": .date, "version": 3,
                    ],
                    [
                        "id": .number, "activationId": .uuid, "activationStatus": "ACTIVE", "eventReason": nil,
                        "externalUserId": nil, "activationName": nil, "timestampCreated": .date, "version": 3,
                    ],
                    [
                        "id": .number, "activationId": .uuid, "activationStatus": "PENDING_COMMIT",
                        "eventReason": nil, "externalUserId": nil, "activationName": nil, "timestampCreated": .date,
                        "version": 3,
                    ],
                    [
                        "id": .number, "activationId": .uuid, "activationStatus": "CREATED", "eventReason": nil,
                        "externalUserId": nil, "activationName": nil, "timestampCreated": .date, "version": nil,
                    ],
                ]
            ]
        ) { world in
            let id = try await world.activation(.active)
            try await world.call(
                "activation/block", ["activationId": id, "reason": "WHY", "externalUserId": "operator"])
            return ["activationId": id, "timestampFrom": "1970-01-01T00:00:00Z", "timestampTo": 4_000_000_000_000]
        }.refusing([.without("activationId", .invalidRequest)]),
    ]
}
