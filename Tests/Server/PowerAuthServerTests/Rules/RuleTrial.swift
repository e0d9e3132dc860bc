// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabControl
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The server's records before and after a call.
struct RuleTrial: Sendable {
    /// The failures that every record has before the call: not none, and not the most.
    static let failures = 2

    let before: RuleRecords
    let after: RuleRecords
    /// The moment of the call.
    let now: Int64
    private let events: [ServerEvent]

    /// Prepares a call, makes it, and compares the records.
    /// - Parameters:
    ///   - failures: how many there are before, of everything that counts some.
    ///   - limit: how many there can be; nil leaves that as it is.
    ///   - isCached: whether the server knows the activation without reading it, which lets it answer quickly.
    /// - Returns: nil when the activation cannot be in the state of the call, for it has no device.
    init?(
        _ call: RuleCall, in world: World, failures: Int = Self.failures, limit: Int? = nil, isCached: Bool = false
    ) async throws {
        let prepared = try await call.prepare(world)
        let context = world.fixture.server.services.context
        if let state = call.state, let id = prepared.activationId {
            guard try world.force(state, of: id) else { return nil }
        }
        try world.setFailures(failures, of: limit)
        if isCached, let id = prepared.activationId {
            let activation = try #require(try context.activation(Identifier(known: id)))
            let versions = try context.read { try ApplicationStore.versions($0, of: activation.application) }
            for version in versions { _ = try context.version(applicationKey: version.applicationKey) }
        }
        let noted = world.fixture.journal.events.count
        // The preparation has another time.
        world.client.clock.advance(milliseconds: 7)
        before = try RuleRecords(context)
        try await prepared.perform()
        after = try RuleRecords(context, after: before)
        now = world.client.clock.now().milliseconds
        events = world.fixture.journal.events.dropFirst(noted).map(\.event)
    }

    // MARK: Effects of a call

    var effects: RuleEffects {
        RuleEffects(
            activation: Self.change(before.activations.mapValues(\.failures), after.activations.mapValues(\.failures)),
            operation: Self.change(before.operations.mapValues(\.failures), after.operations.mapValues(\.failures)),
            recovery: Self.change(before.recoveryCodes, after.recoveryCodes),
            history: after.history.map { ([$0.status.name] + ($0.reason.map { [$0] } ?? [])).joined(separator: " ") },
            operations: entries(.operation).map {
                "\($0.detail["status"]?.stringValue ?? "") \($0.detail["failureCount"]?.integerValue ?? -1)"
            },
            verified: after.verifications.map(\.isValid))
    }

    /// The one change among all records there were; a new record begins without failures.
    private static func change<Key: Hashable>(_ before: [Key: Int], _ after: [Key: Int]) -> FailureCount {
        let changes = after.map { FailureCount(from: before[$0] ?? 0, to: $1) }.filter { $0 != .left }
        return changes.first(where: { if case .wrong = $0 { true } else { false } }) ?? changes.first ?? .left
    }

    private func entries(_ kind: AuditEntry.Kind) -> [AuditEntry] { after.audit.filter { $0.kind == kind.rawValue } }

    // MARK: What holds for every call

    /// The inconsistencies between related records after any call: empty if there are none.
    func mismatches(actor: String?) -> [String] {
        historyMismatches(actor: actor) + activationMismatches + usageMismatches + operationMismatches + otherMismatches
    }

    /// Each item says who and when, and has its entry in the audit, its callback and its event.
    private func historyMismatches(actor: String?) -> [String] {
        var found: [String] = []
        for item in after.history {
            if item.externalUserId != actor {
                found.append(
                    "history has the external user \(item.externalUserId ?? "null"), due is \(actor ?? "null")")
            }
            if item.time != now { found.append("history has the time \(item.time), it was \(now)") }
        }
        let audited = entries(.activation).map { entry in
            ["activationId", "status", "reason", "externalUserId"].map { entry.detail[$0]?.stringValue ?? "-" }
        }
        let wanted = after.history.map {
            [$0.activationId, $0.status.name, $0.reason ?? "-", $0.externalUserId ?? "-"]
        }
        if audited != wanted { found.append("the audit has \(audited), the history \(wanted)") }
        let announced = after.announcements.filter { after.activations[$0.subject] != nil }
        let due = after.history.filter { !HistoryReason.unannounced.contains($0.reason) }.map {
            RuleRecords.Announcement(subject: $0.activationId, status: $0.status.name, time: now)
        }
        if announced != due { found.append("callbacks have \(announced), due are \(due)") }
        let noted = events.compactMap { event in
            if case .activationChanged(let id, _, let to, let reason) = event {
                [id, to.name, reason ?? "-"]
            } else {
                nil
            }
        }
        if noted != wanted.map({ Array($0.prefix(3)) }) {
            found.append("the journal has \(noted), due are \(wanted)")
        }
        return found
    }

    /// A status changes with an item only, and pushes follow it.
    private var activationMismatches: [String] {
        after.activations.flatMap { id, activation -> [String] in
            var found: [String] = []
            let items = after.history.filter { $0.activationId == id }
            let former = before.activations[id]
            if let last = items.last, last.status != activation.status {
                found.append("\(id) is \(activation.status.name), its history ends with \(last.status.name)")
            }
            if items.isEmpty, former?.status != activation.status {
                found.append("\(id) is \(activation.status.name) now, and its history has no item")
            }
            if activation.changed != (items.isEmpty ? former?.changed : now) {
                found.append("\(id) has the time of change \(activation.changed ?? 0)")
            }
            if let hasPushes = activation.hasPushes, !items.isEmpty, hasPushes != (activation.status == .active) {
                found.append("\(id) is \(activation.status.name), and pushes are \(hasPushes ? "sent" : "not sent")")
            }
            return found
        }
    }

