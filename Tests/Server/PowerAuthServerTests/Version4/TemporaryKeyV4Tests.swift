// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Temporary keys of protocol 4", .endsInTime)
struct TemporaryKeyV4Tests {
    @Test func `A request for a temporary key may have either code`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDeviceV4()
            for algorithm in TemporaryKeyRequestV4.Algorithm.allCases {
                for activation in [false, true] {
                    let exchange = try SharedSecretClient(suite: device.suite)
                    let (request, key) = try device.temporaryKeyRequest(exchange, activation: activation)
                    let answer = try await device.requestTemporaryKey(jwt: request.jwt(key: key, algorithm: algorithm))
                    #expect(answer.status == 200, "\(algorithm)")
                }
            }
        }
    }

    @Test func `The keys that sign a temporary key are not touched before its request is verified`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try await client.activeDeviceV4()
            let context = fixture.server.services.context
            // Keys that cannot be read show when they are used.
            try context.change { try $0.database.execute(sql: "UPDATE activation_v4 SET suite_private = x'00'") }
            let exchange = try SharedSecretClient(suite: device.suite)
            let (request, right) = try device.temporaryKeyRequest(exchange, activation: true)
            let due: [(TemporaryKeyRequestV4.Key, ServiceErrorCode)] = [
                (.random(), .invalidRequest), (right, .invalidKeyFormat),
            ]
            for (key, code) in due {
                let jwt = try request.jwt(key: key)
                let refusal = #expect(throws: ServiceError.self) {
                    try TemporaryKeyServiceV4(context: context).create(jwt: jwt)
                }
                #expect(refusal?.code == code)
            }
        }
    }

    @Test func `A temporary key is for its scope and its version of the protocol alone`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDeviceV4()
            let other = try await client.activeDeviceV4()
            let former = try await client.activeDevice()
            let right = try await device.scope(activation: true)
            let foreign = [
                try await device.scope(activation: false).temporaryKeyId,
                try await other.scope(activation: true).temporaryKeyId,
                try #require(try await former.applicationScope().temporaryKeyId),
                try #require(try await former.activationScope().temporaryKeyId),
            ]
            func send(with key: String) async throws -> Answer {
                let scope = TestDeviceV4.Scope(
                    activationId: device.activationId, temporaryKeyId: key, secret: right.secret)
                let (request, _) = try device.seal(Data(), scope, .activationGeneric)
                return try await client.send(
                    "/pa/v4/activation/status", headers: [EncryptionHeader.name: device.encryptionHeader(scope)],
                    body: JSONEncoder().encode(request))
            }
            for key in foreign { try await send(with: key).expect(.activation, "the temporary key \(key)") }
            try await send(with: right.temporaryKeyId).expectOK()
            client.clock.advance(milliseconds: 300_001)
            try await send(with: right.temporaryKeyId).expect(.activation, "an expired temporary key")
        }
    }
}
