// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

/// What the description of the API says about each resource, beside the fields of its bodies.
@Suite("Description of the API", .endsInTime)
struct OpenAPITests {
    /// One operation of the description.
    struct Row: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        /// The media type of the body; nil where none is described.
        var body: String?
        var isBodyRequired = false
        /// The codes of each status but 200.
        let failures: [String: String]
        /// The media type of a success.
        var answer = "application/json"
        /// What is described of a success; nil where it has fields.
        var success: JSONValue?

        var testDescription: String { "\(method) \(path)" }
    }

    private static let json = "application/json"

    private static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    private static let encrypted: JSONValue = ["anyOf": [reference("ObjectResponse"), reference("EncryptedResponse")]]

    /// What every resource of a face can answer.
    private static func common(_ code: String, isForTools: Bool) -> [String: String] {
        let all = ["405", "413", "500", "503"] + (isForTools ? ["403", "421"] : [])
        return Dictionary(uniqueKeysWithValues: all.map { ($0, code) })
    }

    private static let device = common("ERROR_GENERIC", isForTools: false)
    private static let backOffice = common("ERR0000", isForTools: true).merging([
        "401": "ERR_AUTHENTICATION", "415": "ERR0000",
    ]) { $1 }
    private static let lab = common("ERROR_GENERIC", isForTools: true).merging([
        "400": "ERROR_HTTP_REQUEST", "401": "ERR_AUTHENTICATION",
    ]) { $1 }

    static let rows: [Row] = [
        Row(
            method: "post", path: "/pa/v3/activation/status", body: json,
            failures: device.merging(["400": "ERR_ACTIVATION", "415": "ERROR_GENERIC"]) { $1 }, success: encrypted),
        Row(
            method: "post", path: "/pa/v3/activation/remove",
            failures: device.merging(["400": "ERR_ACTIVATION", "401": "ERR_AUTHENTICATION"]) { $1 },
            success: encrypted),
        Row(
            method: "put", path: "/pa/v3/signature/validate",
            failures: device.merging(["401": "ERR_AUTHENTICATION"]) { $1 }, success: encrypted),
        Row(
            method: "post", path: "/api/auth/token/app/operation/list", body: json,
            failures: device.merging([
                "400": "INVALID_ACTIVATION", "401": "POWERAUTH_AUTH_FAIL", "415": "ERROR_GENERIC",
                "500": "ERROR_GENERIC, ERR_CONFIG",
            ]) { $1 }, success: reference("ObjectResponse")),
        Row(
            method: "post", path: "/rest/v3/activation/unblock", body: json, isBodyRequired: true,
            failures: backOffice.merging(["400": "ERR0008, ERR0009, ERR0024, ERROR_HTTP_REQUEST"]) { $1 }),
        Row(method: "post", path: "/rest/v3/status", failures: backOffice),
        Row(
            method: "post", path: "/lab/faults", body: json, isBodyRequired: true,
            failures: lab.merging(["415": "ERROR_GENERIC"]) { $1 }, success: ["type": "object"]),
        Row(
            method: "get", path: "/lab/faults", failures: lab.merging(["415": "ERROR_GENERIC"]) { $1 },
            success: ["type": "object"]),
        Row(
            method: "post", path: "/lab/identity/token", body: "application/x-www-form-urlencoded",
            failures: lab.merging(["415": "ERROR_GENERIC"]) { $1 }, success: ["type": "object"]),
        Row(
            method: "get", path: "/metrics", failures: lab, answer: "text/plain; version=0.0.4; charset=utf-8",
            success: ["type": "string"]),
    ]

    private func document() throws -> (endpoints: [Endpoint], json: JSONValue) {
        let endpoints = try ServerFixture { $0.hasLabPowers = true }.server.endpoints
        return (endpoints, OpenAPIDocument(endpoints: endpoints).json)
    }

    @Test(arguments: rows) func `A resource is described with its body and its answers`(row: Row) throws {
        let operation = try #require(try document().json["paths"]?[row.path]?[row.method])
        let content = operation["requestBody"]?["content"]?.objectValue
        #expect(content.map { Array($0.keys) } == row.body.map { [$0] })
        let isRequired = operation["requestBody"]?["required"]?.boolValue
        #expect(isRequired == (row.body == nil ? nil : row.isBodyRequired))
        let answers = operation["responses"]?.objectValue ?? [:]
        var codes = answers.mapValues { $0["description"]?.stringValue ?? "" }
        #expect(codes.removeValue(forKey: "200") == "Success")
        #expect(codes == row.failures)
        let success = answers["200"]?["content"]?[row.answer]?["schema"]
        #expect(success != nil && (row.success == nil || success == row.success))
        for (status, answer) in answers where status != "200" {
            #expect(answer["content"] == [Self.json: ["schema": Self.reference("ErrorResponse")]], "\(status)")
        }
        #expect(answers["405"]?["headers"]?["Allow"]?["required"] == true)
    }

    @Test func `A body is described where one is read, for a method that has one, and each part of a path`() throws {
        let (endpoints, json) = try document()
        #expect(endpoints.count > 50)
        for endpoint in endpoints {
            let isRead =
                switch endpoint.face {
                case .backOffice: endpoint.bodies?.request != nil
                case .device: endpoint.bodyType == .json
                case .mobileToken, .lab: true
                }
            for method in endpoint.methods {
                let operation = try #require(json["paths"]?[endpoint.path]?[method.lowercased()])
                let isDescribed = isRead && ["POST", "PUT"].contains(method)
                #expect((operation["requestBody"] != nil) == isDescribed, "\(method) \(endpoint.path)")
                let parts = operation["parameters"]?.arrayValue ?? []
                #expect(
                    parts.compactMap { $0["name"]?.stringValue }
                        == endpoint.path.matches(of: /\{(\w+)\}/).map { String($0.1) })
                #expect(parts.allSatisfy { $0["in"] == "path" && $0["required"] == true })
            }
        }
    }

    @Test func `A schema takes null or does not, and says so once`() {
        let text: JSONValue = ["type": "string"]
        let nullableText: JSONValue = ["type": ["string", "null"]]
        let rows: [(present: JSONValue, nullable: JSONValue)] = [
            (text, nullableText), (["type": ["string", "integer"]], ["type": ["string", "integer", "null"]]),
            (["type": "string", "enum": ["A"]], ["type": ["string", "null"], "enum": ["A", nil]]),
            (["anyOf": [text]], ["anyOf": [text, ["type": "null"]]]), ([:], [:]),
        ]
        for (present, nullable) in rows {
            #expect(JSONSchema.nullable(present) == nullable, "\(present)")
            #expect(JSONSchema.present(nullable) == present, "\(nullable)")
            #expect(JSONSchema.present(present) == present && JSONSchema.nullable(true) == true)
        }
        #expect(JSONSchema.nullable(nullableText) == nullableText)
    }
}
