// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// Replaces a lost activation by a new one, for a valid recovery code and PUK (server.md, section 14.4).
struct RecoveryActivationService: Sendable {
    let context: ServiceContext

    /// The user's recovery code and PUK, and the parameters of the new activation.
    struct Recovery: Sendable {
        var code: Identifier?
        var puk: String?
        var maxFailureCount: Int?
        /// Required at the commit.
        var otp: String?
        var generatesRecoveryCode = true
    }

    /// Spends the PUK, removes the activation it belonged to and creates one that waits for its commit.
    ///
    /// A wrong PUK is counted although the call is refused; the refusal names the PUK that is expected until the
    /// attempts are used up. A failure after a correct PUK changes nothing.
    /// - Throws: `invalidRequest`, `invalidRecoveryCode` with or without an expected PUK; as
    ///   ``ActivationCreationService``.
    func recover<Sealed: SealedInnerLayer>(
        _ recovery: Recovery, sealed: Sealed
    ) throws -> KeyExchangeService.Exchanged<Sealed.Layer.Answer> {
        guard Sealed.hasRecovery else { throw ServiceError(.invalidRequest, "protocol 4 has no recovery codes") }
        guard let code = recovery.code.nonBlank, let puk = recovery.puk.nonBlank else {
            throw ServiceError(.invalidRequest, "recoveryCode and puk are required")
        }
        // The code decides about the refusal before the envelope does, and the PUK after it.
        let record = try context.read {
            try RecoveryAttempt.usableCode($0, applicationKey: sealed.applicationKey, code: code)
        }
        let exchange = try sealed.open(failures: .recovery, context: context)
        if let refusal = exchange.keyRefusal { throw ServiceError(.activationExpired, refusal) }
        var new = ActivationService.NewActivation()
        new.userId = record.userId
        new.applicationId = record.applicationId
        new.maxFailureCount = recovery.maxFailureCount
        new.otp = recovery.otp
        try ActivationCreationService.checkOtp(of: exchange, new.otpRequirement)
        let attempt = try RecoveryAttempt(context, applicationKey: sealed.applicationKey, code: code, puk: puk)
        // A wrong PUK costs only the hash of its comparison, and no hash of a one-time password.
        guard attempt.matches else {
            let refusal = try context.change { try attempt.spend(in: $0) }
            guard case .failure(let error) = refusal else {
                throw ServiceError(.invalidRecoveryCode, "a wrong PUK was taken")
            }
            throw error
        }
        let prepared = try ActivationService(context: context).prepare(new)
        let issued =
            recovery.generatesRecoveryCode
            ? try RecoveryDraft.make(context, applicationKey: sealed.applicationKey) : nil
        let activation: Activation = try context.changeKeepingRefusal { change in
            let spent: RecoveryAttempt.Spent
            switch try attempt.spend(in: change) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let value): spent = value
            }
            var inheriting = prepared
            inheriting.new.flags = spent.inheritedFlags
            let activation = try ActivationCreationService(context: context).bind(
                inheriting, exchange, in: change)
            try issued?.issue(with: activation, policy: context.policy, in: change)
            return .success(activation)
        }
        return KeyExchangeService.Exchanged(
            activation: activation,
            response: try exchange.answer(activation, recovery: issued?.data, at: context.clock.now()))
    }
}

extension EnvelopeOpener.Failures {
    static let recovery = Self(wrongFields: .invalidRequest, unknownApplication: .invalidRequest)
}

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
        guard let expected, !isLast else { return ServiceError(.invalidRecoveryCode, "wrong PUK, no attempt is left") }
        return ServiceError(.invalidRecoveryCode, "wrong PUK", expectedPukIndex: record.puks[expected].index)
    }
}
