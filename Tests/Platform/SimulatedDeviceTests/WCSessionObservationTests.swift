// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import WatchConnectivity

/// What an app that was given a background task waits for (watch.md, section 9.9).
@Suite("WCSession: observation by key path", .endsInTime)
struct WCSessionObservationTests {
    @Test func `Observers get each change of activation and of pending content, until they end`() {
        let backend = FakeBackend(isWatch: true)
        let session = WCSession(backend: backend)
        let notes = Recorder<String>()
        let pending = session.observe(\.hasContentPending, options: [.new, .initial]) { _, change in
            notes.add("pending \(change.newValue.map { "\($0)" } ?? "?")")
        }
        var activation: NSKeyValueObservation? = session.observe(\.activationState) { session, change in
            notes.add("state \(session.activationState.rawValue) \(change.newValue.map { "\($0)" } ?? "?")")
        }
        #expect(notes.takeAll() == ["pending false"])
        for _ in 1...2 { backend.bring(.activated(WatchCounterpartState(isPaired: true), outstanding: [])) }
        #expect(notes.takeAll() == ["state 2 ?"])
        for _ in 1...2 { backend.bring(.contentPending(true)) }
        #expect(notes.takeAll() == ["pending true"] && session.hasContentPending)
        backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: false))
        session.queue.sync {}
        #expect(notes.takeAll().isEmpty && session.hasContentPending, "the system has announced more")
        backend.bring(.contentPending(false))
        #expect(notes.takeAll() == ["pending false"] && !session.hasContentPending)
        backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: false))
        session.queue.sync {}
        #expect(notes.takeAll() == ["pending true", "pending false"])
        backend.bring(.becameInactive)
        #expect(notes.takeAll() == ["state 1 ?"])
        activation = nil
        pending.invalidate()
        backend.bring(.contentPending(true))
        backend.bring(.deactivated)
        session.queue.sync {}
        #expect(notes.takeAll().isEmpty && activation == nil)
        #expect(session.activationState == .notActivated && !session.hasContentPending)
    }
}
