// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    static let system = [
        EndpointTable(
            path: "/status",
            shape: [
                "status": "OK", "applicationName": "powerauth-server", "applicationDisplayName": "PowerAuth Server",
                "applicationEnvironment": "", "version": "1.9.0", "buildTime": .date, "timestamp": .date,
            ]
        ) { _ in [:] },
        EndpointTable(
            path: "/error/list", shape: ["errors": .listOf(["code": .text, "value": .text])]
        ) { _ in ["language": "en"] },
        EndpointTable(
            path: "/telemetry/report",
            shape: ["name": "USERS_IN_PAST_DAYS", "reportData": ["application": "lab", "users": 1, "days": 7]]
        ) { world in
            _ = try await world.activation(.created)
            return ["name": "USERS_IN_PAST_DAYS", "parameters": ["application": "lab", "days": 7] as Fields]
        }.refusing([
            .without("name", .invalidRequest, message: "requestObject.name - must not be blank"),
            .with(["name": " "], .invalidRequest, message: "requestObject.name - must not be blank"),
            .when("of an unknown report", code: "ERROR_TELEMETRY", message: "There is no report with this name.") {
                $1.merging(["name": "OTHER"]) { $1 }
            },
            .when(
                "over more than a year", code: "ERROR_TELEMETRY", message: "The parameter days must be 1 to 365."
            ) { $1.merging(["parameters": ["application": "lab", "days": 366] as Fields]) { $1 } },
            .when("about nothing", code: "ERROR_TELEMETRY", message: "The parameter application is missing.") {
                $1.merging(["parameters": ["days": 3] as Fields]) { $1 }
            },
        ]),
    ]

    private static let version: @Sendable (World) async throws -> Fields = { world in
        let version: Fields = ["applicationId": "lab", "applicationVersionId": UUID().uuidString]
        try await world.call("application/version/create", version)
        return version
    }

    private static let versionRows: [Row] = [
        .without("applicationVersionId", .invalidRequest),
        .with(["applicationId": "no"], .invalidApplication), .with(["applicationVersionId": "no"], .invalidApplication),
    ]

    private static func roles(_ path: String, _ roles: Shape) -> EndpointTable {
        EndpointTable(path: path, shape: ["applicationId": "lab", "applicationRoles": roles]) { world in
            try await world.call("application/roles/update", ["applicationId": "lab", "applicationRoles": ["b", "a"]])
            return ["applicationId": "lab", "applicationRoles": ["c", "b", "c"]]
        }.refusing([
            .without("applicationId", .invalidRequest), .with(["applicationId": "no"], .invalidApplication),
            .without("applicationRoles", .invalidRequest),
            .with(["applicationRoles": [String]()], .invalidRequest),
        ])
    }

    static let applications = [
        EndpointTable(
            path: "/application/list", shape: ["applications": [["applicationId": "lab", "applicationRoles": []]]]
        ) { _ in [:] },
        EndpointTable(path: "/application/create", shape: ["applicationId": .uuid, "applicationRoles": []]) { _ in
            ["applicationId": UUID().uuidString.lowercased()]
        }.refusing([
            .without("applicationId", .invalidRequest), .with(["applicationId": " "], .invalidRequest),
            .with(["applicationId": "lab"], .duplicateApplication),
        ]),
        EndpointTable(
            path: "/application/detail",
            shape: [
                "applicationId": "lab", "masterPublicKey": .base64(65), "applicationRoles": [],
                "versions": [
                    [
                        "applicationVersionId": "default", "applicationKey": .base64(16),
                        "applicationSecret": .base64(16), "mobileSdkConfig": .base64(103), "supported": true,
                    ]
                ],
            ]
        ) { _ in ["applicationId": "lab"] }.refusing([
            .without("applicationId", .invalidRequest), .with(["applicationId": "no"], .invalidApplication),
            noMasterKey,
        ]),
        EndpointTable(path: "/application/detail/version", shape: ["applicationId": "lab"]) { world in
            ["applicationKey": world.client.configuration?.applicationKeyText ?? ""]
        }.refusing([
            .without("applicationKey", .invalidApplication), .with(["applicationKey": "no"], .invalidApplication),
            .with(["applicationKey": String(repeating: "k", count: 256)], .invalidRequest),
        ]),
        EndpointTable(
            path: "/application/version/create",
            shape: [
                "applicationVersionId": .uuid, "applicationVersionName": nil, "applicationKey": .base64(16),
                "applicationSecret": .base64(16), "mobileSdkConfig": .base64(103), "supported": true,
            ]
        ) { _ in ["applicationId": "lab", "applicationVersionId": UUID().uuidString.lowercased()] }.refusing([
            .without("applicationId", .invalidRequest), .without("applicationVersionId", .invalidRequest),
            .with(["applicationId": "no"], .invalidApplication),
            .with(["applicationVersionId": "default"], .duplicateApplication),
            noMasterKey,
        ]),
        EndpointTable(
            path: "/application/version/support", shape: ["applicationVersionId": .text, "supported": true],
            rows: versionRows, sample: version),
        EndpointTable(
            path: "/application/version/unsupport", shape: ["applicationVersionId": .text, "supported": false],
            rows: versionRows, sample: version),
        EndpointTable(
            path: "/application/roles/list", shape: ["applicationId": "lab", "applicationRoles": []]
        ) { _ in ["applicationId": "lab"] }.refusing([
            .without("applicationId", .invalidRequest), .with(["applicationId": "no"], .invalidApplication),
        ]),
        roles("/application/roles/create", ["a", "b", "c"]),
        roles("/application/roles/update", ["b", "c"]),
        roles("/application/roles/remove", ["a"]),
        EndpointTable(
            path: "/application/config/detail",
            shape: [
                "applicationId": "lab",
                "applicationConfigs": [["key": "fido2_aaguids_allowed", "values": ["x", "y"]]],
            ]
        ) { world in
            try await world.call(
                "application/config/create",
                ["applicationId": "lab", "key": "fido2_aaguids_allowed", "values": ["x", "y"]])
            return ["applicationId": "lab"]
        }.refusing([.without("applicationId", .invalidRequest)]),
        EndpointTable(
            path: "/application/config/create",
            shape: [
                "applicationId": "lab", "key": "oauth2_providers",
                "values": [
                    [
                        "providerId": "p", "clientId": "c", "clientSecret": "s", "issuerUri": "https://i",
                        "redirectUri": "https://r",
                    ]
                ],
            ]
        ) { _ in
            [
                "applicationId": "lab", "key": "oauth2_providers",
                "values": [
                    [
                        "providerId": "p", "clientId": "c", "clientSecret": "s", "issuerUri": "https://i",
                        "redirectUri": "https://r",
                    ]
                ],
            ]
        }.refusing([
            .without("applicationId", .invalidRequest), .without("key", .invalidRequest),
            .without("values", .invalidRequest), .with(["key": "other"], .invalidRequest),
            .with(["values": [["providerId": "p"]]], .invalidRequest), .with(["values": ["text"]], .invalidRequest),
            .with(["applicationId": "no"], .invalidApplication),
        ]),
        EndpointTable(path: "/application/config/remove", shape: nil) { _ in
            ["applicationId": "lab", "key": "fido2_root_ca_certs"]
        }.refusing([
            .without("applicationId", .invalidRequest), .without("key", .invalidRequest),
            .with(["applicationId": "no"], .invalidApplication),
        ]),
    ]
}
