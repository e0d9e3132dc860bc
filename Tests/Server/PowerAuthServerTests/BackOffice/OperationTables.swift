// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension EndpointTable {
    // MARK: Templates

    private static func template(_ name: String) -> Fields {
        [
            "templateName": name, "operationType": "payment", "dataTemplate": "A1*A${amount}",
            "signatureType": ["POSSESSION_KNOWLEDGE", "POSSESSION_BIOMETRY"], "maxFailureCount": 5,
            "expiration": "300", "riskFlags": "XCF", "proximityCheckEnabled": false,
        ]
    }

    private static let templateShape: Shape = [
        "id": .number, "templateName": .text, "operationType": "payment", "dataTemplate": "A1*A${amount}",
        "signatureType": ["POSSESSION_KNOWLEDGE", "POSSESSION_BIOMETRY"], "maxFailureCount": 5, "expiration": 300,
        "riskFlags": "XCF", "proximityCheckEnabled": false,
    ]

    private static let templateRows: [Row] = [
        .with(["operationType": ""], .invalidRequest, message: "operationType must not be empty"),
        .without("dataTemplate", .invalidRequest, message: "dataTemplate must not be empty"),
        .with(
            ["signatureType": [String]()], .invalidRequest,
            message: "signatureType must list at least one type, without duplicates"),
        .with(
            ["signatureType": ["POSSESSION", "POSSESSION"]], .invalidRequest,
            message: "signatureType must list at least one type, without duplicates"),
        .with(["maxFailureCount": 0], .invalidRequest, message: "maxFailureCount must be positive"),
        .with(["expiration": -1], .invalidRequest, message: "expiration must be a positive number of seconds"),
    ]

    private static let templateReference: [Row] = [
        .without("id", .invalidRequest, message: "id is missing"), .with(["id": 999], .operationTemplateNotFound),
    ]

    private static func newTemplate(_ world: World) async throws -> Fields {
        let name = UUID().uuidString
        let answer = try await world.call("operation/template/create", template(name))
        return ["id": answer.number("id") ?? 0, "templateName": name]
    }

    static let templates = [
        EndpointTable(path: "/operation/template/list", shape: [templateShape]) { world in
            try await world.call("operation/template/create", template("payment"))
            return [:]
        },
        EndpointTable(path: "/operation/template/detail", shape: templateShape) { world in
            try await newTemplate(world).filter { $0.key == "id" }
        }.refusing(templateReference),
        EndpointTable(path: "/operation/template/create", shape: templateShape) { _ in template(UUID().uuidString) }
            .refusing(templateRows).refusing([
                .without("templateName", .invalidRequest, message: "templateName must not be empty"),
                .when("with a name that is taken", .operationTemplateAlreadyExists) { world, sample in
                    try await world.call("operation/template/create", sample)
                    return sample
                },
            ]),
        EndpointTable(path: "/operation/template/update", shape: templateShape) { world in
            try await newTemplate(world).merging(template("").filter { $0.key != "templateName" }) { $1 }
                .filter { $0.key != "templateName" }
        }.refusing(templateRows).refusing(templateReference),
        EndpointTable(path: "/operation/template/remove", shape: nil) { world in
            try await newTemplate(world).filter { $0.key == "id" }
        }.refusing(templateReference),
    ]

    // MARK: Operations

    private static func operation(
        _ status: Shape = "PENDING", additional: Shape = ["a": 1], failures: Shape = 0, finalized: Shape = nil,
        reason: Shape = nil, code: Shape = nil
    ) -> Shape {
        [
            "id": .uuid, "userId": "alice", "applications": ["lab"], "externalId": "ext-42", "activationFlag": nil,
            "operationType": "payment", "templateName": .text, "data": "A1*A100.00",
            "parameters": ["amount": "100.00"], "additionalData": additional, "status": status,
            "statusReason": reason, "signatureType": ["POSSESSION_KNOWLEDGE", "POSSESSION_BIOMETRY"],
            "failureCount": failures, "maxFailureCount": 5, "timestampCreated": .date, "timestampExpires": .date,
            "timestampFinalized": finalized, "riskFlags": "XCF", "proximityOtp": code, "activationId": nil,
        ]
    }

    private static func newOperation(_ world: World) async throws -> Fields {
        let template = try await newTemplate(world)["templateName"] ?? ""
        return [
            "userId": "alice", "applications": ["lab"], "templateName": template, "externalId": "ext-42",
            "parameters": ["amount": "100.00"], "additionalData": ["a": 1], "proximityCheckEnabled": false,
            "timestampExpires": "2030-01-01T00:00:00.000+00:00",
        ]
    }

    private static func pending(_ world: World, _ extra: Fields = [:]) async throws -> String {
        try await world.call("operation/create", newOperation(world).merging(extra) { $1 }).required("id")
    }

    private static func decision(_ world: World) async throws -> Fields {
        [
            "operationId": try await pending(world), "userId": "alice", "applicationId": "lab",
            "additionalData": ["b": 2],
        ]
    }

    private static func unknown(_ code: ServiceErrorCode) -> [Row] {
        [
            .without("operationId", .invalidRequest, message: "operationId is missing"),
            .with(["operationId": "no"], code),
        ]
    }

    private static func final(_ code: ServiceErrorCode) -> Row {
        .when("of a final one", code) { world, sample in
            try await world.call("operation/cancel", ["operationId": sample["operationId"] ?? ""])
            return sample
        }
    }

    private static let pageRows: [Row] = [
        .with(["pageNumber": -1], .invalidRequest, message: Self.pageMessage),
        .with(["pageSize": 0], .invalidRequest, message: Self.pageMessage),
        .with(["pageNumber": Int64.max, "pageSize": 2], .invalidRequest, message: Self.pageMessage),
        .without("applications", .invalidRequest, message: "applications must not be empty"),
        .with(["applications": ["lab", "no"]], .invalidApplication),
    ]
    private static let pageMessage = "pageNumber must not be negative and pageSize must be positive"

    private static func list(_ path: String, _ operation: Shape) -> EndpointTable {
        EndpointTable(path: path, shape: [operation]) { world in
            _ = try await pending(world, ["proximityCheckEnabled": true])
            return [
                "userId": "alice", "applications": ["lab"], "pageNumber": "0", "pageSize": 1,
                "activationId": try await world.activation(.created),
            ]
        }.refusing(pageRows).refusing([.without("userId", .noUserId), .with(["userId": " "], .noUserId)])
    }

    static let operations = [
        EndpointTable(path: "/operation/create", shape: operation()) { try await newOperation($0) }.refusing([
            .without("applications", .invalidRequest, message: "applications must not be empty"),
            .with(["applications": [String]()], .invalidRequest, message: "applications must not be empty"),
            .without("templateName", .invalidRequest, message: "templateName is missing"),
            .with(["userId": ""], .invalidRequest, message: "userId must not be empty"),
            .with(
                ["activationId": String(repeating: "a", count: 38)], .invalidRequest,
                message: "activationId is too long"),
            .with(
                ["activationId": "no"], .invalidRequest,
                message: "activationId is unknown or belongs to another user"),
            .when(
                "for another user's activation", .invalidRequest,
                message: "activationId is unknown or belongs to another user"
            ) { world, sample in
                sample.merging(["activationId": try await world.activation(.created, ["userId": "bob"])]) { $1 }
            },
            .with(
                ["parameters": ["amount": "1\t2"]], .invalidRequest,
                message: "parameter amount holds a control character"
            ),
            .with(
                ["parameters": ["amount": "1\u{1F}2"]], .invalidRequest,
                message: "parameter amount holds a control character"),
            .with(
                ["parameters": ["amount": NSNull()] as Fields], .invalidRequest, message: "parameters must not be null"),
            .with(["timestampExpires": 0], .invalidRequest, message: "timestampExpires is in the past"),
            .with(["templateName": "no"], .operationTemplateNotFound),
            .with(["applications": ["lab", "no"]], .invalidApplication),
            .with(["applications": ["lab", "lab"]], .invalidApplication),
            .configured("when no identifier is free", .unableToGenerateToken) { $0.policy.generationAttempts = 0 },
        ]),
        EndpointTable(path: "/operation/detail", shape: operation(code: .digits(8))) { world in
            ["operationId": try await pending(world, ["proximityCheckEnabled": true]), "userId": "alice"]
        }.refusing(unknown(.operationNotFound)).refusing([.with(["userId": "bob"], .operationNotFound)]),
        EndpointTable(path: "/operation/claim", shape: operation(code: .digits(8))) { world in
            ["operationId": try await pending(world, ["proximityCheckEnabled": true]), "userId": "alice"]
        }.refusing(unknown(.operationNotFound)).refusing([
            .with(["userId": "bob"], .operationNotFound),
            .without("userId", .invalidRequest, message: "userId is missing"),
        ]),
        list("/operation/list", operation()),
        list("/operation/list/pending", operation(code: .digits(8))),
        EndpointTable(path: "/operation/list/external", shape: [operation()]) { world in
            _ = try await pending(world)
            return ["externalId": "ext-42", "applications": ["lab"], "pageNumber": 0, "pageSize": "1"]
        }.refusing(pageRows).refusing([
            .without("externalId", .invalidRequest, message: "externalId is missing")
        ]),
        EndpointTable(
            path: "/operation/approve",
            shape: [
                "result": "APPROVED",
                "operation": operation("APPROVED", additional: ["a": 1, "b": 2], finalized: .date),
            ]
        ) { world in
            try await decision(world).merging(["data": "A1*A100.00", "signatureType": "POSSESSION_KNOWLEDGE"]) { $1 }
        }.refusing(
            ["operationId", "userId", "applicationId", "data", "signatureType"].map {
                .without(
                    $0, .invalidRequest,
                    message: "operationId, userId, applicationId, data and signatureType are required")
            }
        ).refusing([
            .with(["operationId": "no"], .operationApproveFailure), .with(["applicationId": "no"], .invalidApplication),
            final(.operationApproveFailure),
            .when("of a final one for an unknown application", .invalidApplication) { world, sample in
                try await world.call("operation/cancel", ["operationId": sample["operationId"] ?? ""])
                return sample.merging(["applicationId": "no"]) { $1 }
            },
        ]),
        EndpointTable(
            path: "/operation/approve/fail",
            shape: ["result": "APPROVAL_FAILED", "operation": operation(additional: ["a": 1, "b": 2], failures: 1)]
        ) { world in
            ["operationId": try await pending(world), "additionalData": ["b": 2]]
        }.refusing(unknown(.operationNotFound)).refusing([final(.operationInvalidState)]),
        EndpointTable(
            path: "/operation/reject",
            shape: [
                "result": "REJECTED",
                "operation": operation("REJECTED", additional: ["a": 1, "b": 2], finalized: .date),
            ]
        ) { try await decision($0) }.refusing(
            ["operationId", "userId", "applicationId"].map {
                .without($0, .invalidRequest, message: "operationId, userId and applicationId are required")
            }
        ).refusing([
            .with(["operationId": "no"], .operationRejectFailure), .with(["applicationId": "no"], .invalidApplication),
            final(.operationRejectFailure),
        ]),
        EndpointTable(
            path: "/operation/cancel",
            shape: operation("CANCELED", additional: ["a": 1, "b": 2], finalized: .date, reason: "CHANGED")
        ) { world in
            ["operationId": try await pending(world), "additionalData": ["b": 2], "statusReason": "CHANGED"]
        }.refusing(unknown(.operationNotFound)).refusing([
            final(.operationInvalidState),
            .with(
                ["statusReason": String(repeating: "r", count: 33)], .invalidRequest,
                message: "statusReason must have at most 32 characters"),
        ]),
    ]
}
