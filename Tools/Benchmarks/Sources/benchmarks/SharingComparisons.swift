// SPDX-License-Identifier: Apache-2.0

import EVPBaseline
import Foundation
import PowerAuthCore
import SharingBaseline
import SharingSubject

/// Tasks of a session that apps share (sharing.md, section 7), with an uncontended lock.
func sharingComparisons() throws -> [Comparison] {
    let activation = try SharedActivation()
    let app = activation.app
    let raw = try RawSharing(stateBytes: activation.stateBytes)
    let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/pa/signature/validate", body: Data(count: 100))
    let keys = activation.client.keys
    return [
        Comparison(
            name: "shared session, read task, nothing changed", goal: 1.5, repetitions: 2_000,
            subject: { count in
                for _ in 0..<count {
                    guard app.read({ $0.hasValidActivation }) else { throw ClientFailure() }
                }
            },
            baseline: { try checked(sharing_baseline_read(raw.baseline, $0)) }),
        // The cheapest possible change moves the counter, so both sides sign.
        Comparison(
            name: "shared session, write task that saves", goal: 1.3, repetitions: 100,
            subject: { count in
                for _ in 0..<count {
                    let isSigned = app.write({
                        $0.signHttpRequestData(request, keys: keys, factor: .possession) != nil
                    })
                    guard isSigned else { throw ClientFailure() }
                }
            },
            baseline: { count in
                try checked(baseline_signature(count, 1, 100))
                try checked(sharing_baseline_write(raw.baseline, count))
            }),
    ]
}

/// A device with an activation that its first app created.
struct SharedActivation {
    let client: Client
    let app: SharingApp
    /// Size of the stored state in bytes.
    let stateBytes: Int

    init() throws {
        client = try Client()
        app = try SharingApp(configuration: client.configuration)
        let client = client
        guard
            app.write({ session in
                do {
                    try client.activate(session)
                    return true
                } catch {
                    return false
                }
            })
        else { throw ClientFailure() }
        var bytes = 0
        guard
            app.read({
                bytes = $0.serializedState().count
                return bytes > 0
            })
        else { throw ClientFailure() }
        stateBytes = bytes
    }
}

/// The baseline with its files, which are deleted with it.
private final class RawSharing {
    let baseline: OpaquePointer
    private let directory: URL

    init(stateBytes: Int) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "lab-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        guard let baseline = sharing_baseline_open(directory.path(), stateBytes) else {
            throw ClientFailure()
        }
        self.baseline = baseline
    }

    deinit {
        sharing_baseline_close(baseline)
        try? FileManager.default.removeItem(at: directory)
    }
}
