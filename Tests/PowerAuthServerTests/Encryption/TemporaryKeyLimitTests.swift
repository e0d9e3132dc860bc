import GRDB
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Limits of temporary keys", .endsInTime)
struct TemporaryKeyLimitTests {
    @Test("Devices without activation hold the newest keys of their application version, up to the limit")
    func applicationScope() async throws {
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
}
