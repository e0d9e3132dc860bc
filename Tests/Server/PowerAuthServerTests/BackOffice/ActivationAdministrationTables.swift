// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    private static func flags(_ path: String, _ flags: Shape) -> EndpointTable {
        EndpointTable(path: path, shape: ["activationId": .uuid, "activationFlags": flags]) { world in
            [
                "activationId": try await world.activation(.created, ["flags": ["b", "a"]]),
                "activationFlags": ["c", "b", "c"],
            ]
        }.refusing(activationRows).refusing([
            .without("activationFlags", .invalidRequest), .with(["activationFlags": [String]()], .invalidRequest),
        ])
    }

    static let activationAdministration = [
        EndpointTable(path: "/activation/otp/update", shape: ["activationId": .uuid, "updated": true]) { world in
            [
                "activationId": try await world.activation(.pendingCommit), "activationOtp": "54321",
                "externalUserId": "operator",
            ]
        }.refusing(activationRows).refusing([
            .without("activationOtp", .invalidRequest), .with(["activationOtp": ""], .invalidRequest),
            inState(.created, .activationIncorrectState), inState(.active, .activationIncorrectState),
            inState(.blocked, .activationIncorrectState), inState(.removed, .activationIncorrectState),
            .when("too late", .activationIncorrectState) { world, sample in
                world.client.clock.advance(milliseconds: 300_001)
                return sample
            },
            .when("with a password that was due in the key exchange", .invalidActivationOtpMode) { world, _ in
                let mode: Fields = ["activationOtp": "12345", "activationOtpValidation": "ON_KEY_EXCHANGE"]
                let (id, code) = try await world.client.initiate(mode)
                let inner = try await world.keyExchange(["activationOtp": "12345"])
                try await world.call("activation/prepare", inner.merging(["activationCode": code]) { $1 })
                // Only an operator can take such an activation back to its commit.
                try await world.call(
                    "activation/status/update", ["activationIds": [id], "activationStatus": "PENDING_COMMIT"])
                return ["activationId": id, "activationOtp": "54321"]
            },
        ]),
        EndpointTable(
            path: "/activation/name/update",
            shape: ["activationId": .uuid, "activationName": "New name", "activationStatus": "ACTIVE"]
        ) { world in
            [
                "activationId": try await world.activation(.active), "activationName": "New name",
                "externalUserId": "operator",
            ]
        }.refusing([
            .without("activationId", .invalidRequest, message: "requestObject.activationId - must not be blank"),
            .without("externalUserId", .invalidRequest, message: "requestObject.externalUserId - must not be blank"),
            .with(
                ["activationName": " ", "activationId": ""], .invalidRequest,
                message:
                    "requestObject.activationId - must not be blank, requestObject.activationName - must not be blank"
            ),
            .with(["activationId": "no"], .activationNotFound),
            inState(.created, .activationIncorrectState), inState(.blocked, .activationIncorrectState),
            inState(.removed, .activationIncorrectState),
        ]),
        EndpointTable(
            path: "/activation/flags/list", shape: ["activationId": .uuid, "activationFlags": ["a", "b"]]
        ) { world in
            ["activationId": try await world.activation(.created, ["flags": ["b", "a"]])]
        }.refusing(activationRows),
        flags("/activation/flags/create", ["a", "b", "c"]),
        flags("/activation/flags/update", ["b", "c"]),
        flags("/activation/flags/remove", ["a"]),
        EndpointTable(
            path: "/activation/lookup", shape: ["activations": [listed("CREATED", hasDevice: false, flags: ["f"])]]
        ) { world in
            _ = try await world.activation(.created, ["flags": ["f"]])
            return [
                "userIds": ["alice", "bob"], "applicationIds": ["lab"],
                "timestampLastUsedBefore": "2030-01-01T00:00:00Z",
                "timestampLastUsedAfter": 0, "activationStatus": "CREATED", "activationFlags": ["f"],
            ]
        }.refusing([.without("userIds", .invalidRequest), .with(["userIds": [String]()], .invalidRequest)]),
        EndpointTable(path: "/activation/status/update", shape: ["updated": true]) { world in
            ["activationIds": [try await world.activation(.active)], "activationStatus": "BLOCKED"]
        }.refusing([
            .without("activationIds", .invalidRequest), .without("activationStatus", .invalidRequest),
            .with(["activationIds": [String]()], .invalidRequest),
            .with(["activationIds": ["no"]], .activationNotFound),
            .when("of a removed one", .activationIncorrectState) { world, sample in
                sample.merging(["activationIds": [try await world.activation(.removed)]]) { $1 }
            },
        ]),
    ]
}
