// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Public vectors: activation status", .endsInTime, Vectors.condition)
struct StatusVectorTests {
    @Test func `Initialisation vectors have their known values`() throws {
        let records = try Vectors.texts("activation-status-blob-iv")
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            let key = try TransportKey(input.bytes("transportKey"))
            let challenge = try input.bytes("challenge")
            let nonce = try input.bytes("nonce")
            let expected = try output.bytes("iv")
            #expect(try StatusBlob.Exchange(challenge: challenge, nonce: nonce).vector(transportKey: key) == expected)

            let twins = try [
                StatusBlob.Exchange(challenge: challenge.flippingBit(index), nonce: nonce).vector(transportKey: key),
                StatusBlob.Exchange(challenge: challenge, nonce: nonce.flippingBit(index)).vector(transportKey: key),
                StatusBlob.Exchange(challenge: challenge, nonce: nonce).vector(
                    transportKey: TransportKey(key.rawData.flippingBit(index))),
            ]
            #expect(!twins.contains(expected), "record \(index)")
        }
    }

    @Test func `Status blobs have their known values`() throws {
        let records = try Vectors.texts("activation-status-blob-data")
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            let key = try TransportKey(input.bytes("transportKey"))
            let exchange = try StatusBlob.Exchange(challenge: input.bytes("challenge"), nonce: input.bytes("nonce"))
            let encrypted = try input.bytes("encryptedStatusBlob")
            let blob = try StatusBlob(decrypting: encrypted, transportKey: key, exchange: exchange)
            let counter = try #require(blob.counter)
            #expect(String(blob.state.rawValue) == (try output.text("activationStatus")))
            #expect(String(blob.currentVersion) == (try output.text("currentVersion")))
            #expect(String(blob.upgradeVersion) == (try output.text("upgradeVersion")))
            #expect(String(blob.failedAttempts) == (try output.text("failedAttempts")))
            #expect(String(blob.maxFailedAttempts) == (try output.text("maxFailedAttempts")))
            #expect(String(counter.lookAhead) == (try output.text("ctrLookAhead")))
            #expect(String(counter.byte) == (try output.text("ctrByte")))
            #expect(counter.dataHash == (try output.bytes("ctrDataHash")))
            let local = try CounterData(input.bytes("ctrData"))
            let match = CounterSynchronization.hashDistance(
                from: local, to: counter.dataHash, lookAhead: Int(counter.lookAhead), transportKey: key)
            #expect(String(match?.distance ?? -1) == (try output.text("counterDistance")), "record \(index)")

            // What the blob says survives a way through the server's writer.
            let again = try StatusBlob(
                decrypting: blob.encrypted(transportKey: key, exchange: exchange), transportKey: key,
                exchange: exchange)
            #expect(again == blob)

            // A bit of the first block garbles the magic, one of the second block the hash, one of the
            // key, challenge or nonce everything.
            #expect(throws: ProtocolError.self) {
                try StatusBlob(decrypting: encrypted.flippingBit(index * 11), transportKey: key, exchange: exchange)
            }
            let changedHash = try StatusBlob(
                decrypting: encrypted.flippingBit(128 + index), transportKey: key, exchange: exchange)
            #expect(changedHash.counter?.dataHash != counter.dataHash)
            #expect(throws: ProtocolError.self) {
                try StatusBlob(
                    decrypting: encrypted, transportKey: TransportKey(key.rawData.flippingBit(index)),
                    exchange: exchange)
            }
            #expect(throws: ProtocolError.self) {
                try StatusBlob(
                    decrypting: encrypted, transportKey: key,
                    exchange: .init(challenge: exchange.challenge.flippingBit(index), nonce: exchange.nonce))
            }
        }
    }
}
