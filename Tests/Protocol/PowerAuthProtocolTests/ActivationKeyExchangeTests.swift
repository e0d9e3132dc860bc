// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Key exchange", .endsInTime)
struct ActivationKeyExchangeTests {
    let device: PrivateKey
    let server: PrivateKey

    init() throws {
        device = try .generate()
        server = try .generate()
    }

    private func client(
        id: String = LabExample.activationId, key: Data? = nil, counter: Data = LabExample.counterBytes
    ) throws -> ActivationKeyExchange {
        try ActivationKeyExchange(
            deviceKey: device, activationId: id, serverPublicKey: key ?? server.publicKey.uncompressed,
            counterData: counter)
    }

    @Test func `The first signature uses the received counter`() throws {
        let exchange = try client()
        let other = try ActivationKeyExchange(
            serverKey: server, activationId: LabExample.activationId, devicePublicKey: device.publicKey.uncompressed,
            counter: LabExample.counter())
        let signature = try SymmetricSignature.online(
            version: .v3_3, keys: SignatureKeys(exchange.keys, factors: .possession), counter: exchange.counter,
            data: Data())
        let match = try ServerSignatureVerification.match(
            signature: signature, version: .v3_3, keys: SignatureKeys(other.keys, factors: .possession), data: Data(),
            counter: other.counter, lookAhead: 1)
        #expect(match?.distance == 0)
        #expect(exchange.fingerprint == other.fingerprint)
    }

    @Test func `Missing and wrong values are distinguished`() throws {
        #expect(throws: ProtocolError.missing(field: "activationId")) { try client(id: "") }
        #expect(throws: ProtocolError.missing(field: "serverPublicKey")) { try client(key: Data()) }
        #expect(throws: ProtocolError.missing(field: "ctrData")) { try client(counter: Data()) }
        #expect(throws: ProtocolError.invalidKey("serverPublicKey")) { try client(key: Data([0])) }
        #expect(throws: ProtocolError.invalidLength(field: "ctrData", expected: "16 bytes", actual: 15)) {
            try client(counter: Data(count: 15))
        }
        #expect(throws: ProtocolError.invalidKey("devicePublicKey")) {
            try ActivationKeyExchange(serverKey: server, activationId: "1", devicePublicKey: Data(count: 33))
        }
    }

    @Test func `Fingerprints agree for coordinates with leading zeros`() throws {
        var short = 0
        var scalar: UInt16 = 1
        while short < 3 {
            let key = try PrivateKey(bigEndian: Data([UInt8(scalar >> 8), UInt8(scalar & 0xFF)]))
            scalar += 1
            guard key.publicKey.normalizedX.count < 32 else { continue }
            short += 1
            let client = try ActivationKeyExchange(
                deviceKey: key, activationId: "id", serverPublicKey: server.publicKey.uncompressed,
                counterData: LabExample.counterBytes)
            let other = try ActivationKeyExchange(
                serverKey: server, activationId: "id", devicePublicKey: key.publicKey.compressed)
            #expect(client.fingerprint == other.fingerprint)
            #expect(client.fingerprint.count == 8)
        }
    }
}
