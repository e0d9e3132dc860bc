// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol

extension ParserProperty {
    static func status() throws -> [ParserProperty] {
        let blob = StatusBlob(
            state: .active, failedAttempts: 0, maxFailedAttempts: 5,
            counter: .init(byte: 1, lookAhead: 20, dataHash: Data(count: 16)))
        let key = try PrivateKey.generate()
        let payload = try OfflinePayload(data: "a\nb", signingKey: .master, key: key)
        let transportKey = TransportKey.random()
        return [
            ParserProperty("status-blob", examples: [try blob.encoded()]) { data in
                guard let read = try? StatusBlob(decoding: data) else { return }
                try require((try? StatusBlob(decoding: read.encoded())) == read, "it can be written again", data)
                _ = CounterSynchronization.decide(
                    counter: CounterData(legacyCounter: 1), byte: 200, blob: read, transportKey: transportKey)
            },
            ParserProperty("offline-payload", examples: [payload.text.bytes]) { data in
                guard let read = try? OfflinePayload(data.text) else { return }
                try require(!read.isSigned(by: key.publicKey) || read == payload, "every part is signed", data)
            },
        ]
    }

    static func sessionState() throws -> [ParserProperty] {
        let older = Data(base64Encoded: state) ?? Data()
        let point = try P384PrivateKey.generate().publicKey.uncompressed
        let configuration4 = try SdkConfigurationV4(
            applicationKey: Data(count: 16), applicationSecret: .random(), keys: [.p256: Data(count: 65), .p384: point]
        ).string
        let examples4 = [
            state4(upgrading: Data(), counterByte: Data([7]), biometryKey: Data(count: 48), publicKey: point),
            state4(upgrading: older, counterByte: Data(), biometryKey: Data(), publicKey: Data([4])),
        ]
        return [
            ParserProperty("session-state", examples: [Data([0x50, 0x41, 0]), older]) { data in
                try checkState(data, configuration, suites: [], input: data)
            },
            // With a right checksum, or no damage would reach the fields.
            ParserProperty("session-state-4", examples: examples4) { data in
                try checkState(data + Digest.sha256(data), configuration4, suites: [.ecP384], input: data)
            },
        ]
    }

    private static func checkState(
        _ state: Data, _ configuration: String, suites: [CryptographySuite], input: Data
    ) throws {
        guard let setup = PowerAuthCoreSessionSetup(configuration: configuration) else {
            throw Violation(rule: "a setup can be made", input: input)
        }
        setup.suites = suites
        guard let session = PowerAuthCoreSession(sessionSetup: setup, timeService: NoTime.shared), session.hasValidSetup
        else { throw Violation(rule: "a session can be made", input: input) }
        let accepted = session.deserializeState(state)
        let written = session.serializedState()
        try require(accepted || !session.hasValidActivation, "refused bytes leave no activation", input)
        _ = session.activationFingerprint
        try require(session.deserializeState(written), "what a session writes, it reads", input)
        try require(session.serializedState() == written, "and writes again, byte for byte", input)
    }

    /// A state of data version 7 without its checksum, with keys that open nothing.
    private static func state4(upgrading older: Data, counterByte: Data, biometryKey: Data, publicKey: Data) -> Data {
        let fields = [
            older, "EC_P384".bytes, activationId.bytes, Data(count: 32), counterByte, Data(count: 32), Data(count: 48),
            Data(count: 48), biometryKey, Data([1]), publicKey, Data(), publicKey, Data(), Data([2]),
        ]
        var state = Data([0x50, 0x41, 0x02, 0x50, 0x37])
        for field in fields { state += (CountEncoding.encode(field.count) ?? Data()) + field }
        return state
    }

    /// The activation of ``state``.
    private static let activationId = "7b2f0c52-4d0a-4b0e-9a57-0f3e9f3f2a11"
    /// A state of data version 6 whose keys are counting bytes (sharing.md, section 13).
    private static let state =
        "UEECUDYQAAECAwQFBgcICQoLDA0ODyQ3YjJmMGM1Mi00ZDBhLTRiMGUtOWE1Ny0wZjNlOWYzZjJhMTEAACcQEBAREhMUFRYXGBkaGxwdHh8QICEiIyQlJicoKSorLC0uLxAwMTIzNDU2Nzg5Ojs8PT4/ABBAQUJDREVGR0hJSktMTU5PIQJQUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ubyEDcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo8wkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/AAAEAAAA"
    private static let configuration =
        "ARAAAQIDBAUGBwgJCgsMDQ4PEBAREhMUFRYXGBkaGxwdHh8BAUEEr9x4gRtdMmuFlzEuEcVO7WRJNkchm8GI3XVv1KFDIfVpsf8L2pS1+Eg51z1r/Ocx+4W5ZJaok+u9Zzn71pdNJA=="
}

/// A clock for sessions that encrypt nothing.
private final class NoTime: PowerAuthCoreTimeService {
    static let shared = NoTime()
    let isTimeSynchronized = false
    func currentTime() -> TimeInterval { 0 }
    func startTimeSynchronizationTask() -> Any { currentTime() }
    func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool { false }
}
