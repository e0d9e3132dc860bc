// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// Recovery codes: configuration, postcards, confirmation, search and revocation (server.md, section 14).
struct RecoveryService: Sendable {
    let context: ServiceContext

    // MARK: Configuration

    /// The configuration of an application; everything is off by default.
    /// - Throws: `invalidRequest` for a missing or unknown application.
    func configuration(applicationId: Identifier?) throws -> (application: Application, RecoveryConfiguration) {
        try context.read { database in
            let application = try Self.application(database, applicationId)
            return (application, try RecoveryStore.configuration(database, of: application) ?? RecoveryConfiguration())
        }
    }

    /// The new values of a configuration; nil keeps the stored value.
    struct ConfigurationUpdate: Sendable {
        var isActivationRecoveryEnabled: Bool?
        var isPostcardEnabled: Bool?
        var allowsMultipleCodes: Bool?
        /// Base64 of a point; an empty text deletes the stored key.
        var remotePublicKey: String?
    }

    /// Changes the configuration; the first postcards get a server key pair.
    /// - Throws: `invalidRequest` for a missing or unknown application, `invalidKeyFormat` for a key that is no point
    ///   of P-256.
    func configure(applicationId: Identifier?, _ update: ConfigurationUpdate) throws {
        let fresh = try PrivateKey.generate()
        let remote = try update.remotePublicKey.map { text -> Data? in
            guard !text.isEmpty else { return nil }
            guard let data = StrictBase64.decode(text), let key = try? PublicKey(encoded: data) else {
                throw ServiceError(.invalidKeyFormat, "remotePostcardPublicKey is not a point of P-256")
            }
            return key.uncompressed
        }
        try context.change { change in
            let application = try Self.application(change.database, applicationId)
            var configuration =
                try RecoveryStore.configuration(change.database, of: application) ?? RecoveryConfiguration()
            if let value = update.isActivationRecoveryEnabled { configuration.isActivationRecoveryEnabled = value }
            if let value = update.isPostcardEnabled { configuration.isPostcardEnabled = value }
            if let value = update.allowsMultipleCodes { configuration.allowsMultipleCodes = value }
            if let remote { configuration.remotePublicKey = remote }
            if configuration.isPostcardEnabled, configuration.postcardPrivateKey == nil {
                configuration.postcardPrivateKey = try context.seal.seal(
                    fresh.bigEndian, of: .postcardKey(applicationId: application.id))
                configuration.postcardPublicKey = fresh.publicKey.uncompressed
            }
            try RecoveryStore.save(change.database, configuration, of: application)
        }
    }

    // MARK: Postcards

    /// The values that the printer of a postcard derives the code and its PUKs from.
    struct Postcard: Sendable {
        /// 32 bytes.
        let nonce: Data
        let record: RecoveryCodeRecord
        /// One for every PUK, in order.
        let pukDerivationIndexes: [Data]
    }

    /// Issues a code with 1 to 100 PUKs for a user.
    /// - Throws: `invalidRequest` for a bad parameter or disabled postcards, `invalidRecoveryConfiguration` without
    ///   both keys, `recoveryCodeAlreadyExists` for a second code where one is allowed, `unableToGenerateRecoveryCode`
    ///   when no code is free.
    func createPostcard(applicationId: Identifier?, userId: Identifier?, pukCount: Int?) throws -> Postcard {
        guard let userId = userId.nonBlank else {
            throw ServiceError(.invalidRequest, "userId must have 1 to 255 characters")
        }
        guard let pukCount, (1...100).contains(pukCount) else {
            throw ServiceError(.invalidRequest, "pukCount must be 1 to 100")
        }
        let (application, configuration) = try configuration(applicationId: applicationId)
        guard configuration.isActivationRecoveryEnabled, configuration.isPostcardEnabled else {
            throw ServiceError(.invalidRequest, "recovery postcards are disabled for \(application.id)")
        }
        try context.read { try checkPostcard($0, of: userId, application, configuration) }
        let secret = try postcardSecret(configuration, application)
        for _ in 0..<context.policy.generationAttempts {
            let nonce = Random.bytes(32)
            let seed = try RecoverySeed(secret: secret, nonce: nonce)
            let indexes = (0..<pukCount).map { _ in Random.bytes(8) }
            let hashes = try indexes.map { try context.hashing.make(seed.puk(index: $0).text) }
            if let record = try issue(seed.code, hashes, to: userId, of: application, configuration) {
                return Postcard(nonce: nonce, record: record, pukDerivationIndexes: indexes)
            }
        }
        throw ServiceError(.unableToGenerateRecoveryCode, "\(context.policy.generationAttempts) codes were all taken")
    }

    private func issue(
        _ code: RecoveryCode, _ pukHashes: [String], to userId: Identifier, of application: Application,
        _ configuration: RecoveryConfiguration
    ) throws -> RecoveryCodeRecord? {
        try context.change { change in
            let database = change.database
            try checkPostcard(database, of: userId, application, configuration)
            guard try RecoveryStore.find(database, application: application, code: Identifier(known: code.text)) == nil
            else { return nil }
            let row = try RecoveryStore.insert(
                database, application: application, userId: userId, activationId: nil, code: code.text,
                status: .created, maxFailedAttempts: context.policy.recoveryMaxFailedAttempts, pukHashes: pukHashes,
                at: change.now)
            return try RecoveryStore.find(database, row: row)
        }
    }

    /// - Throws: `recoveryCodeAlreadyExists` if the user has a code and multiple codes are not allowed.
    private func checkPostcard(
        _ database: Database, of userId: Identifier, _ application: Application, _ configuration: RecoveryConfiguration
    ) throws {
        guard
            try configuration.allowsMultipleCodes
                || !RecoveryStore.hasPostcard(database, application: application, userId: userId)
        else { throw ServiceError(.recoveryCodeAlreadyExists, "user \(userId) has a recovery postcard") }
    }

