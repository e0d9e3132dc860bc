// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// The life of an activation as the back office drives it (server.md, sections 7 and 20).
struct ActivationService: Sendable {
    let context: ServiceContext

    struct NewActivation: Sendable {
        var userId: Identifier?
        var applicationId: Identifier?
        /// Nil means the policy's validity from now on; a past moment expires at once.
        var expires: ServerTime?
        var maxFailureCount: Int?
        var otpValidation: OtpValidationMode?
        var commitPhase: CommitPhase?
        var otp: String?
        var flags: [Identifier] = []

        /// What it will expect of a one-time password, as far as the phase goes: the password stands for its hash.
        var otpRequirement: OtpRequirement {
            OtpRequirement(mode: otpValidation ?? .none, commitPhase: commitPhase ?? .onCommit, hash: otp.nonBlank)
        }
    }

    /// A new activation with the proof that its code comes from this server.
    struct Initiated: Sendable {
        let activation: Activation
        /// DER ECDSA signature of the code by the master key.
        let codeSignature: Data
    }

    /// A new activation whose request was checked and whose keys and hashes were made.
    struct Prepared: Sendable {
        var new: NewActivation
        let userId: Identifier
        let applicationId: Identifier
        let otpHash: String?
        let serverKey: PrivateKey
    }

    /// Creates an activation and the code that starts it (server.md, section 7.1).
    func initiate(_ new: NewActivation) throws -> Initiated {
        let prepared = try prepare(new)
        return try context.change { try insert(prepared, in: $0) }
    }

    /// Does what is slow about a new activation, before the write lock is taken.
    /// - Throws: `invalidRequest` for the user, `noApplicationId` without application.
    func prepare(_ new: NewActivation) throws -> Prepared {
        guard let userId = new.userId.nonBlank else {
            throw ServiceError(.invalidRequest, "userId must have 1 to 255 characters")
        }
        guard let applicationId = new.applicationId.nonBlank else {
            throw ServiceError(.noApplicationId, "applicationId is missing")
        }
        try ListChange.check(new.flags)
        // A hash is costly: what would be refused anyway is refused before. The transaction checks again.
        _ = try context.read { try checked(new, of: applicationId, $0) }
        return Prepared(
            new: new, userId: userId, applicationId: applicationId,
            otpHash: try new.otp.nonBlank.map(context.hashing.make), serverKey: try PrivateKey.generate())
    }

    private func checked(
        _ new: NewActivation, of applicationId: Identifier, _ database: Database
    ) throws -> (application: Application, masterKeyPair: MasterKeyPair, maxFailures: Int) {
        let application = try ApplicationStore.required(database, id: applicationId)
        let maxFailures = new.maxFailureCount ?? context.policy.maxFailedAttempts
        guard maxFailures > 0 else {
            throw ServiceError(.activationCreateFailure, "maxFailureCount \(maxFailures) is not positive")
        }
        guard new.otpRequirement.mode == .none || (new.commitPhase == nil && new.otp.nonBlank != nil) else {
            throw ServiceError(
                .invalidRequest, "activationOtpValidation needs an activationOtp and excludes commitPhase")
        }
        let masterKeyPair = try ApplicationStore.requiredMasterKeyPair(database, of: application)
        return (application, masterKeyPair, maxFailures)
    }

    /// Creates a prepared activation within a transaction.
    func insert(_ prepared: Prepared, in change: WriteTransaction) throws -> Initiated {
        let new = prepared.new
        let (application, masterKeyPair, maxFailures) = try checked(new, of: prepared.applicationId, change.database)
        let attempts = context.policy.generationAttempts
        let id = try Identifiers.firstFree(
            attempts: attempts, orThrow: .unableToGenerateActivationId, draw: Identifiers.uuid
        ) { try ActivationStore.exists(change.database, id: $0) }
        let code = try Identifiers.firstFree(
            attempts: attempts, orThrow: .unableToGenerateActivationCode, draw: ActivationCode.generate
        ) { try ActivationStore.existsCode(change.database, application: application, code: $0.text) }
        let serverKey = prepared.serverKey
        let sealedKey = try context.seal.seal(
            serverKey.bigEndian, of: .serverKey(userId: prepared.userId, activationId: id))
        let activation = Activation(
            id: id, application: application, masterKeyPairRow: masterKeyPair.row, userId: prepared.userId,
            lifecycle: .created(expires: new.expires ?? change.now.advanced(by: context.policy.activationValidity)),
            code: code.text,
            otp: OtpRequirement(
                mode: new.otpRequirement.mode, commitPhase: new.commitPhase ?? .onCommit, hash: prepared.otpHash),
            flags: Set(new.flags).sorted(), serverPrivateKey: sealedKey,
            serverPublicKey: serverKey.publicKey.uncompressed, failedAttempts: 0,
            maxFailedAttempts: maxFailures, created: change.now, lastUsed: change.now, lastChange: change.now)
        try change.insert(activation)
        return Initiated(activation: activation, codeSignature: try Self.codeSignature(code, by: masterKeyPair))
    }

    /// Signs an activation code.
    /// - Throws: `incorrectMasterServerKeyPair` when the stored master key does not decode.
    static func codeSignature(_ code: ActivationCode, by masterKeyPair: MasterKeyPair) throws -> Data {
        do {
            return try code.signature(by: PrivateKey(bigEndian: masterKeyPair.privateKey))
        } catch {
            throw ServiceError(.incorrectMasterServerKeyPair, "master key pair \(masterKeyPair.row): \(error)")
        }
    }

