// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// The rows of activations and their history.
enum ActivationStore {
    private enum Column: String, QueryColumn {
        case id = "activation_id"
        case masterKeyPair = "master_keypair"
        case userId = "user_id"
        case status
        case code
        case otpMode = "otp_mode"
        case commitPhase = "commit_phase"
        case otpHash = "otp_hash"
        case name
        case externalId = "external_id"
        case extras
        case platform
        case deviceInfo = "device_info"
        case flags
        case serverPrivateKey = "server_private"
        case serverPrivateKeyMode = "server_private_mode"
        case serverPublicKey = "server_public"
        case devicePublicKey = "device_public"
        case counter
        case counterData = "ctr_data"
        case version = "activation.version"
        case failedAttempts = "failed"
        case maxFailedAttempts = "max_failed"
        case blockedReason = "blocked_reason"
        case created = "t_created"
        case expires = "t_expire"
        case lastUsed = "t_last_used"
        case lastChange = "t_last_change"
    }

    private static let query = """
        SELECT \(Column.list), \(ApplicationColumn.list), \(Version4Column.list)
        FROM activation JOIN application ON application.id = activation.application
        LEFT JOIN activation_v4 ON of_activation = activation_id
        """

    /// Built once, because every request looks up an activation.
    private static let findSQL = "\(query) WHERE activation_id = ?"

    static func find(_ database: Database, id: Identifier) throws -> Activation? {
        try QueryRow.first(database.cachedStatement(sql: findSQL), arguments: [id], activation)
    }

    /// - Throws: `activationNotFound` for an unknown identifier.
    static func required(_ database: Database, id: Identifier) throws -> Activation {
        guard let activation = try find(database, id: id) else {
            throw ServiceError(.activationNotFound, "no activation \(id)")
        }
        return activation
    }

