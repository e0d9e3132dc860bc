// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Status blob", .endsInTime)
struct StatusTests {
    let key = TransportKey.random()

    private func blob(counter: StatusBlob.Counter? = .init(byte: 7, lookAhead: 20, dataHash: Data(count: 16)))
        -> StatusBlob
    {
        StatusBlob(state: .active, failedAttempts: 1, maxFailedAttempts: 5, counter: counter)
    }

    @Test func `Both forms round trip`() throws {
        let exchange = try StatusBlob.Exchange(challenge: Random.bytes(16), nonce: Random.bytes(16))
        for state in ActivationState.allCases {
            var blob = blob()
            blob.state = state
            let encrypted = try blob.encrypted(transportKey: key, exchange: exchange)
            #expect(encrypted.count == 32)
            #expect(try StatusBlob(decrypting: encrypted, transportKey: key, exchange: exchange) == blob)
            #expect(blob.remainingAttempts == (state == .active ? 4 : 0))
        }
        let old = blob(counter: nil)
        let encrypted = try old.encrypted(transportKey: key, exchange: nil)
        #expect(try StatusBlob(decrypting: encrypted, transportKey: key, exchange: nil) == old)
    }

    @Test func `Random bytes are not a status`() throws {
        let exchange = try StatusBlob.Exchange(challenge: Random.bytes(16), nonce: Random.bytes(16))
        for size in [0, 16, 31, 33, 48] {
            #expect(throws: ProtocolError.self) {
                try StatusBlob(decrypting: Random.bytes(size), transportKey: key, exchange: exchange)
            }
        }
        #expect(throws: ProtocolError.self) {
            try StatusBlob(decrypting: Data(count: 32), transportKey: key, exchange: exchange)
        }
        #expect(throws: ProtocolError.self) {
            try StatusBlob.Exchange(challenge: Data(count: 15), nonce: Data(count: 16))
        }
        #expect(throws: ProtocolError.self) {
            try StatusBlob.Exchange(challenge: Data(count: 16), nonce: Data(count: 17))
        }
    }

    @Test func `Ranges are checked`() throws {
        let plain = try blob().encoded()
        func changing(_ offset: Int, to value: UInt8) -> Data {
            var data = plain
            data[offset] = value
            return data
        }
        for low in UInt8(0)...15 {
            let data = changing(3, to: 0xD0 | low)
            if low == 0 {
                #expect(throws: ProtocolError.self) { try StatusBlob(decoding: data) }
            } else {
                #expect(throws: Never.self) { try StatusBlob(decoding: data) }
            }
        }
        for (offset, value) in [(0, 0xDF), (1, 0xC1), (2, 0), (3, 0xE1), (4, 0), (4, 6), (15, 0), (15, 65)] {
            #expect(throws: ProtocolError.self, "\(offset): \(value)") {
                try StatusBlob(decoding: changing(offset, to: UInt8(value)))
            }
        }
        #expect(throws: Never.self) { try StatusBlob(decoding: changing(15, to: 64)) }
        #expect(throws: Never.self, "a random byte in the old form") {
            try StatusBlob(decoding: changing(15, to: 0), hasCounter: false)
        }
    }

    @Test func `Every field has its place, and the form without a counter leaves the other places to chance`() throws {
        let filling = counting(32, from: 0x80)
        var blob = StatusBlob(
            state: .blocked, currentVersion: 2, upgradeVersion: 3, failedAttempts: 7, maxFailedAttempts: 9,
            counter: .init(byte: 0xAB, lookAhead: 64, dataHash: counting(16, from: 0x40)))
        let common = "dec0ded1" + "0402038788898a8b"
        let full = try blob.encoded(random: filling)
        #expect(full.hexText == common + "ab070940" + counting(16, from: 0x40).hexText)
        #expect(try StatusBlob(decoding: full) == blob)
        blob.counter = nil
        let old = try blob.encoded(random: filling)
        #expect(old.hexText == common + "8c07098f" + counting(16, from: 0x90).hexText)
        #expect(try StatusBlob(decoding: old, hasCounter: false) == blob)
        for count in [0, 31, 33] {
            #expect(throws: ProtocolError.invalidLength(field: "filling", expected: "32 bytes", actual: count)) {
                try blob.encoded(random: Data(count: count))
            }
            #expect(throws: ProtocolError.invalidLength(field: "status blob", expected: "32 bytes", actual: count)) {
                try StatusBlob(decoding: Data(count: count))
            }
        }
        blob.state = .active
        #expect(blob.remainingAttempts == 2)
        blob.failedAttempts = 9
        #expect(blob.remainingAttempts == 0)
    }

    @Test(arguments: [0, 15, 17, 32])
    func `The two halves of an exchange have sixteen bytes each, and the wrong one is named`(count: Int) {
        for (challenge, nonce, field) in [(count, 16, "challenge"), (16, count, "nonce"), (count, count, "challenge")] {
            #expect(throws: ProtocolError.invalidLength(field: field, expected: "16 bytes", actual: count)) {
                try StatusBlob.Exchange(challenge: Data(count: challenge), nonce: Data(count: nonce))
            }
        }
    }

    @Test func `The writer refuses what the reader would`() {
        for lookAhead in [UInt8(0), 65, 255] {
            #expect(throws: ProtocolError.self) {
                try blob(counter: .init(byte: 0, lookAhead: lookAhead, dataHash: Data(count: 16))).encoded()
            }
        }
        for count in [0, 15, 17] {
            #expect(throws: ProtocolError.invalidLength(field: "ctrDataHash", expected: "16 bytes", actual: count)) {
                try blob(counter: .init(byte: 0, lookAhead: 20, dataHash: Data(count: count))).encoded()
            }
        }
        for lookAhead in [UInt8(1), 64] {
            #expect(throws: Never.self) {
                try blob(counter: .init(byte: 0, lookAhead: lookAhead, dataHash: Data(count: 16))).encoded()
            }
        }
    }

    @Test func `More failures than allowed leave no attempt`() {
        let blob = StatusBlob(state: .active, failedAttempts: 9, maxFailedAttempts: 5, counter: nil)
        #expect(blob.remainingAttempts == 0)
    }
}
