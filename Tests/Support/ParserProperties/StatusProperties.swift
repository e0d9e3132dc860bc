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
        let keys = try SuitePrivateKeys.generate(suite: .ecP384)
        let configuration4 = try SdkConfigurationV4(
            applicationKey: Data(count: 16), applicationSecret: .random(),
            keys: [.p384: keys.publicKeys.ec.uncompressed])
        return [
            ParserProperty("session-state", examples: [Data([0x50, 0x41, 0]), Data(base64Encoded: state) ?? Data()]) {
                try checkState($0, configuration, suites: [], of: $0)
            },
            // Behind the content comes its digest, without which nothing else would be looked at.
            ParserProperty("session-state-4", examples: [state4]) {
                try checkState($0 + Digest.sha256($0), configuration4.string, suites: [.ecP384], of: $0)
            },
        ]
    }

    private static func checkState(
        _ state: Data, _ configuration: String, suites: [CryptographySuite], of data: Data
    ) throws {
        guard let setup = PowerAuthCoreSessionSetup(configuration: configuration) else {
            throw Violation(rule: "the configuration can be read", input: data)
        }
        setup.suites = suites
        guard let session = PowerAuthCoreSession(sessionSetup: setup, timeService: NoTime.shared) else {
            throw Violation(rule: "a session can be made", input: data)
        }
        try require(session.hasValidSetup, "the setup can be used", data)
        let accepted = session.deserializeState(state)
        let written = session.serializedState()
        try require(accepted || !session.hasValidActivation, "refused bytes leave no activation", data)
        _ = session.activationFingerprint
        try require(session.deserializeState(written), "what a session writes, it reads", data)
        try require(session.serializedState() == written, "and writes again, byte for byte", data)
    }

    /// The content of a state of data version 7, in `EC_P384` (protocol-4.md, section 17, item 7).
    private static let state4: Data = {
        func filled(_ byte: UInt8, _ count: Int) -> Data { Data([UInt8(count)]) + Data(repeating: byte, count: count) }
        let name = "EC_P384".bytes
        let start = "PA".bytes + Data([0x02, 0x50, 0x37, 0, UInt8(name.count)]) + name + Data([2]) + "id".bytes
        return start + filled(0x10, 32) + filled(0xAB, 1) + filled(0x11, 32) + filled(0x12, 48) + filled(0x13, 48)
            + filled(0x14, 48) + filled(1, 3) + filled(4, 2) + filled(0, 0) + filled(6, 1) + filled(0, 0) + filled(1, 3)
    }()

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