    /// Finds the activation that waits for a device with this code.
    static func findCreated(_ database: Database, application: Application, code: Identifier) throws -> Activation? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    \(query)
                    WHERE activation.application = ? AND substr(code, 1, 11) = ? AND code = ? AND status = ?
                    """),
            arguments: [application.row, String(code.text.prefix(11)), code, ActivationState.created.rawValue]
        ).map { activation(QueryRow($0)) }
    }

    /// Whether an activation of any state has this identifier.
    static func exists(_ database: Database, id: Identifier) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM activation WHERE activation_id = ?)", arguments: [id]) ?? false
    }

    /// Whether an activation of any state has a code with the same first 11 characters.
    static func existsCode(_ database: Database, application: Application, code: String) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM activation WHERE application = ? AND substr(code, 1, 11) = ?)",
            arguments: [application.row, String(code.prefix(11))]) ?? false
    }

    struct Filter {
        var userId: Identifier
        var applicationId: Identifier?
        var statuses: [ActivationState] = []
        var offset = 0
        var limit: Int
    }

    /// The activations of a user, newest first.
    static func list(_ database: Database, _ filter: Filter) throws -> [Activation] {
        var conditions = QueryConditions()
        conditions.add("user_id = ?", filter.userId)
        conditions.add("app_id = ?", filter.applicationId)
        if !filter.statuses.isEmpty {
            conditions.add("status IN (\(filter.statuses.map { "\($0.rawValue)" }.joined(separator: ", ")))")
        }
        return try fetch(database, conditions.text, conditions.arguments, limit: filter.limit, offset: filter.offset)
    }

    static func insert(_ database: Database, _ activation: Activation) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO activation (activation_id, application, master_keypair, user_id, status, code, otp_mode,
                    commit_phase, otp_hash, flags, server_private, server_private_mode, server_public, counter, failed, max_failed,
                    t_created, t_expire, t_last_used, t_last_change)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            activation.id, activation.application.row, activation.masterKeyPairRow, activation.userId,
            activation.status.rawValue, activation.code, activation.otp.mode.rawValue,
            activation.otp.commitPhase.rawValue, activation.otp.hash, try TextList.encode(activation.flags),
            activation.serverPrivateKey.bytes, activation.serverPrivateKey.mode, activation.serverPublicKey,
            activation.failedAttempts, activation.maxFailedAttempts, activation.created.milliseconds,
            (activation.lifecycle.expires ?? activation.created).milliseconds, activation.lastUsed.milliseconds,
            activation.lastChange?.milliseconds,
        ])
    }

    /// Writes everything that can change after the insertion. A met deadline is not changed.
    static func update(_ database: Database, _ activation: Activation) throws {
        let binding = activation.lifecycle.binding
        try database.cachedStatement(
            sql: """
                UPDATE activation SET status = ?, otp_mode = ?, otp_hash = ?, name = ?, external_id = ?, extras = ?,
                    platform = ?, device_info = ?, flags = ?, device_public = ?, counter = ?, ctr_data = ?, version = ?,
                    failed = ?, blocked_reason = ?, t_expire = COALESCE(?, t_expire), t_last_used = ?, t_last_change = ?
                WHERE activation_id = ?
                """
        ).execute(arguments: [
            activation.status.rawValue, activation.otp.mode.rawValue, activation.otp.hash, activation.name,
            activation.externalId, activation.extras, activation.platform, activation.deviceInfo,
            try TextList.encode(activation.flags), binding?.devicePublicKey, Int64(bitPattern: binding?.counter ?? 0),
            binding?.counterData, binding?.version, activation.failedAttempts, activation.lifecycle.blockedReason,
            activation.lifecycle.expires?.milliseconds, activation.lastUsed.milliseconds,
            activation.lastChange?.milliseconds, activation.id,
        ])
        try Version4Store.save(database, activation)
    }

    /// Writes the changes of a signature verification: the counter, the failures and the time of use.
    static func updateUse(_ database: Database, _ activation: Activation) throws {
        try database.cachedStatement(
            sql: "UPDATE activation SET counter = ?, ctr_data = ?, failed = ?, t_last_used = ? WHERE activation_id = ?"
        ).execute(arguments: [
            Int64(bitPattern: activation.lifecycle.binding?.counter ?? 0), activation.lifecycle.binding?.counterData,
            activation.failedAttempts, activation.lastUsed.milliseconds, activation.id,
        ])
    }

    static func insertHistory(
        _ database: Database, _ activation: Activation, reason: String?, externalUserId: Identifier?, at now: ServerTime
    ) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO activation_history (activation, status, reason, external_user, name, version, t_created)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            activation.id, activation.status.rawValue, activation.lifecycle.blockedReason ?? reason, externalUserId,
            activation.name, activation.lifecycle.binding?.version, now.milliseconds,
        ])
    }

    struct HistoryItem {
        let id: Int64
        let activationId: Identifier
        let status: ActivationState
        let reason: String?
        let externalUserId: Identifier?
        let name: String?
        let version: Int?
        let created: ServerTime
    }

    /// The history of an activation between two moments, both included, newest first.
    static func history(
        _ database: Database, activationId: Identifier, from: ServerTime, to: ServerTime
    ) throws -> [HistoryItem] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT id, activation, status, reason, external_user, name, version, t_created FROM activation_history
                WHERE activation = ? AND t_created BETWEEN ? AND ? ORDER BY t_created DESC, id DESC
                """, arguments: [activationId, from.milliseconds, to.milliseconds]
        ).map { row in
            HistoryItem(
                id: row["id"], activationId: row["activation"],
                status: ActivationState(rawValue: row["status"]) ?? .removed, reason: row["reason"],
                externalUserId: row["external_user"], name: row["name"], version: row["version"],
                created: ServerTime(milliseconds: row["t_created"]))
        }
    }

    /// The activations that fit a condition, newest first.
    static func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments, limit: Int = -1, offset: Int = 0
    ) throws -> [Activation] {
        try Row.fetchAll(
            database,
            sql: """
                \(query) WHERE \(condition)
                ORDER BY t_created DESC, activation.rowid DESC LIMIT \(limit) OFFSET \(offset)
                """, arguments: arguments
        ).map { activation(QueryRow($0)) }
    }

    private static func activation(_ row: QueryRow<Column>) -> Activation {
        let application = row.following(ApplicationColumn.self)
        let version4 = Version4Store.record(application.following())
        return Activation(
            id: row[.id], application: Application(application), masterKeyPairRow: row[.masterKeyPair],
            userId: row[.userId], lifecycle: lifecycle(row, version4), code: row[.code],
            otp: OtpRequirement(
                mode: OtpValidationMode(rawValue: row[.otpMode]) ?? .none,
                commitPhase: CommitPhase(rawValue: row[.commitPhase]) ?? .onCommit, hash: row[.otpHash]),
            name: row[.name], externalId: row[.externalId], extras: row[.extras], platform: row[.platform],
            deviceInfo: row[.deviceInfo], flags: TextList.identifiers(row[.flags]),
            serverPrivateKey: StoredSecret(mode: row[.serverPrivateKeyMode], bytes: row[.serverPrivateKey]),
            serverPublicKey: row[.serverPublicKey], failedAttempts: row[.failedAttempts],
            maxFailedAttempts: row[.maxFailedAttempts], created: ServerTime(milliseconds: row[.created]),
            lastUsed: ServerTime(milliseconds: row[.lastUsed]),
            lastChange: (row[.lastChange] as Int64?).map(ServerTime.init(milliseconds:)), version4: version4)
    }

    /// A row with half a device, or without a status that exists (it was edited by hand) counts as removed: nothing can
    /// be signed or decrypted with it, and the back office still shows it.
    private static func lifecycle(_ row: QueryRow<Column>, _ version4: Version4Record?) -> ActivationLifecycle {
        let expires = ServerTime(milliseconds: row[.expires])
        let binding = binding(row, version4)
        guard binding != nil || (row[.devicePublicKey] as Data?) == nil else { return .removed(nil) }
        return switch ActivationState(rawValue: row[.status]) {
        case .created: .created(expires: expires, formerDevice: binding)
        case .pendingCommit: .pendingCommit(binding, expires: expires)
        case .active: .active(binding)
        case .blocked: .blocked(binding, reason: row[.blockedReason] ?? BlockedReason.notSpecified)
        case .removed, nil: .removed(binding)
        }
    }

    private static func binding(_ row: QueryRow<Column>, _ version4: Version4Record?) -> DeviceBinding? {
        let version = (row[.version] as Int?) ?? 3
        guard let device: Data = row[.devicePublicKey], let counterData: Data = row[.counterData],
            counterData.count == (version == 4 ? 32 : 16), version != 4 || version4 != nil
        else { return nil }
        return DeviceBinding(
            devicePublicKey: device, counter: UInt64(bitPattern: row[.counter]), counterData: counterData,
            version: version)
    }
}