    private func postcardSecret(
        _ configuration: RecoveryConfiguration, _ application: Application
    ) throws -> SecretBytes {
        guard let privateKey = configuration.postcardPrivateKey, let remote = configuration.remotePublicKey else {
            throw ServiceError(.invalidRecoveryConfiguration, "\(application.id) lacks a postcard key")
        }
        let opened = try context.seal.open(
            privateKey, of: .postcardKey(applicationId: application.id), publicKey: configuration.postcardPublicKey)
        do {
            return try PrivateKey(bigEndian: opened).sharedSecret(with: PublicKey(encoded: remote)).bytes
        } catch {
            throw ServiceError(.invalidKeyFormat, "postcard keys of \(application.id): \(error)")
        }
    }

    // MARK: Confirmation

    private struct ConfirmRequest: Decodable { var recoveryCode: String? }
    private struct ConfirmAnswer: Encodable { let alreadyConfirmed: Bool }

    /// A postcard has arrived at its user, whose device sends the code.
    /// - Throws: `invalidRequest`, `activationNotFound`, `activationIncorrectState`, `missingTemporaryKey`,
    ///   `decryptionFailed`, `recoveryCodeNotFound` as server.md, section 14.3 says.
    func confirm(_ sealed: SealedRequest) throws -> (activation: Activation, response: EciesResponse) {
        try context.read { database in
            guard let id = sealed.activationId, let activation = try ActivationStore.find(database, id: id) else {
                throw ServiceError(.activationNotFound, "no activation \(sealed.activationId?.text ?? "")")
            }
            try Self.checkRecovery(database, activation.application)
        }
        let (opened, activation) = try EnvelopeOpener(context: context).openActivation(
            sealed, as: .confirmRecovery, failures: .decryptor)
        let text: String?
        do {
            text = try JSONBody.decode(ConfirmRequest.self, from: opened.plaintext).recoveryCode
        } catch {
            throw ServiceError(.decryptionFailed, "recovery request: \(error)")
        }
        guard let text, let code = try? RecoveryCode(text) else {
            throw ServiceError(.invalidRequest, "recoveryCode is missing or mistyped")
        }
        let alreadyConfirmed = try context.change { change in
            try Self.checkRecovery(change.database, activation.application)
            let found = try RecoveryStore.find(
                change.database, application: activation.application, code: Identifier(known: code.text))
            guard var record = found else { throw ServiceError(.recoveryCodeNotFound, "no such recovery code") }
            guard record.userId == activation.userId else {
                throw ServiceError(.invalidRequest, "the recovery code belongs to another user")
            }
            switch record.status {
            case .active: return true
            case .created:
                record.status = .active
                try RecoveryStore.update(change.database, record, at: change.now)
                return false
            case .blocked, .revoked: throw ServiceError(.invalidRequest, "the recovery code is blocked or revoked")
            }
        }
        let answer = ConfirmAnswer(alreadyConfirmed: alreadyConfirmed)
        return (activation, try opened.sealJSON(answer, at: context.clock.now()))
    }

    private static func checkRecovery(_ database: Database, _ application: Application) throws {
        guard try RecoveryStore.configuration(database, of: application)?.isActivationRecoveryEnabled == true else {
            throw ServiceError(.invalidRequest, "recovery is disabled for \(application.id)")
        }
    }

    // MARK: Search and revocation

    /// What `lookup` filters by; nil accepts everything.
    struct Filter: Sendable {
        var userId: Identifier?
        var activationId: Identifier?
        var applicationId: Identifier?
        var status: RecoveryCodeStatus?
        var pukStatus: RecoveryPukStatus?
    }

    /// The codes of a user or an activation. A PUK status selects the codes with such a PUK, and only those PUKs.
    /// - Throws: `invalidRequest` with neither user nor activation, or for an unknown application.
    func lookup(_ filter: Filter) throws -> [RecoveryCodeRecord] {
        guard filter.userId != nil || filter.activationId != nil else {
            throw ServiceError(.invalidRequest, "userId or activationId is required")
        }
        // With both and no application the user alone decides.
        let userDecides = filter.userId != nil && filter.applicationId == nil
        let found = try context.read { database in
            if let applicationId = filter.applicationId { _ = try Self.application(database, applicationId) }
            return try RecoveryStore.list(
                database, userId: filter.userId, activationId: userDecides ? nil : filter.activationId,
                applicationId: filter.applicationId, status: filter.status)
        }
        guard let pukStatus = filter.pukStatus else { return found }
        return found.compactMap { record in
            var record = record
            record.puks.removeAll { $0.status != pukStatus }
            return record.puks.isEmpty ? nil : record
        }
    }

    /// Revokes codes by the numbers that `lookup` shows.
    /// - Returns: whether at least one changed.
    /// - Throws: `invalidRequest` for no or a negative number.
    func revoke(_ rows: [Int64]?) throws -> Bool {
        guard let rows, !rows.isEmpty, rows.allSatisfy({ $0 >= 0 }) else {
            throw ServiceError(.invalidRequest, "recoveryCodeIds must be non-negative and at least one")
        }
        return try context.change { change in
            // Every one is revoked, not only those up to the first success.
            try rows.reduce(false) { changed, row in
                try RecoveryStore.revoke(change.database, row: row, at: change.now) || changed
            }
        }
    }

    private static func application(_ database: Database, _ id: Identifier?) throws -> Application {
        guard let id, let application = try ApplicationStore.find(database, id: id) else {
            throw ServiceError(.invalidRequest, "applicationId is missing or unknown")
        }
        return application
    }
}
