// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Counter synchronisation", .endsInTime)
struct CounterSynchronizationTests {
    let transportKey = TransportKey.random()
    let lookAhead = 20

    /// A counter that both sides can be some steps ahead of.
    private func outcome(
        clientSteps: Int, serverSteps: Int, startByte: UInt8 = 0, knowsByte: Bool = true, currentVersion: UInt8 = 3,
        rules: CounterSynchronization.Rules = .improved
    ) throws -> CounterSynchronization.Outcome {
        let start = try LabExample.counter()
        let blob = StatusBlob(
            state: .active, currentVersion: currentVersion, failedAttempts: 0, maxFailedAttempts: 5,
            counter: .init(
                byte: startByte &+ UInt8(serverSteps), lookAhead: UInt8(lookAhead),
                dataHash: StatusBlob.counterDataHash(
                    transportKey: transportKey, counter: start.advanced(by: serverSteps))))
        return CounterSynchronization.decide(
            counter: start.advanced(by: clientSteps), byte: knowsByte ? startByte &+ UInt8(clientSteps) : nil,
            blob: blob, transportKey: transportKey, rules: rules)
    }

    @Test func `Byte distance is correct for every difference and counter`() {
        for local in UInt8.min...UInt8.max {
            for difference in -100...100 {
                let server = UInt8(truncatingIfNeeded: Int(local) - difference)
                #expect(
                    CounterSynchronization.byteDistance(local: local, server: server) == difference,
                    "\(local) and \(server)")
            }
        }
    }

    @Test func `A tie counts as the first formula`() {
        // 127 − 255 and 256 + 127 − 255 are both 128 away; the plain difference comes first.
        #expect(CounterSynchronization.byteDistance(local: 127, server: 255) == -128)
        #expect(CounterSynchronization.byteDistance(local: 255, server: 127) == 128)
    }

    @Test(arguments: [UInt8(0), 120, 250])
    func `A client that is ahead gets the outcome of its distance`(startByte: UInt8) throws {
        for steps in 0...30 {
            let expected: CounterSynchronization.Outcome =
                steps <= 10 ? .ok : steps < 20 ? .calculateSignature : .deadlock
            #expect(try outcome(clientSteps: steps, serverSteps: 0, startByte: startByte) == expected, "\(steps)")
        }
    }

    @Test func `The original asks for a signature that cannot help`() throws {
        #expect(try outcome(clientSteps: 20, serverSteps: 0) == .deadlock)
        #expect(try outcome(clientSteps: 20, serverSteps: 0, rules: .original) == .calculateSignature)
        #expect(try outcome(clientSteps: 21, serverSteps: 0, rules: .original) == .deadlock)
    }

    @Test(arguments: [UInt8(0), 120, 250]) func `A server ahead is followed`(startByte: UInt8) throws {
        for steps in 1...30 {
            let expected: CounterSynchronization.Outcome =
                steps < 20
                ? .updated(counter: try LabExample.counter().advanced(by: steps), byte: startByte &+ UInt8(steps))
                : .deadlock
            #expect(try outcome(clientSteps: 0, serverSteps: steps, startByte: startByte) == expected, "\(steps)")
        }
    }

    @Test func `An unknown local byte is learned`() throws {
        let counter = try LabExample.counter()
        #expect(
            try outcome(clientSteps: 0, serverSteps: 0, startByte: 9, knowsByte: false)
                == .updated(counter: counter, byte: 9))
        #expect(
            try outcome(clientSteps: 0, serverSteps: 3, startByte: 9, knowsByte: false)
                == .updated(counter: counter.advanced(by: 3), byte: 12))
        #expect(try outcome(clientSteps: 0, serverSteps: 3, startByte: 9, knowsByte: false, rules: .original) == .ok)
        #expect(try outcome(clientSteps: 3, serverSteps: 0, knowsByte: false) == .ok)
    }

    @Test func `Disagreement of byte and hash is a deadlock`() throws {
        let counter = try LabExample.counter()
        let blob = StatusBlob(
            state: .active, failedAttempts: 0, maxFailedAttempts: 5,
            counter: .init(
                byte: 5, lookAhead: 20,
                dataHash: StatusBlob.counterDataHash(transportKey: transportKey, counter: counter)))
        for byte in [UInt8(4), 6, 100] {
            #expect(
                CounterSynchronization.decide(counter: counter, byte: byte, blob: blob, transportKey: transportKey)
                    == .deadlock)
        }
    }

    @Test func `Old forms are left alone`() throws {
        #expect(try outcome(clientSteps: 0, serverSteps: 25, currentVersion: 2) == .ok)
        let blob = StatusBlob(state: .active, failedAttempts: 0, maxFailedAttempts: 5, counter: nil)
        #expect(
            CounterSynchronization.decide(
                counter: .random(), byte: 1, blob: blob, transportKey: transportKey) == .ok)
    }

    /// A client and a server with their counters, and the messages between them.
    private struct Pair {
        let keys = DerivedKeys(masterSecret: .random())
        var clientCounter = CounterData.random()
        var clientByte: UInt8 = 0
        var serverCounter: CounterData
        var serverNumber: UInt64 = 0
        let lookAhead = 20

        init() { serverCounter = clientCounter }

        mutating func sign() throws -> String {
            defer {
                clientCounter = clientCounter.next()
                clientByte &+= 1
            }
            return try SymmetricSignature.online(
                version: .v3_3, keys: SignatureKeys(keys, factors: .possession), counter: clientCounter, data: Data([1])
            )
        }

        mutating func accept(_ signature: String) throws -> Bool {
            guard
                let match = try ServerSignatureVerification.match(
                    signature: signature, version: .v3_3, keys: SignatureKeys(keys, factors: .possession),
                    data: Data([1]), counter: serverCounter, lookAhead: lookAhead)
            else { return false }
            serverCounter = match.nextCounter
            serverNumber += UInt64(match.distance) + 1
            return true
        }

        mutating func signAndAccept() throws -> Bool { try accept(sign()) }

        /// A status call with what the client does about it; false for a deadlock.
        mutating func synchronize() throws -> Bool {
            let blob = StatusBlob(
                state: .active, failedAttempts: 0, maxFailedAttempts: 5,
                counter: .init(
                    byte: UInt8(truncatingIfNeeded: serverNumber), lookAhead: UInt8(lookAhead),
                    dataHash: StatusBlob.counterDataHash(transportKey: keys.transport, counter: serverCounter)))
            switch CounterSynchronization.decide(
                counter: clientCounter, byte: clientByte, blob: blob, transportKey: keys.transport)
            {
            case .ok: return true
            case .updated(let counter, let byte):
                clientCounter = counter
                clientByte = byte
                return true
            case .calculateSignature: return try signAndAccept()
            case .deadlock: return false
            }
        }
    }

    @Test func `Lost signatures are caught up with by status calls`() throws {
        var pair = Pair()
        for index in 1...22 {
            _ = try pair.sign()
            if index % 4 == 0 { #expect(try pair.synchronize(), "after \(index) signatures") }
        }
        #expect(try pair.synchronize())
        #expect(try pair.signAndAccept())

        var silent = Pair()
        for _ in 1...22 { _ = try silent.sign() }
        #expect(!(try silent.synchronize()))
        #expect(!(try silent.signAndAccept()))
    }

    @Test func `A synchronising signature is always accepted`() throws {
        for lost in 0..<20 {
            var pair = Pair()
            for _ in 0..<lost { _ = try pair.sign() }
            #expect(try pair.synchronize(), "\(lost) lost signatures")
            #expect(try pair.signAndAccept(), "\(lost) lost signatures")
        }
    }

    @Test func `The byte may wrap around`() throws {
        var pair = Pair()
        for index in 0..<600 {
            #expect(try pair.signAndAccept())
            if index % 50 == 0 { #expect(try pair.synchronize()) }
        }
        #expect(pair.serverNumber == 600 && pair.clientByte == UInt8(600 % 256))
    }

    @Test func `A server ahead is repaired within the window`() throws {
        var pair = Pair()
        pair.serverCounter = pair.serverCounter.advanced(by: 10)
        pair.serverNumber = 10
        #expect(try pair.synchronize())
        #expect(try pair.signAndAccept())
        pair.serverCounter = pair.serverCounter.advanced(by: 22)
        pair.serverNumber += 22
        #expect(!(try pair.synchronize()))
    }
}
