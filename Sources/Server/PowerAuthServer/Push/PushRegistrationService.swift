// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore
import PowerAuthProtocol

/// Where a push token comes from.
enum PushPlatform: String, Sendable {
    case apns, fcm, hms

    /// Reads the present names and the ones of older clients (mobile-token.md, section 12.2).
    init?(named name: String) {
        switch name {
        case "apns", "ios": self = .apns
        case "fcm", "android": self = .fcm
        case "hms", "huawei": self = .hms
        default: return nil
        }
    }
}

/// A device registered for pushes: one for each activation (mobile-token.md, section 20.1). Several activations may
/// have the same device.
struct PushRegistration: Equatable, Sendable {
    /// The key of the row; nil before it is stored.
    var id: Int64?
    /// The row of the application.
    var application: Int64
    var token: String
    var platform: PushPlatform
    var environment: PushEnvironment?
    var activationId: Identifier
    var userId: Identifier
    /// Whether the activation can be used.
    var isActive: Bool
    var lastRegistered: ServerTime
}

/// The devices registered for pushes (mobile-token.md, section 20.1).
///
/// Every change is one transaction of the only writer, so that simultaneous registrations run one after the other and
/// end in one row, without conflicts to retry.
struct PushRegistrationService: Sendable {
    let context: ServiceContext

    struct Device: Sendable {
        let applicationId: Identifier
        let token: String
        let platform: PushPlatform
        var environment: PushEnvironment?
        let activationId: Identifier
    }

    /// Registers a device: a new token replaces the one of the activation, a token under a new activation moves there.
    /// - Throws: `invalidApplication`, `activationNotFound` for an unknown or removed activation, `invalidRequest` when
    ///   several devices have the token.
    @discardableResult func register(_ device: Device) throws -> PushRegistration {
        try TextLimit.ordinary.check(device.token, "token")
        return try context.change { change in
            let application = try ApplicationStore.required(change.database, id: device.applicationId)
            let activation = try change.activation(device.activationId)
            guard activation.status != .removed else {
                throw ServiceError(.activationNotFound, "activation \(activation.id) is removed")
            }
            let registration = PushRegistration(
                id: try row(of: device, application.row, in: change), application: application.row, token: device.token,
                platform: device.platform, environment: device.environment, activationId: activation.id,
                userId: activation.userId, isActive: activation.status == .active, lastRegistered: change.now)
            try PushRegistrationStore.save(change.database, registration)
            return registration
        }
    }

    /// Registers a device for several activations of one application. Each has a row of its own, so that the device gets
    /// a message once for each; an activation that is not named and has the token loses it.
    /// - Throws: `invalidRequest` for no activation, and for those of several applications; `activationNotFound` for an
    ///   unknown or removed one. Nothing is changed then.
    func register(
        token: String, platform: PushPlatform, environment: PushEnvironment?, for activationIds: [Identifier]
    ) throws {
        try TextLimit.ordinary.check(token, "token")
        try context.change { change in
            var rows: [PushRegistration] = []
            for id in activationIds where !rows.contains(where: { $0.activationId == id }) {
                let activation = try change.activation(id)
                guard activation.status != .removed else {
                    throw ServiceError(.activationNotFound, "activation \(id) is removed")
                }
                rows.append(
                    PushRegistration(
                        id: try PushRegistrationStore.find(change.database, activationId: id)?.id,
                        application: activation.application.row, token: token, platform: platform,
                        environment: environment, activationId: id, userId: activation.userId,
                        isActive: activation.status == .active, lastRegistered: change.now))
            }
            guard let application = rows.first?.application, rows.allSatisfy({ $0.application == application }) else {
                throw ServiceError.invalid("activationIds must name one or more activations of one application")
            }
            let named = rows.compactMap(\.id)
            for other in try PushRegistrationStore.list(change.database, token: token, application: application) {
                guard let id = other.id, !named.contains(id) else { continue }
                try PushRegistrationStore.delete(change.database, id: id)
            }
            for row in rows { try PushRegistrationStore.save(change.database, row) }
        }
    }

