// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

extension ServerFixture {
    /// A server that can make activations of protocol 2.
    static func deviceSide(isStrict: Bool = false) throws -> ServerFixture {
        try ServerFixture {
            $0.hasLabPowers = true
            $0.policy.isJSONStrict = isStrict
            $0.identityProviders = [
                IdentityProvider(
                    providerId: "corporate", clientId: "lab", clientSecret: "secret",
                    issuerUri: "https://issuer.example", redirectUri: "app://callback",
                    authorizeUri: "https://issuer.example/authorize", pkceEnabled: true)
            ]
        }
    }

    /// Runs a test with a device that is ready for an endpoint.
    static func run(
        _ call: DeviceCall, _ version: ProtocolVersion, isStrict: Bool = false,
        _ body: @escaping @Sendable (inout DeviceRig) async throws -> Void
    ) async throws {
        try await deviceSide(isStrict: isStrict).run { client in
            var rig = try await DeviceRig(client, call, version)
            try await body(&rig)
        }
    }
}

extension ServerFixture {
    /// Runs a test with a device for each of several endpoints, one after the other on one server.
    static func forEach(
        _ calls: [DeviceCall], _ version: ProtocolVersion,
        _ body: @escaping @Sendable (inout DeviceRig) async throws -> Void
    ) async throws {
        try await deviceSide().run { client in
            for call in calls {
                var rig = try await DeviceRig(client, call, version)
                try await body(&rig)
                try await rig.leave()
            }
        }
    }
}

extension ServerClient {
    /// Sends header fields in their order, repeated ones too.
    func send(
        _ path: String, method: HTTPRequest.Method, fields: [(name: String, value: String)], body: Data
    ) async throws -> Answer {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        if headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let response = try await transport.send(path, method, headers, body)
        return Answer(status: response.status, body: response.body, uri: path)
    }
}

extension Answer {
    /// Requires exactly one failure: status, envelope, code and message.
    func expect(_ failure: ErrorResponse, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let wanted = failure.response(on: .device)
        #expect(
            status == wanted.status && body == wanted.body,
            "\(uri ?? "") with \(what) answered \(status) \(String(decoding: body.prefix(300), as: UTF8.self))",
            sourceLocation: sourceLocation)
    }
}