    /// An activation is used when one of its signatures is verified (server.md, section 8.1), and by its key exchange.
    private var usageMismatches: [String] {
        let verified = Set(after.verifications.map(\.activationId))
        return after.activations.compactMap { id, activation -> String? in
            let former = before.activations[id]
            let isBound = former == nil || (former?.hasDevice == false && activation.hasDevice)
            let due = isBound || verified.contains(id) ? now : former?.used
            return activation.used == due ? nil : "\(id) was last used at \(activation.used), due is \(due ?? 0)"
        }
    }

    /// Each saved operation has its entry in the audit and its callback, and a time of its end.
    private var operationMismatches: [String] {
        let announced = after.announcements.filter { after.operations[$0.subject] != nil }
        let audited = entries(.operation).map {
            RuleRecords.Announcement(
                subject: $0.detail["operationId"]?.stringValue ?? "", status: $0.detail["status"]?.stringValue ?? "",
                time: now)
        }
        let changed = after.operations.flatMap { id, operation -> [String] in
            var found: [String] = []
            let former = before.operations[id]
            guard former?.status != operation.status || former?.failures != operation.failures else { return found }
            if audited.last(where: { $0.subject == id })?.status != operation.status.name {
                found.append("\(id) is \(operation.status.name) now, which the audit does not have")
            }
            if operation.finalized != (operation.status == .pending ? nil : now) {
                found.append("\(id) is \(operation.status.name), and ended at \(operation.finalized ?? 0)")
            }
            return found
        }
        return changed + (announced == audited ? [] : ["callbacks have \(announced), the audit \(audited)"])
    }

    /// Verifications and wrong PUKs have their time and their entry.
    private var otherMismatches: [String] {
        var found = after.verifications.filter { $0.time != now }.map { "a verification has the time \($0.time)" }
        found += after.audit.filter { $0.time != now }.map { "an entry of the audit has the time \($0.time)" }
        let noted = events.compactMap { event in
            if case .signatureVerified(_, _, let isValid, _, _, _) = event { isValid } else { nil }
        }
        if noted != after.verifications.map(\.isValid) { found.append("the journal has the verifications \(noted)") }
        let codes = after.recoveryCodes.count { before.recoveryCodes[$0] ?? 0 != $1 }
        if codes != entries(.recovery).count { found.append("\(codes) recovery codes changed: \(entries(.recovery))") }
        return found
    }
}

extension World {
    /// Runs a test on a server with callbacks for activations and operations.
    static func runRules(_ fixture: ServerFixture, _ body: @Sendable (World) async throws -> Void) async throws {
        try await fixture.run { client in
            let world = World(fixture: fixture, client: client)
            for (type, attribute) in [
                ("ACTIVATION_STATUS_CHANGE", "activationStatus"), ("OPERATION_STATUS_CHANGE", "status"),
            ] {
                try await world.call(
                    "application/callback/create",
                    [
                        "applicationId": "lab", "name": RuleRecords.callback, "type": type,
                        "callbackUrl": "http://127.0.0.1:1/hook",
                        "attributes": [attribute],
                    ])
            }
            try await body(world)
        }
    }

    /// Gives every record that counts failures some, and every activation a push registration.
    fileprivate func setFailures(_ failures: Int, of limit: Int?) throws {
        try write { change in
            for (table, column) in [("activation", "failed"), ("operation", "failures"), ("recovery_code", "failed")] {
                try change.database.execute(
                    sql: "UPDATE \(table) SET \(column) = ?, max_\(column) = coalesce(?, max_\(column))",
                    arguments: [failures, limit])
            }
            try change.database.execute(
                sql: """
                    INSERT OR IGNORE INTO push_registration
                        (application, token, platform, activation, user_id, active, t_registered)
                    SELECT application, activation_id, 'ios', activation_id, user_id, status = 3, 0 FROM activation
                    """)
            try change.database.execute(
                sql: """
                    UPDATE push_registration SET active =
                        (SELECT status = 3 FROM activation WHERE activation_id = push_registration.activation)
                    """)
        }
    }

    /// Forces an activation into a state.
    /// - Returns: false if it cannot be in that state without a device.
    fileprivate func force(_ state: ActivationState, of id: String) throws -> Bool {
        let context = fixture.server.services.context
        let hasDevice = try context.activation(Identifier(known: id))?.lifecycle.binding != nil
        guard hasDevice || state == .created || state == .removed else { return false }
        try write { change in
            try change.database.execute(
                sql: "UPDATE activation SET status = ?, blocked_reason = ?, t_expire = ? WHERE activation_id = ?",
                arguments: [
                    state.rawValue, state == .blocked ? BlockedReason.notSpecified : nil,
                    change.now.milliseconds + 300_000, id,
                ])
        }
        return true
    }

    /// Writes into the database as no request can.
    private func write(_ body: @escaping (WriteTransaction) throws -> Void) throws {
        let context = fixture.server.services.context
        try context.change(body)
        context.database.cache.forgetAll()
    }
}