    /// The row that a registration takes over. An activation has one row at most, so that its token does not matter.
    private func row(of device: Device, _ application: Int64, in change: WriteTransaction) throws -> Int64? {
        if let own = try PushRegistrationStore.find(change.database, activationId: device.activationId) {
            return own.id
        }
        let others = try PushRegistrationStore.list(change.database, token: device.token, application: application)
        guard others.count <= 1 else { throw ServiceError.invalid("several activations have registered this token") }
        return others.first?.id
    }

    /// Forgets every device of an application with a token.
    func remove(token: String, application: Int64) throws {
        try context.change { try PushRegistrationStore.delete($0.database, token: token, application: application) }
    }
}

/// The rows of devices registered for pushes.
enum PushRegistrationStore {
    private enum Column: String, QueryColumn {
        case id
        case application
        case token
        case platform
        case environment
        case activationId = "activation"
        case userId = "user_id"
        case isActive = "active"
        case lastRegistered = "t_registered"
    }

    /// Where a message goes.
    struct Audience: Sendable {
        let userId: Identifier
        /// The rows of the applications.
        let applications: [Int64]
        /// One device only.
        var activationId: Identifier?
    }

    /// The devices of an audience, in the order of their registration.
    static func list(_ database: Database, _ audience: Audience) throws -> [PushRegistration] {
        try fetch(
            database,
            """
            user_id = ? AND (? IS NULL OR activation = ?)
            AND application IN (\(databaseQuestionMarks(count: audience.applications.count)))
            """,
            [audience.userId, audience.activationId, audience.activationId] + StatementArguments(audience.applications))
    }

    static func find(_ database: Database, activationId: Identifier) throws -> PushRegistration? {
        try fetch(database, "activation = ?", [activationId]).first
    }

    /// Devices of an application with a token.
    static func list(_ database: Database, token: String, application: Int64) throws -> [PushRegistration] {
        try fetch(database, "application = ? AND token = ?", [application, token])
    }

    /// Inserts a registration, or updates the one with its key.
    static func save(_ database: Database, _ registration: PushRegistration) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO push_registration (id, application, token, platform, environment, activation,
                    user_id, active, t_registered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                registration.id, registration.application, registration.token, registration.platform.rawValue,
                registration.environment?.rawValue, registration.activationId, registration.userId,
                registration.isActive, registration.lastRegistered.milliseconds,
            ])
    }

    /// Follows the status of an activation.
    static func setActive(_ database: Database, _ isActive: Bool, activationId: Identifier) throws {
        try database.cachedStatement(sql: "UPDATE push_registration SET active = ? WHERE activation = ?")
            .execute(arguments: [isActive, activationId])
    }

    /// Forgets the device of one activation.
    static func delete(_ database: Database, id: Int64) throws {
        try database.execute(sql: "DELETE FROM push_registration WHERE id = ?", arguments: [id])
    }

    /// Forgets every device of an application with a token.
    static func delete(_ database: Database, token: String, application: Int64) throws {
        try database.execute(
            sql: "DELETE FROM push_registration WHERE application = ? AND token = ?", arguments: [application, token])
    }

    private static func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [PushRegistration] {
        try Row.fetchAll(
            database, sql: "SELECT \(Column.list) FROM push_registration WHERE \(condition) ORDER BY id",
            arguments: arguments
        ).map { registration(QueryRow($0)) }
    }

    private static func registration(_ row: QueryRow<Column>) -> PushRegistration {
        PushRegistration(
            id: row[.id], application: row[.application], token: row[.token],
            platform: PushPlatform(rawValue: row[.platform]) ?? .apns,
            environment: (row[.environment] as String?).flatMap(PushEnvironment.init(rawValue:)),
            activationId: row[.activationId], userId: row[.userId], isActive: row[.isActive],
            lastRegistered: ServerTime(milliseconds: row[.lastRegistered]))
    }
}
