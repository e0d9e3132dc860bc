// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    private static let integration: Shape = ["id": .uuid, "name": "shop", "clientToken": .uuid, "clientSecret": .uuid]

    private static let callback: Fields = [
        "applicationId": "lab", "name": "callback", "type": "ACTIVATION_STATUS_CHANGE",
        "callbackUrl": "http://127.0.0.1:9/called", "attributes": ["userId"],
        "authentication": ["httpBasic": ["enabled": true, "username": "u", "password": "p"] as Fields] as Fields,
        "retentionPeriod": "P30D", "initialBackoff": "PT1.5S", "maxAttempts": "3",
    ]

    private static let callbackShape: Shape = [
        "id": .uuid, "applicationId": "lab", "name": "callback", "type": "ACTIVATION_STATUS_CHANGE",
        "callbackUrl": "http://127.0.0.1:9/called", "attributes": ["userId"], "authentication": .mapping,
        "retentionPeriod": "PT720H", "initialBackoff": "PT1.5S", "maxAttempts": 3,
    ]

    private static let callbackRows: [Row] = [
        .without("applicationId", .invalidRequest, message: "requestObject.applicationId - must not be blank"),
        .without("name", .invalidRequest, message: "requestObject.name - must not be blank"),
        .without("callbackUrl", .invalidRequest, message: "requestObject.callbackUrl - must not be blank"),
        .with(
            ["name": "", "callbackUrl": " "], .invalidRequest,
            message: "requestObject.callbackUrl - must not be blank, requestObject.name - must not be blank"),
        .without("type", .invalidRequest, message: "requestObject.type - must not be null"),
        .with(
            ["maxAttempts": 0], .invalidRequest,
            message: "requestObject.maxAttempts - must be greater than or equal to 1"),
        .with(["callbackUrl": "no URL"], .invalidURLFormat), .with(["callbackUrl": "/relative"], .invalidURLFormat),
        .with(["callbackUrl": "http://"], .invalidURLFormat),
    ]

    static let integrations = [
        EndpointTable(path: "/integration/create", shape: integration) { _ in ["name": "shop"] }
            .refusing([.without("name", .invalidRequest), .with(["name": " "], .invalidRequest)]),
        EndpointTable(
            path: "/integration/list", shape: ["restrictedAccess": false, "items": [integration]]
        ) { world in
            try await world.call("integration/create", ["name": "shop"])
            return [:]
        },
        EndpointTable(path: "/integration/remove", shape: ["id": .uuid, "removed": true]) { world in
            ["id": try await world.call("integration/create", ["name": "shop"]).required("id")]
        }.refusing([.without("id", .invalidRequest)]),
        EndpointTable(path: "/application/callback/create", shape: callbackShape) { _ in callback }
            .refusing(callbackRows).refusing([.with(["applicationId": "no"], .invalidApplication)]),
        EndpointTable(path: "/application/callback/update", shape: callbackShape) { world in
            let created = try await world.call("application/callback/create", callback.merging(["name": "old"]) { $1 })
            return callback.merging(["id": try created.required("id")]) { $1 }
        }.refusing(callbackRows).refusing([
            .without("id", .invalidRequest), .with(["id": "no"], .invalidRequest),
            .when("of another application", .invalidRequest) { world, sample in
                _ = try await world.foreignKey()
                let list = try await world.call("application/list", [:])
                return sample.merging(["applicationId": try list.required("applications.1.applicationId")]) { $1 }
            },
            .when("after its removal", .invalidRequest) { world, sample in
                try await world.call("application/callback/remove", ["id": sample["id"] ?? ""])
                return sample
            },
        ]),
        EndpointTable(path: "/application/callback/list", shape: ["callbackUrlList": [callbackShape]]) { world in
            try await world.call("application/callback/create", callback)
            return ["applicationId": "lab"]
        }.refusing([.without("applicationId", .invalidRequest), .with(["applicationId": "no"], .invalidApplication)]),
        EndpointTable(path: "/application/callback/remove", shape: ["id": .uuid, "removed": true]) { world in
            ["id": try await world.call("application/callback/create", callback).required("id")]
        }.refusing([.without("id", .invalidRequest)]),
        EndpointTable(path: "/application/callback/deliveries", shape: ["attempts": []]) { world in
            ["id": try await world.call("application/callback/create", callback).required("id")]
        }.refusing([.without("id", .invalidRequest)]),
    ]
}
