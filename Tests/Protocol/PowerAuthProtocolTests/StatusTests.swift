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

    @Test("Both forms round trip")
    func bothFormsRoundTrip() throws {
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

    @Test("Random bytes are not a status")
    func randomBytesAreNotAStatus() throws {
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

    @Test("Ranges are checked")
    func rangesAreChecked() throws {
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

    @Test("The writer refuses what the reader would")
    func theWriterRefusesWhatTheReaderWould() {
        for lookAhead in [UInt8(0), 65, 255] {
            #expect(throws: ProtocolError.self) {
                try blob(counter: .init(byte: 0, lookAhead: lookAhead, dataHash: Data(count: 16))).encoded()
            }
        }
        #expect(throws: ProtocolError.self) {
            try blob(counter: .init(byte: 0, lookAhead: 20, dataHash: Data(count: 15))).encoded()
        }
    }

    @Test("More failures than allowed leave no attempt")
    func moreFailuresThanAllowedLeaveNoAttempt() {
        let blob = StatusBlob(state: .active, failedAttempts: 9, maxFailedAttempts: 5, counter: nil)
        #expect(blob.remainingAttempts == 0)
    }
}
