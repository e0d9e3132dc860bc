// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What is written of an activation, and of what belongs to it, is read again, each value from its own column.
@Suite("Stored activations", .endsInTime)
struct ActivationStoreTests {
    private static let expires = ServerTime(milliseconds: 4_000)

    static let lifecycles: [ActivationLifecycle] = [
        .created(expires: expires), .pendingCommit(.sample, expires: expires), .active(.sample),
        .blocked(.sample, reason: "LOST"), .removed(.sample), .removed(nil),
        .created(expires: expires, formerDevice: .sample), .pendingCommit(nil, expires: expires), .active(nil),
        .blocked(nil, reason: "LOST"),
    ]

    /// Stores a new activation of the first application.
    private func insert(into fixture: ServerFixture) throws -> Activation {
        try fixture.server.services.context.change { change in
            let application = try #require(try ApplicationStore.find(change.database, id: "lab"))
            let pair = try #require(try ApplicationStore.masterKeyPair(change.database, of: application))
            var activation = Activation.sample(
                .created(expires: Self.expires), of: application, masterKeyPairRow: pair.row)
            // A device says later what it is.
            (activation.name, activation.externalId, activation.extras) = (nil, nil, nil)
            (activation.platform, activation.deviceInfo) = (nil, nil)
            try ActivationStore.insert(change.database, activation)
            return activation
        }
    }

    private func write(_ fixture: ServerFixture, _ body: @escaping (Database) throws -> Void) throws {
        try fixture.server.services.context.change { try body($0.database) }
    }

    private func find(_ fixture: ServerFixture) throws -> Activation? {
        try fixture.server.services.context.read { try ActivationStore.find($0, id: "activation") }
    }

    @Test func `A new activation is read as it was written`() throws {
        let fixture = try ServerFixture()
        let inserted = try insert(into: fixture)
        #expect(try find(fixture) == inserted)
    }

    @Test(arguments: lifecycles)
    func `A changed activation is read as it was changed, in every state`(lifecycle: ActivationLifecycle) throws {
        let fixture = try ServerFixture()
        let inserted = try insert(into: fixture)
        var changed = Activation.sample(
            lifecycle, of: inserted.application, masterKeyPairRow: inserted.masterKeyPairRow)
        changed.otp = OtpRequirement(mode: .onKeyExchange, commitPhase: inserted.otp.commitPhase, hash: "other")
        changed.flags = ["flag-3"]
        changed.failedAttempts = 5
        changed.lastUsed = ServerTime(milliseconds: 5_000)
        changed.lastChange = ServerTime(milliseconds: 6_000)
        let saved = changed
        try write(fixture) { try ActivationStore.update($0, saved) }
        #expect(try find(fixture) == saved)
    }

    @Test(arguments: ["ctr_data = x'00'", "ctr_data = NULL", "status = 9"])
    func `A row that contradicts itself is read as a removed activation`(change: String) throws {
        let fixture = try ServerFixture()
        let inserted = try insert(into: fixture)
        let active = Activation.sample(
            .active(.sample), of: inserted.application, masterKeyPairRow: inserted.masterKeyPairRow)
        try write(fixture) {
            try ActivationStore.update($0, active)
            try $0.execute(sql: "UPDATE activation SET \(change)")
        }
        #expect(try find(fixture)?.status == .removed)
    }

    @Test func `A use writes the counter, the failures and its time, and nothing else`() throws {
        let fixture = try ServerFixture()
        let inserted = try insert(into: fixture)
        let saved = Activation.sample(
            .active(.sample), of: inserted.application, masterKeyPairRow: inserted.masterKeyPairRow)
        let counterData = Data(repeating: 1, count: 16)
        var other = saved
        other.lifecycle = .active(
            DeviceBinding(devicePublicKey: Data([7]), counter: 9, counterData: counterData, version: 3))
        (other.name, other.flags, other.otp.hash) = ("other", [], nil)
        other.failedAttempts = 6
        other.lastUsed = ServerTime(milliseconds: 7_000)
        other.lastChange = ServerTime(milliseconds: 8_000)
        let used = other
        try write(fixture) {
            try ActivationStore.update($0, saved)
            try ActivationStore.updateUse($0, used)
        }
        var due = saved
        due.lifecycle = .active(
            DeviceBinding(
                devicePublicKey: DeviceBinding.sample.devicePublicKey, counter: 9, counterData: counterData,
                version: DeviceBinding.sample.version))
        (due.failedAttempts, due.lastUsed) = (used.failedAttempts, used.lastUsed)
        #expect(try find(fixture) == due)
    }

