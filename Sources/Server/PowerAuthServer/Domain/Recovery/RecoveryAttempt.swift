import Foundation
import GRDB
import PowerAuthProtocol

/// A PUK compared with the stored hash before the transaction that spends it: the slow hash must not hold the
/// write lock (server.md, section 14.4).
struct RecoveryAttempt: Sendable {
    private let applicationKey: Identifier
    private let code: Identifier
    /// The hash the PUK was compared with; nil when no PUK is left.
    private let comparedHash: String?
    let matches: Bool

    /// The result of a correct PUK.
    struct Spent: Sendable {
        let userId: Identifier
        /// The flags of the activation that was replaced.
        let inheritedFlags: [Identifier]
    }

    /// Compares `puk` with the one PUK that is due.
    /// - Throws: `invalidRequest` as ``usableCode(_:applicationKey:code:)``.
    init(_ context: ServiceContext, applicationKey: Identifier, code: Identifier, puk: String) throws {
        let record = try context.read { try Self.usableCode($0, applicationKey: applicationKey, code: code) }
        self.applicationKey = applicationKey
        self.code = code
        comparedHash = record.expectedPuk?.hash
        matches = comparedHash.map { context.hashing.matches(puk, $0) } ?? false
    }

    /// Finds a code that may be tried.
    /// - Throws: `invalidRequest` for an unknown application or code, a code in another state, or disabled recovery.
    static func usableCode(
        _ database: Database, applicationKey: Identifier, code: Identifier
    ) throws -> RecoveryCodeRecord {
        guard let version = try ApplicationStore.version(database, applicationKey: applicationKey),
            version.isSupported
        else { throw ServiceError(.invalidRequest, "application key is unknown or its version unsupported") }
        guard try RecoveryStore.configuration(database, of: version.application)?.isActivationRecoveryEnabled == true
        else { throw ServiceError(.invalidRequest, "recovery is disabled for \(version.application.id)") }
        guard let record = try RecoveryStore.find(database, application: version.application, code: code),
            record.status == .active
        else { throw ServiceError(.invalidRequest, "the recovery code is unknown or not active") }
        return record
    }

    /// Spends the PUK and removes the activation it replaces, or counts a failure.
    /// - Returns: a failure whose changes stay.
    func spend(in change: WriteTransaction) throws -> Result<Spent, ServiceError> {
        var record = try Self.usableCode(change.database, applicationKey: applicationKey, code: code)
        // If another request has spent the compared PUK meanwhile, this one no longer matches.
        guard let expected = record.puks.firstIndex(where: { $0.status == .valid }), matches,
            record.puks[expected].hash == comparedHash
        else { return .failure(try countFailure(&record, in: change)) }
        record.failedAttempts = 0
        record.puks[expected].status = .used
        try RecoveryStore.update(change.database, record, at: change.now)
        try change.audit(record, "PUK \(record.puks[expected].index) was spent")
        let replaced = try record.activationId.map(change.activation)
        if var replaced {
            try RecoveryStore.revokeAll(change.database, ofActivation: replaced.id, at: change.now)
            let previous = replaced.status
            if previous != .removed {
                replaced.lifecycle = .removed(replaced.lifecycle.binding)
                try change.save(&replaced, previous: previous)
            }
        }
        return .success(Spent(userId: record.userId, inheritedFlags: replaced?.flags ?? []))
    }

    private func countFailure(_ record: inout RecoveryCodeRecord, in change: WriteTransaction) throws -> ServiceError {
        record.failedAttempts = min(record.failedAttempts + 1, record.maxFailedAttempts)
        let expected = record.puks.firstIndex { $0.status == .valid }
        let isLast = record.failedAttempts >= record.maxFailedAttempts
        if isLast {
            record.status = .blocked
            if let expected { record.puks[expected].status = .invalid }
        }
        try RecoveryStore.update(change.database, record, at: change.now)
        try change.audit(record, "a wrong PUK was shown")
        guard let expected, !isLast else {
            return ServiceError(.invalidRecoveryCode, "wrong PUK, no attempt is left")
        }
        return ServiceError(
            .invalidRecoveryCode, "wrong PUK", expectedPukIndex: record.puks[expected].index)
    }
}
