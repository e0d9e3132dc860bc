// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore
import PowerAuthProtocol

@testable import PowerAuthServer

/// The server's stored records that rules are about, at one moment.
struct RuleRecords: Sendable {
    struct Activation: Sendable {
        let status: ActivationState
        let failures: Int
        let changed: Int64?
        let used: Int64
        let hasDevice: Bool
        /// Nil for one without a push registration.
        let hasPushes: Bool?
    }

    struct Operation: Sendable {
        let status: OperationStatus
        let failures: Int
        let finalized: Int64?
    }

    struct HistoryItem: Sendable {
        let activationId: String
        let status: ActivationState
        let reason: String?
        let externalUserId: String?
        let time: Int64
    }

    /// A message for callbacks.
    struct Announcement: Equatable, Sendable {
        let subject: String
        let status: String
        let time: Int64
    }

    struct Verification: Sendable {
        let activationId: String
        let isValid: Bool
        let time: Int64
    }

    /// The name of the examined callbacks.
    static let callback = "rules"

    let activations: [String: Activation]
    let operations: [String: Operation]
    /// The failures by row.
    let recoveryCodes: [Int64: Int]
    /// The records added since the earlier ones, oldest first, as in everything below.
    let history: [HistoryItem]
    let audit: [AuditEntry]
    let announcements: [Announcement]
    let verifications: [Verification]
    /// The number from which the logs continue, by table.
    private let last: [String: Int64]

    /// - Parameter before: records whose logs these continue; nil leaves the logs empty.
    init(_ context: ServiceContext, after before: RuleRecords? = nil) throws {
        self = try context.read { try RuleRecords($0, before?.last ?? Self.lastNumbers($0)) }
    }

    private static func lastNumbers(_ database: Database) throws -> [String: Int64] {
        var last: [String: Int64] = [:]
        for table in ["activation_history", "callback_event", "signature_audit", "audit_log"] {
            last[table] = try Int64.fetchOne(database, sql: "SELECT max(id) FROM \(table)")
        }
        return last
    }

    private init(_ database: Database, _ seen: [String: Int64]) throws {
        func log(_ table: String, _ condition: String = "TRUE") throws -> [Row] {
            try Row.fetchAll(
                database, sql: "SELECT * FROM \(table) WHERE id > ? AND \(condition) ORDER BY id",
                arguments: [seen[table] ?? 0])
        }
        let (items, events, checks) = try (
            log("activation_history"),
            log("callback_event", "callback IN (SELECT id FROM callback_url WHERE name = '\(Self.callback)')"),
            log("signature_audit")
        )
        activations = try Dictionary(
            Row.fetchAll(
                database,
                sql: """
                    SELECT activation_id, status, failed, t_last_change, t_last_used,
                        device_public IS NOT NULL AS has_device, active
                    FROM activation LEFT JOIN push_registration ON activation = activation_id
                    """
            ).map { ($0["activation_id"], Activation($0)) }, uniquingKeysWith: { first, _ in first })
        operations = try Dictionary(
            Row.fetchAll(database, sql: "SELECT id, status, failures, t_final FROM operation").map {
                ($0["id"], Operation($0))
            }, uniquingKeysWith: { first, _ in first })
        recoveryCodes = try Dictionary(
            Row.fetchAll(database, sql: "SELECT id, failed FROM recovery_code").map { ($0["id"], $0["failed"]) },
            uniquingKeysWith: { first, _ in first })
        history = items.map(HistoryItem.init)
        audit = try AuditStore.entries(database, after: seen["audit_log"] ?? 0)
        announcements = try events.map(Announcement.init)
        verifications = checks.map {
            Verification(activationId: $0["activation_id"], isValid: $0["valid"], time: $0["t_created"])
        }
        last = seen
    }
}

extension RuleRecords.Activation {
    fileprivate init(_ row: Row) {
        status = ActivationState(rawValue: row["status"]) ?? .removed
        failures = row["failed"]
        changed = row["t_last_change"]
        used = row["t_last_used"]
        hasDevice = row["has_device"]
        hasPushes = row["active"]
    }
}

extension RuleRecords.Operation {
    fileprivate init(_ row: Row) {
        status = OperationStatus(rawValue: row["status"]) ?? .failed
        failures = row["failures"]
        finalized = row["t_final"]
    }
}

extension RuleRecords.HistoryItem {
    fileprivate init(_ row: Row) {
        activationId = row["activation"]
        status = ActivationState(rawValue: row["status"]) ?? .removed
        reason = row["reason"]
        externalUserId = row["external_user"]
        time = row["t_created"]
    }
}

extension RuleRecords.Announcement {
    fileprivate init(_ row: Row) throws {
        let payload = try JSONValue.parse(row["payload"] as String)
        subject = (payload["activationId"] ?? payload["operationId"])?.stringValue ?? ""
        status = (payload["activationStatus"] ?? payload["status"])?.stringValue ?? ""
        time = row["t_created"]
    }
}