    @Test func `A history is read between two moments, both included, newest first`() throws {
        let fixture = try ServerFixture()
        _ = try insert(into: fixture)
        let states: [ActivationLifecycle] = [
            .created(expires: Self.expires), .active(.sample), .blocked(.sample, reason: "LOST"), .removed(nil),
        ]
        try write(fixture) { database in
            for (index, state) in states.enumerated() {
                try ActivationStore.insertHistory(
                    database, .sample(state), reason: "WHY", externalUserId: "operator",
                    at: ServerTime(milliseconds: Int64(index)))
            }
        }
        func items(_ from: Int64, _ to: Int64) throws -> [String] {
            try fixture.server.services.context.read {
                try ActivationStore.history(
                    $0, activationId: "activation", from: ServerTime(milliseconds: from),
                    to: ServerTime(milliseconds: to))
            }.map { item in
                """
                \(item.activationId) \(item.status.name) \(item.reason ?? "-") \(item.externalUserId?.text ?? "-") \
                \(item.name ?? "-") \(item.version ?? 0) \(item.created.milliseconds)
                """
            }
        }
        #expect(
            try items(1, 2) == [
                "activation BLOCKED LOST operator name 2 2", "activation ACTIVE WHY operator name 2 1",
            ])
        #expect(try items(0, 3).count == 4)
        #expect(try items(3, 9) == ["activation REMOVED WHY operator name 0 3"])
        #expect(try items(4, 9) == [])
    }

    @Test func `A token is read as it was written, counted for its activation, and removed with it only`() throws {
        let fixture = try ServerFixture()
        _ = try insert(into: fixture)
        let token = Token(
            id: "token", activationId: "activation", secret: Data([1, 2]), signatureType: "POSSESSION",
            created: ServerTime(milliseconds: 9))
        try write(fixture) { try TokenStore.insert($0, token) }
        let context = fixture.server.services.context
        let found = try #require(try context.read { try TokenStore.find($0, id: "token") })
        #expect(found.id == token.id && found.activationId == token.activationId && found.secret == token.secret)
        #expect(found.signatureType == token.signatureType && found.created == token.created)
        #expect(try context.read { try TokenStore.count($0, activationId: "activation") } == 1)
        #expect(try context.read { try TokenStore.count($0, activationId: "other") } == 0)
        func isRemoved(of activation: Identifier) throws -> Bool {
            try context.change { try TokenStore.delete($0.database, id: "token", activationId: activation) }
        }
        #expect(try !isRemoved(of: "other"))
        #expect(try isRemoved(of: "activation"))
        #expect(try !isRemoved(of: "activation"))
    }

    @Test func `A push registration is read as it was written, and replaced by one with its key`() throws {
        let fixture = try ServerFixture()
        let application = try insert(into: fixture).application.row
        var registration = PushRegistration(
            id: 5, application: application, token: "token", platform: .fcm, environment: .production,
            activationId: "activation", userId: "user", isActive: true, lastRegistered: ServerTime(milliseconds: 9))
        let first = registration
        (registration.token, registration.platform, registration.environment) = ("token-2", .hms, nil)
        (registration.userId, registration.isActive) = ("user-2", false)
        registration.lastRegistered = ServerTime(milliseconds: 10)
        let second = registration
        let context = fixture.server.services.context
        func stored() throws -> PushRegistration? {
            try context.read { try PushRegistrationStore.find($0, activationId: "activation") }
        }
        for saved in [first, second] {
            try write(fixture) { try PushRegistrationStore.save($0, saved) }
            #expect(try stored() == saved)
        }
        try write(fixture) { try PushRegistrationStore.setActive($0, true, activationId: "other") }
        #expect(try stored()?.isActive == false)
        try write(fixture) { try PushRegistrationStore.setActive($0, true, activationId: "activation") }
        #expect(try stored()?.isActive == true)
        for (token, row) in [("token-2", application + 1), ("token", application)] {
            try write(fixture) { try PushRegistrationStore.delete($0, token: token, application: row) }
            #expect(try stored() != nil)
        }
        try write(fixture) { try PushRegistrationStore.delete($0, token: "token-2", application: application) }
        #expect(try stored() == nil)
    }
}
