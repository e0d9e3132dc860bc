// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

/// The records that two applications share. That a name which both request at once is asked for once takes a queue and a
/// server: `EndToEndTests/Peers/SharingTests.swift` and `Scenarios/quirks/token-is-made-once.yaml`.
@Suite("Two applications share tokens (sharing.md, section 19.4)", .endsInTime)
struct SharedTokenTests {
    private let main: TokenApp
    private let wallet: TokenApp

    init() throws {
        let device = try TemporaryDevice()
        main = try TokenApp("main", on: device)
        wallet = try TokenApp("wallet", on: device)
        try main.app.save(StoredStates.version6)
    }

    private func request(_ name: String, from app: TokenApp) async throws -> PowerAuthToken {
        let answer: (PowerAuthToken?, (any Error)?) = await callback { done in
            let task = app.store.requestAccessToken(
                withName: name, authentication: .possessionWithPassword(password: "1234")
            ) { done(($0, $1)) }
            if task != nil { app.provider.pending.last?.succeed() }
        }
        return try #require(answer.0)
    }

    @Test(.verifies("sharing.md", "S-6"))
    func `S-6: a token of one application is the other's at once, with the same identifier but another object`()
        async throws
    {
        #expect(!main.store.hasLocalToken(withName: "SharedToken1"))
        #expect(!wallet.store.hasLocalToken(withName: "SharedToken1"))
        let made = try await request("SharedToken1", from: main)
        let seen = try #require(wallet.store.localToken(withName: "SharedToken1"))
        #expect(seen.tokenIdentifier == made.tokenIdentifier)
        #expect(!seen.isEqual(to: made))
        #expect(seen.generateHeader() != nil)
        #expect(made.generateHeader() != nil)
    }

    @Test
    func `S-6: a token removed by one application is gone in the other, regardless of its creator`() async throws {
        _ = try await request("SharedToken1", from: main)
        #expect(wallet.store.hasLocalToken(withName: "SharedToken1"))
        let removed: Bool = await callback { done in
            wallet.store.removeAccessToken(withName: "SharedToken1") { removed, _ in done(removed) }
        }
        #expect(removed)
        #expect(!main.store.hasLocalToken(withName: "SharedToken1"))
        #expect(!wallet.store.hasLocalToken(withName: "SharedToken1"))
    }

    @Test(.verifies("sharing.md", "I-5")) func `I-5: removing all tokens counts once, reading does not count`() throws {
        main.put("A")
        main.put("B")
        let before = try main.app.interface.snapshot().tokenModifyCounter
        #expect(wallet.store.hasLocalToken(withName: "A"))
        #expect(try main.app.interface.snapshot().tokenModifyCounter == before)
        main.store.removeAllLocalTokens()
        #expect(try main.app.interface.snapshot().tokenModifyCounter == before + 1)
        #expect(!wallet.store.hasLocalToken(withName: "A"))
    }

    @Test func `Each of two removals counts, so that the other application notices both`() throws {
        main.put("A")
        main.put("B")
        #expect(wallet.store.hasLocalToken(withName: "A") && wallet.store.hasLocalToken(withName: "B"))
        main.store.removeLocalToken(withName: "A")
        #expect(!wallet.store.hasLocalToken(withName: "A") && wallet.store.hasLocalToken(withName: "B"))
        main.store.removeLocalToken(withName: "B")
        #expect(!wallet.store.hasLocalToken(withName: "B"))
    }
}
