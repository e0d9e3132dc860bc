// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// Hands out temporary keys of protocol 3.3 (server.md, section 12; protocol.md, section 8).
struct TemporaryKeyService: Sendable {
    let context: ServiceContext
    /// Creates a key; only after the request is authenticated.
    var makeKey: @Sendable () throws -> PrivateKey = { try PrivateKey.generate() }

    /// How far the end of a request may be in the past, for clocks that differ.
    private static let expiryTolerance: Int64 = 60_000

    /// The claim that only some clients send.
    private struct ExpiryClaim: Decodable {
        /// Seconds of Unix time.
        let exp: Double?
    }

    private struct Names: Sendable {
        let applicationKey: Identifier
        let activationId: Identifier?

        /// - Throws: `invalidRequest` for a text that is not an identifier.
        init(_ request: TemporaryKeyRequest) throws {
            applicationKey = try Identifier(request.applicationKey, field: "applicationKey")
            activationId = try request.activationId.map { try Identifier($0, field: "activationId") }
        }
    }

    /// Answers a signed request for a temporary key with a signed one.
    /// - Parameter address: where the device is; nil for one behind a mobile-facing server.
    /// - Returns: the compact JWS of the answer.
    /// - Throws: `invalidRequest` for an unreadable, expired or wrongly signed request, `invalidApplication` for the
    ///   application, `activationNotFound` for an activation that may not have a key.
    func create(jwt: String, address: String? = nil) throws -> String {
        let request: TemporaryKeyRequest
        let token: JWT
        do {
            (request, token) = try TemporaryKeyRequest.parse(jwt: jwt)
        } catch {
            throw Self.refusal(of: jwt, because: error)
        }
        try checkExpiry(of: token)
        let names = try Names(request)
        // An unauthenticated request uses neither a key nor the only writer.
        _ = try context.read { try authenticate(names, token, in: $0) }
        let temporaryKey = try makeKey()
        let keyId = Identifiers.uuid()
        let (signingKey, issued) = try context.change { change in
            let signingKey = try authenticate(names, token, in: change.database)
            try store(
                TemporaryKeyPair(
                    id: keyId, applicationKey: names.applicationKey, activationId: names.activationId, address: address,
                    privateKey: context.seal.seal(temporaryKey.bigEndian, of: .temporaryKey(id: keyId)),
                    expires: change.now.advanced(by: context.policy.temporaryKeyValidity)), in: change)
            return (signingKey, change.now)
        }
        let response = TemporaryKeyResponse(
            to: request, keyId: keyId.text, publicKey: temporaryKey.publicKey,
            issuedAt: UInt64(clamping: issued.milliseconds),
            expiresAt: UInt64(clamping: issued.advanced(by: context.policy.temporaryKeyValidity).milliseconds))
        return try response.jwt(key: signingKey)
    }

    /// The error for a request that lacks a claim or cannot be read.
    private static func refusal(of jwt: String, because error: any Error) -> ServiceError {
        struct Scope: Decodable {
            let applicationKey: Identifier?
            let activationId: Identifier?
        }
        // An activation without application is another error than a request without both.
        if let scope = try? JWT(jwt, algorithm: .hs256, mustSayType: false).claims(Scope.self),
            scope.activationId.nonBlank != nil, scope.applicationKey.nonBlank == nil
        {
            return ServiceError(.invalidApplication, "applicationKey is missing")
        }
        return ServiceError(.invalidRequest, "temporary-key request: \(error)")
    }

