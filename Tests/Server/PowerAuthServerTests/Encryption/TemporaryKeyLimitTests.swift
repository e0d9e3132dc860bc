// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Limits of temporary keys", .endsInTime)
struct TemporaryKeyLimitTests {
    @Test(.verifies("size", "ServerPolicy.temporaryKeysPerApplication"))
    func `Devices without activation hold the newest keys of their application version, up to the limit`() async throws
    {
        let fixture = try ServerFixture {
            $0.policy.temporaryKeysPerApplication = 3
            $0.policy.temporaryKeysPerActivation = 2
        }
        try await fixture.run { client in
            func create(_ device: TestDevice, activation: Bool) async throws {
                let jwt = try device.temporaryKeyRequest(activation: activation).jwt
                try await client.backOffice("keystore/create", ["jwt": jwt]).expectOK()
            }
            func keys(_ condition: String) throws -> [String] {
                try fixture.server.services.context.read {
                    try String.fetchAll($0, sql: "SELECT key_id FROM temporary_key WHERE \(condition) ORDER BY rowid")
                }
            }
            let device = try await client.activeDevice()
            var seen: [String] = []
            for _ in 1...5 {
                client.clock.advance(milliseconds: 1)
                try await create(device, activation: false)
                seen.append(try #require(try keys("activation_id IS NULL").last))
            }
            #expect(try keys("activation_id IS NULL") == seen.suffix(3))
            for _ in 1...4 { try await create(device, activation: true) }
            #expect(try keys("activation_id IS NOT NULL").count == 2)
            #expect(try keys("activation_id IS NULL") == seen.suffix(3))
        }
    }

    @Test(.verifies("size", "ServerPolicy.temporaryKeysPerActivation"), arguments: [1, 2, 3])
    func `An activation holds its newest keys, up to the limit`(limit: Int) async throws {
        let fixture = try ServerFixture { $0.policy.temporaryKeysPerActivation = limit }
        try await fixture.run { client in
            let (device, other) = (try await client.activeDevice(), try await client.activeDevice())
            func held(_ device: TestDevice) throws -> [String] {
                try fixture.server.services.context.read {
                    try String.fetchAll(
                        $0, sql: "SELECT key_id FROM temporary_key WHERE activation_id = ? ORDER BY t_expire",
                        arguments: [device.activationId])
                }
            }
            let otherKey = try await other.temporaryKey(activation: true).keyId
            var made: [String] = []
            for _ in 1...2 * limit + 1 {
                client.clock.advance(milliseconds: 1)
                made.append(try await device.temporaryKey(activation: true).keyId)
                #expect(try held(device) == made.suffix(limit))
            }
            #expect(try held(other) == [otherKey])
        }
    }

    @Test(.verifies("security.md", "temporary-key-limit"))
    func `A client that takes many keys loses its own, and those of other addresses stay`() async throws {
        let fixture = try ServerFixture { $0.policy.temporaryKeysPerApplication = 12 }
        try await fixture.run { client in
            let service = TemporaryKeyService(context: fixture.server.services.context)
            let device = try TestDevice(client, .v3_3)
            func create(_ address: String?, _ count: Int) throws {
                for _ in 1...count {
                    client.clock.advance(milliseconds: 1)
                    _ = try service.create(jwt: device.temporaryKeyRequest(activation: false).jwt, address: address)
                }
            }
            func held() throws -> [String: Int] {
                try fixture.server.services.context.read { database in
                    let rows = try Row.fetchAll(
                        database,
                        sql: "SELECT COALESCE(address, 'none') AS a, COUNT(*) AS n FROM temporary_key GROUP BY address")
                    return Dictionary(uniqueKeysWithValues: rows.map { ($0["a"], $0["n"]) })
                }
            }
            try create("10.0.0.1", 2)
            try create("10.6.6.6", 50)
            // A quarter of all is an address's share.
            #expect(try held() == ["10.0.0.1": 2, "10.6.6.6": 3])
            for number in 2...9 { try create("10.0.0.\(number)", 1) }
            // Now all places are taken, and the address with the most keys loses one.
            #expect(try held().values.reduce(0, +) == 12)
            #expect(try held()["10.6.6.6"] == 2 && held()["10.0.0.9"] == 1 && held()["10.0.0.2"] == 1)
            // Devices behind a mobile-facing server have no address.
            try create(nil, 50)
            #expect(try held().values.reduce(0, +) == 12 && held()["10.0.0.9"] == 1)
            client.clock.advance(milliseconds: 300_001)
            try create("10.0.0.1", 1)
            #expect(try held() == ["10.0.0.1": 1])
        }
    }

    @Test(
        .verifies("security.md", "keys-for-proven-devices"),
        arguments: [true, false])
    func `A request that is not genuine costs no key`(isOfActivation: Bool) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try await client.activeDevice()
            let made = Mutex(0)
            let service = TemporaryKeyService(context: fixture.server.services.context) {
                made.withLock { $0 += 1 }
                return try PrivateKey.generate()
            }
            let genuine = try device.temporaryKeyRequest(activation: isOfActivation).jwt
            let parts = genuine.split(separator: ".").map(String.init)
            let signature = try #require(Base64URL.decode(parts[2]))
            let forged = Base64URL.encode(Data([signature[0] ^ 1]) + signature.dropFirst())
            for jwt in [parts[0] + "." + parts[1] + "." + forged, parts[0] + "." + parts[1] + ".", "a.b.c"] {
                #expect(throws: ServiceError.self) { try service.create(jwt: jwt) }
            }
            #expect(made.withLock { $0 } == 0)
            _ = try service.create(jwt: genuine)
            #expect(made.withLock { $0 } == 1)
        }
    }
}
