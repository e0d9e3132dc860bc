// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// The values around every constant of the protocol (protocol.md, sections 4.2, 7.6, 11.3, 12.3 and 17).
@Suite("Sizes of the protocol", .endsInTime)
struct SizeTests {
    // MARK: Counters

    private static let windows: [UInt8] = [1, 2, 3, 20, 21, 64, 127]

    private func outcome(clientSteps: Int, serverSteps: Int, window: UInt8) -> CounterSynchronization.Outcome {
        let transportKey = TransportKey.random()
        let start = CounterData.random()
        let server = start.advanced(by: serverSteps)
        let blob = StatusBlob(
            state: .active, failedAttempts: 0, maxFailedAttempts: 5,
            counter: .init(
                byte: UInt8(truncatingIfNeeded: 250 + serverSteps), lookAhead: window,
                dataHash: StatusBlob.counterDataHash(transportKey: transportKey, counter: server)))
        return CounterSynchronization.decide(
            counter: start.advanced(by: clientSteps), byte: UInt8(truncatingIfNeeded: 250 + clientSteps), blob: blob,
            transportKey: transportKey)
    }

    @Test(arguments: windows)
    func `A client ahead signs in the second half of the window, and is lost behind it`(window: UInt8) {
        let size = Int(window)
        for steps in Set([0, 1, size / 2, size / 2 + 1, size - 1, size, size + 1].filter { $0 >= 0 && $0 < 128 }) {
            let expected: CounterSynchronization.Outcome =
                steps == 0 ? .ok : steps >= size ? .deadlock : steps > size / 2 ? .calculateSignature : .ok
            #expect(outcome(clientSteps: steps, serverSteps: 0, window: window) == expected, "\(steps) of \(size)")
        }
    }

    @Test(arguments: windows) func `A server ahead is followed to the last value of the window`(window: UInt8) {
        let size = Int(window)
        for steps in Set([1, size - 1, size, size + 1].filter { $0 > 0 && $0 < 128 }) {
            if case .updated(_, let byte) = outcome(clientSteps: 0, serverSteps: steps, window: window) {
                #expect(steps < size && byte == UInt8(truncatingIfNeeded: 250 + steps), "\(steps) of \(size)")
            } else {
                #expect(steps >= size, "\(steps) of \(size)")
            }
        }
    }

    @Test(arguments: [0, 1, 2, 255, 256, 257, 600])
    func `Advancing a counter by many equals many single steps`(count: Int) {
        let start = CounterData.random()
        var counter = start
        for _ in 0..<count { counter = counter.next() }
        #expect(start.advanced(by: count) == counter)
    }

    @Test(arguments: [1, 2, 20, 64])
    func `A signature is searched in the server's number of counter values`(window: Int) throws {
        let keys = SignatureKeys(DerivedKeys(masterSecret: .random()), factors: [.possession, .knowledge])
        let (start, data) = (CounterData.random(), Data("data".utf8))
        for distance in [0, window - 1, window, window + 1] {
            let signature = try SymmetricSignature.online(
                version: .v3_3, keys: keys, counter: start.advanced(by: distance), data: data)
            let match = try ServerSignatureVerification.match(
                signature: signature, version: .v3_3, keys: keys, data: data, counter: start, lookAhead: window)
            #expect(match?.distance == (distance < window ? distance : nil), "\(distance) of \(window)")
            #expect(match?.nextCounter == (distance < window ? start.advanced(by: distance + 1) : nil))
        }
    }

    // MARK: Time

