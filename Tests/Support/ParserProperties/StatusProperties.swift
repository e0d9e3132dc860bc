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

    static let sessionState: [ParserProperty] = [
        ParserProperty("session-state", examples: [Data([0x50, 0x41, 0]), Data(base64Encoded: state) ?? Data()]) {
            data in
            guard let setup = PowerAuthCoreSessionSetup(configuration: configuration),
                let session = PowerAuthCoreSession(sessionSetup: setup, timeService: NoTime.shared)
            else { throw Violation(rule: "a session can be made", input: data) }
            let accepted = session.deserializeState(data)
            let written = session.serializedState()
            try require(accepted || !session.hasValidActivation, "refused bytes leave no activation", data)
            _ = session.activationFingerprint
            try require(session.deserializeState(written), "what a session writes, it reads", data)
            try require(session.serializedState() == written, "and writes again, byte for byte", data)
        }
    ]

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
