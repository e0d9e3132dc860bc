// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What the audit of signatures keeps of a verification (server.md, section 8.7).
@Suite("The audit of signatures", .endsInTime)
struct SignatureAuditTests {
    private static let expires = ServerTime(milliseconds: 4_000)

    private func audit(
        _ verdict: SignatureVerdict, before: Activation, fits: Bool = true, data: Data = Data([1]),
        signature: String = "signature"
    ) -> SignatureAudit {
        SignatureAudit(
            verdict, before: before, fits: fits, info: [.vaultUnlocked(reason: "WHY"), .biometryAllowed], data: data,
            versionText: "3.3", type: .possessionKnowledge, signature: signature)
    }

    @Test func `The note says why a signature was not valid`() {
        let active = Activation.sample(.active(.sample))
        var exhausted = active
        exhausted.failedAttempts = exhausted.maxFailedAttempts
        var almost = active
        almost.failedAttempts = almost.maxFailedAttempts - 1
        let rows: [(verdict: SignatureVerdict, before: Activation, note: SignatureAudit.Note)] = [
            (.valid(active), active, .ok), (.invalid(active), active, .mismatch),
            (.invalid(exhausted), exhausted, .mismatch), (.unknownActivation, active, .invalidState),
            (.refused(active), active, .invalidApplication), (.refused(almost), almost, .invalidApplication),
            (.refused(exhausted), exhausted, .exhausted),
        ]
        for row in rows {
            let audit = audit(row.verdict, before: row.before)
            #expect(audit.note == row.note, "\(row.verdict)")
            #expect(audit.isValid == (row.note == .ok))
        }
        for before in [active, exhausted] {
            #expect(audit(.refused(before), before: before, fits: false).note == .invalidState)
        }
        let others: [ActivationLifecycle] = [
            .created(expires: Self.expires), .pendingCommit(.sample, expires: Self.expires), .removed(.sample),
            .blocked(.sample, reason: "LOST"),
        ]
        for lifecycle in others {
            var before = Activation.sample(lifecycle)
            before.failedAttempts = before.maxFailedAttempts
            #expect(audit(.refused(before), before: before).note == .invalidState, "\(lifecycle)")
        }
    }

    @Test func `It has the state before the verification, and why it was blocked behind all other circumstances`() {
        let before = Activation.sample(.blocked(.sample, reason: "LOST"))
        let blocked = audit(.refused(Activation.sample(.removed(nil))), before: before)
        #expect(blocked.status == .blocked && blocked.counter == 8 && blocked.activationVersion == 2)
        #expect(blocked.counterData == DeviceBinding.sample.counterData)
        #expect(blocked.info == [.vaultUnlocked(reason: "WHY"), .biometryAllowed, .blocked(reason: "LOST")])
        let new = audit(.unknownActivation, before: .sample(.created(expires: Self.expires)))
        #expect(new.status == .created && new.counter == nil && new.counterData == nil && new.activationVersion == nil)
        #expect(new.info == [.vaultUnlocked(reason: "WHY"), .biometryAllowed])
    }

    @Test func `Of what was signed it has the first bytes, and of the signature the first characters`() {
        let before = Activation.sample(.active(.sample))
        for (size, kept) in [(4_095, 4_095), (4_096, 4_096), (4_097, 4_096)] {
            #expect(audit(.invalid(before), before: before, data: Data(count: size)).data == Data(count: kept))
        }
        for (size, kept) in [(254, 254), (255, 255), (256, 255)] {
            let text = String(repeating: "s", count: size)
            #expect(audit(.invalid(before), before: before, signature: text).signature.count == kept)
        }
    }

    @Test func `A record is read as it was written, by its user and its application, within the bounds`() throws {
        let fixture = try ServerFixture()
        let context = fixture.server.services.context
        let application = try #require(try context.read { try ApplicationStore.find($0, id: "lab") })
        let before = Activation.sample(.blocked(.sample, reason: "LOST"), of: application)
        let written = audit(.refused(before), before: before)
        let now = ServerTime(milliseconds: 5_000)
        try context.change { try SignatureAuditStore.insert($0.database, written, at: now) }
        func items(
            user: Identifier = "user", application: Identifier? = nil, from: Int64? = nil, to: Int64? = nil
        ) throws -> [SignatureAuditStore.Item] {
            try context.read {
                try SignatureAuditStore.list(
                    $0, userId: user, applicationId: application, from: from.map(ServerTime.init(milliseconds:)),
                    to: to.map(ServerTime.init(milliseconds:)))
            }
        }
        let found = try #require(try items().first)
        #expect(found.created == now && found.userId == "user" && found.applicationId == "lab")
        #expect(found.activationId == "activation" && found.counter == 8 && found.status == .blocked)
        #expect(found.counterData == DeviceBinding.sample.counterData && found.info == written.info)
        #expect(found.data == Data([1]) && found.versionText == "3.3" && found.type == "POSSESSION_KNOWLEDGE")
        #expect(found.signature == "signature" && !found.isValid && found.activationVersion == 2)
        #expect(found.note == "activation_invalid_state")
        #expect(try items(application: "lab", from: 5_000, to: 5_000).count == 1)
        #expect(try items(application: "other").isEmpty && items(user: "other").isEmpty)
        #expect(try items(from: 5_001).isEmpty && items(to: 4_999).isEmpty)
    }
}