extension ActivationStore {
    /// What `lookup` filters by; an empty list or nil accepts everything, but for the users.
    struct LookupFilter: Sendable {
        var userIds: [Identifier]
        var applicationIds: [Identifier] = []
        /// Strictly before.
        var usedBefore: ServerTime?
        /// At or after.
        var usedAfter: ServerTime?
        var status: ActivationState?
        /// All of them must be set.
        var flags: [Identifier] = []
    }

    /// The activations of several users, newest first.
    static func lookup(_ database: Database, _ filter: LookupFilter) throws -> [Activation] {
        var conditions = QueryConditions()
        try conditions.add("user_id IN (SELECT value FROM json_each(?))", in: filter.userIds)
        if !filter.applicationIds.isEmpty {
            try conditions.add("app_id IN (SELECT value FROM json_each(?))", in: filter.applicationIds)
        }
        conditions.add("t_last_used < ?", filter.usedBefore?.milliseconds)
        conditions.add("t_last_used >= ?", filter.usedAfter?.milliseconds)
        conditions.add("status = ?", filter.status?.rawValue)
        let wanted = Set(filter.flags)
        return try fetch(database, conditions.text, conditions.arguments).filter { wanted.isSubset(of: $0.flags) }
    }

    /// The unfinished activations whose time is over.
    static func expired(_ database: Database, at now: ServerTime, limit: Int) throws -> [Activation] {
        try Array(fetch(database, "status IN (1, 2) AND t_expire < ?", [now.milliseconds], limit: limit))
    }

    static func nextExpiry(_ database: Database) throws -> ServerTime? {
        try Int64.fetchOne(database, sql: "SELECT MIN(t_expire) FROM activation WHERE status IN (1, 2)")
            .map(ServerTime.init(milliseconds:))
    }
}