    /// Confirms a key exchange, after which the device's signatures count (server.md, section 7.6).
    func commit(activationId: Identifier?, otp: String?, externalUserId: Identifier?) throws -> Activation {
        let id = try Self.required(activationId)
        let proof = try OtpProof.prepare(context, otp: otp, at: .onCommit) {
            try ActivationStore.find($0, id: id).flatMap { $0.status == .pendingCommit ? $0 : nil }
        }
        return try context.changeKeepingRefusal { change in
            var activation = try change.activation(id)
            if try change.removeIfExpired(&activation) || activation.status == .removed {
                return .failure(ServiceError(.activationExpired, "activation \(id) is removed"))
            }
            guard case .pendingCommit(let binding, _) = activation.lifecycle else { throw activation.stateRefusal }
            if let refusal = try proof.refusal(of: &activation, at: .onCommit, in: change) { return .failure(refusal) }
            guard activation.otp.mode.phase ?? activation.otp.commitPhase == .onCommit else {
                return .failure(ServiceError(.activationIncorrectState, "activation \(id) is not committed by a call"))
            }
            activation.lifecycle = .active(binding)
            try change.save(&activation, previous: .pendingCommit, externalUserId: externalUserId)
            return .success(activation)
        }
    }

    /// Blocks an active activation; blocking a blocked one changes nothing (server.md, section 7.8).
    func block(activationId: Identifier?, reason: String?, externalUserId: Identifier?) throws -> Activation {
        let id = try Self.required(activationId)
        try TextLimit.line.check(reason, "reason")
        return try context.change { change in
            var activation = try change.activation(id)
            switch activation.lifecycle {
            case .blocked: break
            case .active(let binding):
                activation.lifecycle = .blocked(binding, reason: reason.nonBlank ?? BlockedReason.notSpecified)
                try change.save(&activation, previous: .active, externalUserId: externalUserId)
            default: throw activation.stateRefusal
            }
            return activation
        }
    }

    /// Makes a blocked activation active again and forgets its failures (server.md, section 7.8).
    func unblock(activationId: Identifier?, externalUserId: Identifier?) throws -> Activation {
        let id = try Self.required(activationId)
        return try context.change { change in
            var activation = try change.activation(id)
            switch activation.lifecycle {
            case .active where activation.version4?.block != nil:
                activation.forgetFailures()
                try change.save(&activation, previous: .active, externalUserId: externalUserId)
            case .active: break
            case .blocked(let binding, _):
                activation.lifecycle = .active(binding)
                activation.forgetFailures()
                try change.save(&activation, previous: .blocked, externalUserId: externalUserId)
            default: throw activation.stateRefusal
            }
            return activation
        }
    }

    /// Removes an activation in any state (server.md, section 7.8). Removing a removed one changes nothing.
    /// - Parameter revokeRecoveryCodes: whether its recovery codes are revoked, too.
    func remove(
        activationId: Identifier?, externalUserId: Identifier?, revokeRecoveryCodes: Bool = false
    ) throws -> Activation {
        let id = try Self.required(activationId)
        return try context.change { change in
            var activation = try change.activation(id)
            let previous = activation.status
            if revokeRecoveryCodes { try RecoveryStore.revokeAll(change.database, ofActivation: id, at: change.now) }
            guard previous != .removed else { return activation }
            activation.lifecycle = .removed(activation.lifecycle.binding)
            try change.save(&activation, previous: previous, externalUserId: externalUserId)
            return activation
        }
    }

    /// The activations of a user, newest first; expired ones are removed on the way (server.md, section 7.9).
    /// - Throws: `invalidRequest` without user or for a bad page.
    func list(
        userId: Identifier?, applicationId: Identifier?, protocols: [ActivationProtocol] = [],
        statuses: [ActivationState], page: Int?, pageSize: Int?
    ) throws -> [Activation] {
        guard let userId else { throw ServiceError(.invalidRequest, "userId is missing") }
        let size = pageSize ?? context.policy.pageSize
        let (offset, overflow) = (page ?? 0).multipliedReportingOverflow(by: size)
        guard size > 0, offset >= 0, !overflow else {
            throw ServiceError(.invalidRequest, "pageNumber must not be negative and pageSize must be positive")
        }
        // Every activation here is one of PowerAuth's own protocol.
        guard protocols.isEmpty || protocols.contains(.powerauth) else { return [] }
        let filter = ActivationStore.Filter(
            userId: userId, applicationId: applicationId, statuses: statuses, offset: offset, limit: size)
        let found = try context.read { try ActivationStore.list($0, filter) }
        let now = context.clock.now()
        guard found.contains(where: { $0.lifecycle.expires.map { now > $0 } ?? false }) else { return found }
        return try context.change { change in
            try ActivationStore.list(change.database, filter).map { activation in
                var activation = activation
                _ = try change.removeIfExpired(&activation)
                return activation
            }
        }
    }

    /// The saved changes of an activation between two moments, newest first (server.md, section 7.10).
    /// - Throws: `invalidRequest` without identifier.
    func history(activationId: Identifier?, from: ServerTime?, to: ServerTime?) throws -> [ActivationStore.HistoryItem]
    {
        let id = try Self.required(activationId)
        guard let from, let to else { return [] }
        return try context.read { try ActivationStore.history($0, activationId: id, from: from, to: to) }
    }

    static func required(_ activationId: Identifier?) throws -> Identifier {
        guard let activationId else { throw ServiceError(.invalidRequest, "activationId is missing") }
        return activationId
    }
}