    @Test(.verifies("size", "TimeSynchronization.acceptedDifference"), arguments: [1.75, 2.0, 2.25, -1.75, -2.0])
    func `A difference below two seconds needs no adjustment, two seconds do`(difference: Double) {
        var time = TimeSynchronization()
        let isSynchronized = time.complete(time.start(localTime: 1000), serverTime: 1000 + difference, localTime: 1000)
        #expect(
            isSynchronized
                && time.adjustment == (abs(difference) < TimeSynchronization.acceptedDifference ? 0 : difference))
    }

    @Test(
        .verifies("size", "TimeSynchronization.stableDifference"),
        arguments: [9.75, 10.0, 10.25, -9.75, -10.0])
    func `A change below ten seconds is noise, a change of ten seconds is not, twice in a row`(change: Double) {
        var time = TimeSynchronization()
        var adjustment = 100.0
        _ = time.complete(time.start(localTime: 1000), serverTime: 1000 + adjustment, localTime: 1000)
        for _ in 1...2 {
            let isSynchronized = time.complete(
                time.start(localTime: 2000), serverTime: 2000 + adjustment + change, localTime: 2000)
            if abs(change) >= TimeSynchronization.stableDifference { adjustment += change }
            #expect(isSynchronized && time.adjustment == adjustment)
        }
    }

    @Test(.verifies("size", "TimeSynchronization.longestExchange"), arguments: [15.75, 16.0, 16.25])
    func `An exchange of sixteen seconds is believed, a longer one is not`(elapsed: Double) {
        var time = TimeSynchronization()
        let isSynchronized = time.complete(time.start(localTime: 0), serverTime: 5000, localTime: elapsed)
        #expect(isSynchronized == (elapsed <= TimeSynchronization.longestExchange))
        #expect(time.precision == (isSynchronized ? elapsed / 2 : 0))
    }

    @Test(arguments: ProtocolVersion.allCases) func `Both ends of every window are in it`(version: ProtocolVersion) {
        let now: UInt64 = 1_000_000_000
        for window in [FreshnessWindow.ecies, .token(version)] {
            #expect(window.verdict(timestamp: now - window.past, now: now) == .fresh)
            #expect(window.verdict(timestamp: now - window.past - 1, now: now) == .tooOld)
            #expect(window.verdict(timestamp: now + window.future, now: now) == .fresh)
            #expect(window.verdict(timestamp: now + window.future + 1, now: now) == .tooFarAhead)
        }
        #expect(FreshnessWindow.token(version).past == 7_200_000)
        #expect(FreshnessWindow.token(version).future == (version < .v3_2 ? 1_800_000 : 60_000))
    }

    // MARK: Lengths

    @Test(
        .verifies("size", "SymmetricKey.minimumPasswordSize"),
        arguments: ["", "abc", "abcd", "abcde", "éa", "éé", "🔑", "🔑a"])
    func `A password has four bytes, regardless of the characters`(text: String) {
        let key = try? UnlockKey.knowledge(
            password: SecretBytes(Data(text.utf8)), salt: Data(repeating: 1, count: UnlockKey.saltSize))
        #expect((key != nil) == (text.utf8.count >= UnlockKey.minimumPasswordSize))
    }

    @Test(
        .verifies("size", "RSAPublicKey.bits"),
        arguments: [2040, 2048, 2056, 8184, 8192, 8200])
    func `An RSA key has 2,048 to 8,192 bits`(bits: Int) {
        let modulus = Data([0xC1]) + Data(repeating: 0x55, count: bits / 8 - 1)
        let key = try? RSAPublicKey(modulus: Data([0]) + modulus, exponent: Data([1, 0, 1]))
        #expect((key != nil) == (2048...8192).contains(bits))
    }

    @Test(
        .verifies("size", "Decimalization.lengths"),
        arguments: 3...9)
    func `An offline signature has four to eight digits a factor`(length: Int) {
        let keys = SignatureKeys(DerivedKeys(masterSecret: .random()), factors: [.possession, .knowledge])
        let signature = try? SymmetricSignature.offline(
            keys: keys, counter: .random(), uriId: "/test", nonce: SymmetricSignature.randomNonce(), body: Data(),
            length: length)
        #expect(signature?.split(separator: "-").map(\.count) == ((4...8).contains(length) ? [length, length] : nil))
    }
}
