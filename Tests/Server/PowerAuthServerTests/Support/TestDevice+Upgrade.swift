import Foundation
import LabKit
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

extension ServerClient {
    /// A device whose activation is of protocol 2, which only seeding can make.
    func deviceOfProtocol2(_ version: ProtocolVersion = .v3_3) async throws -> TestDevice {
        var device = try TestDevice(self, version)
        let body = try JSONEncoder().encode(
            JSONValue.object([
                "activations": [
                    [
                        "userId": "alice", "version": 2,
                        "devicePublicKey": .string(StrictBase64.encode(device.deviceKey.publicKey.compressed)),
                    ]
                ]
            ]))
        let answer = try await send("/lab/seed", body: body)
        try #require(answer.status == 200)
        let seeded = try JSONValue.parse(answer.body)["activations"]?[0]
        let key = try #require(seeded?["serverPublicKey"]?.stringValue.flatMap { StrictBase64.decode($0) })
        try device.bind(
            activationId: #require(seeded?["activationId"]?.stringValue), serverPublicKey: key,
            counterData: CounterData.random().rawData)
        return device
    }
}

extension TestDevice {
    /// Starts the upgrade.
    /// - Returns: the counter that it continues with.
    func startUpgrade() async throws -> CounterData {
        let answer = try await encrypted("/pa/v3/upgrade/start", [:], sharedInfo1: .upgrade)
        let text = try #require(answer["ctrData"]?.stringValue)
        return try CounterData(#require(StrictBase64.decode(text)))
    }
}