    /// Refuses a recorded request that says itself that its time is over (server.md, section 30, item 14).
    private func checkExpiry(of token: JWT) throws {
        let seconds: Double?
        do {
            seconds = try token.claims(ExpiryClaim.self).exp
        } catch {
            throw ServiceError(.invalidRequest, "exp of the temporary-key request is no number: \(error)")
        }
        guard let seconds else { return }
        guard let end = Int64(exactly: (seconds * 1000).rounded()) else {
            throw ServiceError(.invalidRequest, "exp of the temporary-key request is no time: \(seconds)")
        }
        let now = context.clock.now()
        guard now <= ServerTime(milliseconds: end).advanced(by: Self.expiryTolerance) else {
            throw ServiceError(.invalidRequest, "the temporary-key request expired at \(end), now \(now.milliseconds)")
        }
    }

    /// Verifies the request with the key of its scope.
    /// - Returns: the key that signs the answer.
    private func authenticate(_ names: Names, _ token: JWT, in database: Database) throws -> PrivateKey {
        guard let version = try ApplicationStore.version(database, applicationKey: names.applicationKey),
            version.isSupported
        else { throw ServiceError(.invalidApplication, "application key is unknown or its version unsupported") }
        let secret = try ApplicationSecretKey(StrictBase64.decode(version.applicationSecret) ?? Data())
        let requestKey: TemporaryKeyRequestKey
        let signingKey: PrivateKey
        if let activationId = names.activationId {
            let keys = try keys(ofActivation: activationId, application: version.application, in: database)
            requestKey = try TemporaryKeyRequest.signingKey(secret, transportKey: keys.derived.transport)
            signingKey = keys.serverPrivateKey
        } else {
            guard let pair = try ApplicationStore.masterKeyPair(database, of: version.application) else {
                throw ServiceError(.noMasterServerKeyPair, "application \(version.application.id)")
            }
            requestKey = TemporaryKeyRequest.signingKey(secret)
            do {
                signingKey = try PrivateKey(bigEndian: pair.privateKey)
            } catch {
                throw ServiceError(.incorrectMasterServerKeyPair, "master key pair \(pair.row): \(error)")
            }
        }
        guard token.isAuthentic(key: requestKey) else {
            throw ServiceError(.invalidRequest, "the signature of the temporary-key request does not match")
        }
        return signingKey
    }

    private func keys(
        ofActivation id: Identifier, application: Application, in database: Database
    ) throws -> ActivationKeys {
        let activation = try ActivationStore.required(database, id: id)
        switch activation.lifecycle {
        case .active(let binding?) where activation.application.row == application.row && binding.version < 4,
            .blocked(let binding?, _) where activation.application.row == application.row && binding.version < 4:
            return try context.keys.keys(of: activation, binding: binding)
        default:
            throw ServiceError(
                .activationNotFound,
                "activation \(id) is \(activation.status.name), of protocol 4, or of another application")
        }
    }

    /// Stores a key in place of those that are too many.
    func store(_ key: TemporaryKeyPair, in change: WriteTransaction) throws {
        try TemporaryKeyPairStore.deleteExpired(change.database, at: change.now)
        try TemporaryKeyPairStore.insert(change.database, key)
        let policy = context.policy
        if let activationId = key.activationId {
            return try TemporaryKeyPairStore.keepNewest(
                change.database, ofActivation: activationId, count: policy.temporaryKeysPerActivation)
        }
        // All devices behind a mobile-facing server have the same address, or none.
        try TemporaryKeyPairStore.keepNewest(
            change.database, ofAddress: key.address, applicationKey: key.applicationKey,
            count: key.address == nil ? policy.temporaryKeysPerApplication : policy.temporaryKeysPerAddress)
        try TemporaryKeyPairStore.keepFairly(
            change.database, applicationKey: key.applicationKey, count: policy.temporaryKeysPerApplication)
    }
}

/// A key pair for a few minutes of requests of protocol 3.3 (protocol.md, section 8), or the shared secret for those of
/// protocol 4 (protocol-4.md, section 6).
struct TemporaryKeyPair: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let applicationKey: Identifier
    /// Nil in application scope.
    let activationId: Identifier?
    /// The client's address; nil for requests of a mobile-facing server, or if unknown.
    var address: String?
    /// The private scalar, big endian; with a suite the shared secret, 32 bytes.
    let privateKey: StoredSecret
    let expires: ServerTime
    /// The suite that has agreed on the secret; nil for a key pair of protocol 3.3.
    var suite: CryptographySuite.Name?
}

