// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, sections 7 and 17.
@Suite("Cryptograms and the encryptors that make them", .endsInTime)
struct CryptogramTests {
    /// A time service that records its measurements.
    private final class Time: PowerAuthCoreTimeService {
        private struct State {
            var now: TimeInterval = 1_735_689_600.9996
            var isSynchronized = true
            var started = 0
            var completed: [String] = []
        }

        private let state = Mutex(State())

        var isTimeSynchronized: Bool {
            get { state.withLock { $0.isSynchronized } }
            set { state.withLock { $0.isSynchronized = newValue } }
        }
        /// The number and the server's time of every measurement that has ended.
        var completed: [String] { state.withLock { $0.completed } }
        var started: Int { state.withLock { $0.started } }

        func set(_ now: TimeInterval) { state.withLock { $0.now = now } }
        func currentTime() -> TimeInterval { state.withLock { $0.now } }

        func startTimeSynchronizationTask() -> Any {
            state.withLock { state in
                state.started += 1
                return state.started
            }
        }

        func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool {
            state.withLock { $0.completed.append("\(task) at \(serverTime)") }
            return true
        }
    }

    private let serverKey: PrivateKey
    private let time = Time()

    init() throws { serverKey = try .generate() }

    /// - Parameter other: nil takes the time service of the test.
    private func encryptor(
        _ metaData: PowerAuthCoreEciesMetaData?, time other: Time? = nil
    ) throws -> PowerAuthCoreEciesEncryptor {
        let encryptor = try #require(
            PowerAuthCoreEciesEncryptor(
                timeService: other ?? time, publicKey: serverKey.publicKey.compressed, sharedInfo1: nil,
                sharedInfo2: nil))
        encryptor.associatedMetaData = metaData
        return encryptor
    }

    private static let newest = PowerAuthCoreEciesMetaData(
        applicationKey: "key", temporaryKeyId: "id", activationIdentifier: nil)

    /// The server's answer to a request of the newest protocol.
    private func answer(
        to cryptogram: PowerAuthCoreEciesCryptogram, at timestamp: UInt64 = 1_735_689_601_234
    ) throws -> PowerAuthCoreEciesCryptogram {
        let parameters = EciesParameters(
            version: .v3_3, sharedInfo1: EciesSharedInfo1(bytes: Data()), applicationKey: "key", temporaryKeyId: "id")
        let server = EciesServerDecryptor(parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: Data())
        let request = try #require(cryptogram.request)
        return PowerAuthCoreEciesCryptogram(
            try server.decrypt(request).encryptor.encrypt(Data([7]), timestamp: timestamp))
    }

    // MARK: Forms

    /// The members of a payload as texts.
    private func texts(_ cryptogram: PowerAuthCoreEciesCryptogram) -> [String: String] {
        Dictionary(uniqueKeysWithValues: cryptogram.requestPayload().map { ("\($0.key)", "\($0.value)") })
    }

    @Test func `A cryptogram is written with the members that are set, and always with its timestamp`() throws {
        let cryptogram = PowerAuthCoreEciesCryptogram()
        #expect(texts(cryptogram) == ["timestamp": "0"] && cryptogram.request == nil)
        (cryptogram.body, cryptogram.mac, cryptogram.key) = (Data([1]), Data([2]), Data([3]))
        (cryptogram.nonce, cryptogram.timestamp, cryptogram.temporaryKeyId) = (Data([4]), 5, "id")
        #expect(
            texts(cryptogram) == [
                "timestamp": "5", "temporaryKeyId": "id", "ephemeralPublicKey": "Aw==", "encryptedData": "AQ==",
                "nonce": "BA==", "mac": "Ag==",
            ])
        #expect(
            cryptogram.request
                == EciesRequest(
                    temporaryKeyId: "id", ephemeralPublicKey: Data([3]), encryptedData: Data([1]), mac: Data([2]),
                    nonce: Data([4]), timestamp: 5))
        for member in [\PowerAuthCoreEciesCryptogram.body, \.mac, \.key] {
            let value = cryptogram[keyPath: member]
            cryptogram[keyPath: member] = nil
            #expect(cryptogram.request == nil)
            cryptogram[keyPath: member] = value
        }
        cryptogram.nonce = nil
        #expect(cryptogram.request?.nonce == nil && cryptogram.request != nil)
    }

    @Test func `A response is read from a dictionary, whose members of another type are ignored`() {
        let members: [String: Any] = [
            "encryptedData": "AQ==", "mac": "Ag==", "nonce": "BA==", "timestamp": NSNumber(value: 5),
        ]
        let read = PowerAuthCoreEciesCryptogram(responsePayload: members)
        #expect(read?.body == Data([1]) && read?.mac == Data([2]) && read?.nonce == Data([4]) && read?.timestamp == 5)
        #expect(read?.key == nil && read?.temporaryKeyId == nil)
        let others: [String: Any] = ["encryptedData": 1, "mac": "?", "nonce": [1], "timestamp": "5"]
        let wrong = PowerAuthCoreEciesCryptogram(responsePayload: others)
        #expect(wrong != nil && wrong?.body == nil && wrong?.mac == nil && wrong?.nonce == nil)
        #expect(wrong?.timestamp == 0)
        for other in ["text", [1], 7] as [Any] { #expect(PowerAuthCoreEciesCryptogram(responsePayload: other) == nil) }
    }

    @Test func `Base64 texts stand for the bytes; a text that is not Base64 empties them`() {
        let cryptogram = PowerAuthCoreEciesCryptogram()
        let members:
            [(
                ReferenceWritableKeyPath<PowerAuthCoreEciesCryptogram, String?>,
                KeyPath<PowerAuthCoreEciesCryptogram, Data?>
            )] = [
                (\.bodyBase64, \.body), (\.macBase64, \.mac), (\.keyBase64, \.key), (\.nonceBase64, \.nonce),
            ]
        for (index, (text, bytes)) in members.enumerated() {
            let value = Data([UInt8(index), 0xFF])
            cryptogram[keyPath: text] = value.base64EncodedString()
            #expect(cryptogram[keyPath: bytes] == value)
            #expect(cryptogram[keyPath: text] == value.base64EncodedString())
        }
        let values = (UInt8(0)..<4).map { Data([$0, 0xFF]) }
        #expect([cryptogram.body, cryptogram.mac, cryptogram.key, cryptogram.nonce].compactMap { $0 } == values)
        for (text, bytes) in members {
            cryptogram[keyPath: text] = "?"
            #expect(cryptogram[keyPath: bytes] == nil)
        }
    }

    // MARK: Encryptors

    @Test func `An encryptor needs a key, meta data and a living time service`() throws {
        #expect(
            PowerAuthCoreEciesEncryptor(
                timeService: time, publicKey: Data(count: 33), sharedInfo1: nil, sharedInfo2: nil) == nil)
        let encryptor = try self.encryptor(nil)
        #expect(!encryptor.canEncryptRequest && encryptor.encryptRequest(Data()) == nil)
        var isCalled = false
        let isDone = encryptor.encryptRequest(Data()) { cryptogram, decryptor in
            isCalled = true
            #expect(cryptogram == nil && decryptor == nil)
        }
        #expect(isCalled && !isDone)
        encryptor.associatedMetaData = Self.newest
        #expect(encryptor.canEncryptRequest && !encryptor.canDecryptResponse && encryptor.copyForDecryption() == nil)
        #expect(encryptor.publicKey == serverKey.publicKey.compressed && encryptor.sharedInfo2 == nil)
        encryptor.sharedInfo2 = Data([1])
        #expect(encryptor.sharedInfo2 == Data([1]))
        #expect(time.started == 0, "what was not encrypted is not measured")
        #expect(encryptor.encryptRequest(Data()) != nil && encryptor.canDecryptResponse)
        let copy = try #require(encryptor.copyForDecryption())
        #expect(copy.publicKey == nil && !copy.canEncryptRequest && copy.encryptRequest(Data()) == nil)
        #expect(copy.canDecryptResponse && copy.associatedMetaData === Self.newest)

        var other: Time? = Time()
        let orphan = try self.encryptor(Self.newest, time: other)
        #expect(orphan.canEncryptRequest && orphan.timeSynchronizationService === other)
        other = nil
        #expect(!orphan.canEncryptRequest && orphan.encryptRequest(Data()) == nil)
        #expect(orphan.timeSynchronizationService == nil)
    }

    @Test func `A request has the time in whole milliseconds, and none for a time that no message can carry`() throws {
        let encryptor = try encryptor(Self.newest)
        #expect(encryptor.encryptRequest(nil)?.timestamp == 1_735_689_600_999)
        for impossible in [-1, -0.001, .infinity, .nan, 1e30] as [TimeInterval] {
            time.set(impossible)
            #expect(encryptor.encryptRequest(nil)?.timestamp == 0, "\(impossible)")
        }
    }

    @Test
    func `The first answer that is decrypted ends the measurement of its request, with the server's time`() throws {
        let encryptor = try encryptor(Self.newest)
        let answer = try answer(to: #require(encryptor.encryptRequest(nil)))
        #expect(time.started == 1 && time.completed == [])
        #expect(encryptor.decryptResponse(answer) == Data([7]))
        #expect(time.completed == ["1 at 1735689601.234"])
        #expect(encryptor.decryptResponse(answer) == nil && time.completed.count == 1)

        let second = try self.answer(to: #require(encryptor.encryptRequest(nil)))
        second.mac = Data(count: 32)
        #expect(encryptor.decryptResponse(second) == nil && time.completed.count == 1, "it was changed")
        #expect(!encryptor.canDecryptResponse, "a failed attempt uses the key up")
        let third = try self.answer(to: #require(encryptor.encryptRequest(nil)))
        third.body = nil
        #expect(encryptor.decryptResponse(third) == nil && time.completed.count == 1, "it is incomplete")
    }

    @Test func `Of an encryptor and its copy for decryption the copy ends the measurement`() throws {
        let encryptor = try encryptor(Self.newest)
        let first = try answer(to: #require(encryptor.encryptRequest(nil)))
        let copy = try #require(encryptor.copyForDecryption())
        #expect(copy.decryptResponse(first) == Data([7]) && time.completed == ["1 at 1735689601.234"])
        #expect(encryptor.decryptResponse(first) == nil, "the answer is decrypted once")

        let second = try answer(to: #require(encryptor.encryptRequest(nil)))
        _ = encryptor.copyForDecryption()
        #expect(encryptor.decryptResponse(second) == Data([7]) && time.completed.count == 1)

        var handedOut: PowerAuthCoreEciesEncryptor?
        var sent: PowerAuthCoreEciesCryptogram?
        let isDone = encryptor.encryptRequest(nil) { (sent, handedOut) = ($0, $1) }
        let third = try answer(to: #require(sent))
        #expect(isDone && !encryptor.canDecryptResponse && encryptor.decryptResponse(third) == nil)
        #expect(handedOut?.decryptResponse(third) == Data([7]) && time.completed.last == "3 at 1735689601.234")
    }

    @Test
    func `Up to protocol 3.1 an answer has no time, and a clock that was never synchronised judges none`() throws {
        let old = try encryptor(PowerAuthCoreEciesMetaData(applicationKey: "key", activationIdentifier: nil))
        let request = try #require(old.encryptRequest(nil))
        let server = EciesServerDecryptor(
            parameters: EciesParameters(
                version: .v3_1, sharedInfo1: EciesSharedInfo1(bytes: Data()), applicationKey: "key"),
            serverPrivateKey: serverKey, sharedInfo2: Data())
        let sealed = EciesRequest(
            ephemeralPublicKey: try #require(request.key), encryptedData: try #require(request.body),
            mac: try #require(request.mac), nonce: request.nonce)
        let response = PowerAuthCoreEciesCryptogram(try server.decrypt(sealed).encryptor.encrypt(Data([7])))
        // What belongs to newer protocols is not looked at.
        (response.nonce, response.timestamp) = (Data(count: 16), 7)
        #expect(old.decryptResponse(response) == Data([7]) && time.completed == [])

        let new = try encryptor(Self.newest)
        for isSynchronized in [true, false] {
            time.isTimeSynchronized = isSynchronized
            let late = try answer(to: #require(new.encryptRequest(nil)), at: 1_000)
            #expect((new.decryptResponse(late) == Data([7])) != isSynchronized)
        }
    }
}
