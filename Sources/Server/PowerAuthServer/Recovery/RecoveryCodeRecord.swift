// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Where a recovery code is in its life (server.md, section 14.5).
enum RecoveryCodeStatus: Int, CaseIterable, Sendable {
    case created = 1
    case active = 2
    case blocked = 3
    case revoked = 4
}

/// Whether a PUK can still be spent.
enum RecoveryPukStatus: Int, CaseIterable, Sendable {
    case valid = 1
    case used = 2
    case invalid = 3
}

/// One recovery code of a user, with its PUKs.
struct RecoveryCodeRecord: Sendable {
    /// One PUK; the digits are known to the user only.
    struct Puk: Sendable {
        /// Counted from 1.
        let index: Int
        /// See ``OtpHash``.
        let hash: String
        var status: RecoveryPukStatus
    }

    let row: Int64
    let applicationId: Identifier
    let userId: Identifier
    /// The activation it was issued with; nil for a postcard.
    let activationId: Identifier?
    let code: String
    var status: RecoveryCodeStatus
    var failedAttempts: Int
    let maxFailedAttempts: Int
    /// In the order of their indexes.
    var puks: [Puk]

    /// The only form that answers show: the last five characters.
    var masked: String { Self.masked(code) }

    /// The PUK that must be shown next.
    var expectedPuk: Puk? { puks.first { $0.status == .valid } }

    static func masked(_ code: String) -> String { "XXXXX-XXXXX-XXXXX-" + code.suffix(5) }
}

/// The recovery settings of an application, with the keys of its postcards (server.md, section 14.2).
struct RecoveryConfiguration: Sendable {
    var isActivationRecoveryEnabled = false
    var isPostcardEnabled = false
    var allowsMultipleCodes = false
    /// The server's key for postcards; made when postcards are first enabled. Big-endian scalar.
    var postcardPrivateKey: StoredSecret?
    /// Uncompressed point.
    var postcardPublicKey: Data?
    /// The printer's key, uncompressed point.
    var remotePublicKey: Data?
}

/// A recovery code that was drawn and whose PUK was hashed before the transaction that issues it: the slow
/// hash must not hold the write lock.
struct RecoveryDraft: Sendable {
    /// Sent to the device once.
    let data: RecoveryData
    let pukHash: String

    /// Draws a code with one PUK.
    static func make(_ hashing: OtpHashing) throws -> RecoveryDraft {
        let seed = try RecoverySeed.generate()
        let puk = try seed.puk(index: Random.bytes(8))
        return RecoveryDraft(data: RecoveryData(code: seed.code, puk: puk), pukHash: try hashing.make(puk.text))
    }

    /// Draws a code for a device of the application, if the application allows recovery at all.
    static func make(_ context: ServiceContext, applicationKey: Identifier) throws -> RecoveryDraft? {
        let isEnabled = try context.read { database in
            guard let version = try ApplicationStore.version(database, applicationKey: applicationKey) else {
                return false
            }
            return try RecoveryStore.configuration(database, of: version.application)?
                .isActivationRecoveryEnabled ?? false
        }
        return isEnabled ? try make(context.hashing) : nil
    }

    /// Issues the code with an activation: usable once the activation is.
    /// - Throws: `unableToGenerateRecoveryCode` when the code is taken, whose chance is one in 2⁸⁰.
    func issue(with activation: Activation, policy: ServerPolicy, in change: WriteTransaction) throws {
        guard
            try RecoveryStore.find(
                change.database, application: activation.application, code: Identifier(known: data.code.text)) == nil
        else { throw ServiceError(.unableToGenerateRecoveryCode, "recovery code collision") }
        _ = try RecoveryStore.insert(
            change.database, application: activation.application, userId: activation.userId,
            activationId: activation.id, code: data.code.text,
            status: activation.status == .active ? .active : .created,
            maxFailedAttempts: policy.recoveryMaxFailedAttempts, pukHashes: [pukHash], at: change.now)
    }
}