/// The rows of temporary keys.
enum TemporaryKeyPairStore {
    private enum Column: String, QueryColumn {
        case id = "key_id"
        case applicationKey = "app_key"
        case activationId = "activation_id"
        case address
        case privateKey = "private_key"
        case privateKeyMode = "private_key_mode"
        case expires = "t_expire"
        case suite
    }

    /// Built once, because every encrypted request of protocol 3.3 uses it.
    private static let findSQL = "SELECT \(Column.list) FROM temporary_key WHERE key_id = ?"

    static func find(_ database: Database, id: Identifier) throws -> TemporaryKeyPair? {
        try QueryRow<Column>.first(database.cachedStatement(sql: findSQL), arguments: [id]) { row in
            TemporaryKeyPair(
                id: row[.id], applicationKey: row[.applicationKey], activationId: row[.activationId],
                address: row[.address], privateKey: StoredSecret(mode: row[.privateKeyMode], bytes: row[.privateKey]),
                expires: ServerTime(milliseconds: row[.expires]),
                suite: (row[.suite] as String?).flatMap(CryptographySuite.Name.init(rawValue:)))
        }
    }

    static func insert(_ database: Database, _ key: TemporaryKeyPair) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO temporary_key (key_id, app_key, activation_id, address, private_key, private_key_mode,
                    t_expire, suite)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            key.id, key.applicationKey, key.activationId, key.address, key.privateKey.bytes, key.privateKey.mode,
            key.expires.milliseconds, key.suite?.rawValue,
        ])
    }

    static func delete(_ database: Database, id: Identifier) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE key_id = ?").execute(arguments: [id])
    }

    static func deleteExpired(_ database: Database, at now: ServerTime) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE t_expire < ?")
            .execute(arguments: [now.milliseconds])
    }

    /// Deletes all but the newest keys of an activation.
    static func keepNewest(_ database: Database, ofActivation id: Identifier, count: Int) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM temporary_key WHERE key_id IN (SELECT key_id FROM temporary_key
                    WHERE activation_id = ? ORDER BY t_expire DESC, rowid DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [id, count])
    }

    /// Deletes all but the newest keys that devices without activation have got at one address.
    static func keepNewest(
        _ database: Database, ofAddress address: String?, applicationKey: Identifier, count: Int
    ) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM temporary_key WHERE key_id IN (SELECT key_id FROM temporary_key
                    WHERE activation_id IS NULL AND app_key = ? AND address IS ?
                    ORDER BY t_expire DESC, rowid DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [applicationKey, address, count])
    }

    /// Deletes keys of devices without activation until an application version has no more than `count`, each time the
    /// oldest of the address with the most keys, so that only clients with many keys lose some.
    static func keepFairly(_ database: Database, applicationKey: Identifier, count: Int) throws {
        let all = try Int.fetchOne(
            database.cachedStatement(
                sql: "SELECT COUNT(*) FROM temporary_key WHERE activation_id IS NULL AND app_key = ?"),
            arguments: [applicationKey])
        for _ in 0..<max(0, (all ?? 0) - count) {
            try database.cachedStatement(
                sql: """
                    DELETE FROM temporary_key WHERE key_id = (SELECT key_id FROM temporary_key
                        WHERE activation_id IS NULL AND app_key = ?1 AND address IS (SELECT address FROM temporary_key
                            WHERE activation_id IS NULL AND app_key = ?1
                            GROUP BY address ORDER BY COUNT(*) DESC LIMIT 1)
                        ORDER BY t_expire, rowid LIMIT 1)
                    """
            ).execute(arguments: [applicationKey])
        }
    }
}
