// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

extension ServerFixture {
    /// A server with the templates of a new one and the powers of a lab.
    static func mobileToken(
        pushGateway: (any PushGateway)? = nil, _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> ServerFixture {
        try ServerFixture(pushGateway: pushGateway) { configuration in
            configuration.hasDefaultTemplates = true
            configuration.hasLabPowers = true
            configure(&configuration)
        }
    }
}

extension Answer {
    /// The whole body.
    var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }
    /// The content of the envelope.
    var object: JSONValue { json["responseObject"] ?? .null }
    /// Status, code and message of a refusal.
    var refusal: String { "\(status) \(code ?? "-"): \(text("message") ?? "-")" }
}

extension ServerClient {
    /// Calls a resource without envelope.
    func plain(
        _ path: String, method: HTTPRequest.Method = .post, _ object: JSONValue = [:], headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send(path, method: method, headers: headers, body: object.encoded())
    }

    /// A payment for alice that waits.
    func payment(_ extra: [String: JSONValue] = [:]) async throws -> JSONValue {
        let answer = try await plain("/lab/payments", .object(extra))
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    /// An operation of the core that the caller describes.
    func operation(_ template: String, _ extra: [String: any Sendable] = [:]) async throws -> String {
        let answer = try await createOperation(template, extra)
        try #require(answer.status == 200, "\(answer.json)")
        return try answer.required("id")
    }

    /// Gives operations of a type another look.
    func show(_ template: JSONValue) async throws {
        let answer = try await plain("/lab/ui-templates", template)
        try #require(answer.status == 200, "\(answer.json)")
    }

    /// An app with an active activation and a token.
    func mobileApp(_ extra: [String: any Sendable] = [:]) async throws -> MobileApp {
        try await MobileApp(activeDevice(.v3_3, ["maxFailureCount": 100].merging(extra) { $1 }))
    }
}

/// An app that speaks the Mobile Token API.
struct MobileApp: Sendable {
    static let root = "/api/auth/token/app/operation"

    var device: TestDevice
    private let token: TestDevice.CreatedToken
    /// The app's preferred language.
    var language: String?

    init(_ device: TestDevice) async throws {
        self.device = device
        token = try await self.device.createToken()
    }

    private var headers: [String: String] {
        var headers: [String: String] = [:]
        headers["Accept-Language"] = language
        return headers
    }

    /// Calls a resource that requires a token.
    func ask(_ path: String, _ object: JSONValue? = nil, headers extra: [String: String] = [:]) async throws -> Answer {
        let header = try token.header(.v3_3, timestamp: device.client.timestamp)
        return try await device.client.send(
            path, headers: headers.merging([TokenHeader.name: header.value]) { $1 }.merging(extra) { $1 },
            body: Self.body(object))
    }

    /// Calls a resource that requires a signature.
    mutating func sign(
        _ path: String, uriId: String, _ object: JSONValue? = nil, type: SignatureType = .possessionKnowledge,
        correct: Bool = true
    ) async throws -> Answer {
        let body = Self.body(object)
        let header = try device.signature(uriId: uriId, body: body, type: type, correct: correct)
        return try await device.client.send(
            path, headers: headers.merging([SignatureHeader.name: header.value]) { $1 }, body: body)
    }

    static func body(_ object: JSONValue?) -> Data {
        object.map { JSONValue.object(["requestObject": $0]).encoded() } ?? Data("{}".utf8)
    }

    func list() async throws -> [JSONValue] {
        let answer = try await ask("\(Self.root)/list")
        try #require(answer.status == 200, "\(answer.json)")
        return answer.object.arrayValue ?? []
    }

    mutating func history() async throws -> [JSONValue] {
        let answer = try await sign("\(Self.root)/history", uriId: "/operation/history")
        try #require(answer.status == 200, "\(answer.json)")
        return answer.object.arrayValue ?? []
    }

    func detail(_ id: String) async throws -> Answer { try await ask("\(Self.root)/detail", ["id": .string(id)]) }

    func claim(_ id: String) async throws -> Answer { try await ask("\(Self.root)/detail/claim", ["id": .string(id)]) }

    mutating func authorize(
        _ id: String, _ data: String, otp: String? = nil, type: SignatureType = .possessionKnowledge,
        correct: Bool = true
    ) async throws -> Answer {
        var object: [String: JSONValue] = ["id": .string(id), "data": .string(data)]
        object["proximityCheck"] = otp.map {
            ["otp": .string($0), "type": "QR_CODE", "timestampReceived": "2026-03-01T08:16:00Z"]
        }
        return try await sign(
            "\(Self.root)/authorize", uriId: "/operation/authorize", .object(object), type: type, correct: correct)
    }

    mutating func cancel(_ id: String, reason: String = "UNKNOWN") async throws -> Answer {
        try await sign(
            "\(Self.root)/cancel", uriId: "/operation/cancel", ["id": .string(id), "reason": .string(reason)],
            type: .possession)
    }
}
