import Foundation
import PowerAuthProtocol

/// Hands the keys of one generic message to the mobile-facing server that received it (server.md, section 11).
///
/// Thread rule: worker threads only; all methods block.
struct EciesDecryptorService: Sendable {
    let context: ServiceContext

    /// What opens one request and seals its answer.
    struct Keys: Sendable {
        let envelope: EciesEnvelope
        /// The base value, 32 bytes; the caller derives the value of each message.
        let sharedInfo2: Data
    }

    /// Derives the keys; a message with a timestamp gets them once.
    /// - Parameter sealed: its encrypted data and code are not read.
    /// - Throws: `decryptionFailed` for an unexpected or missing temporary key, `invalidApplication`,
    ///   `activationNotFound`, `invalidRequest` for a replay, `activationIncorrectState`, `missingTemporaryKey`,
    ///   `noMasterServerKeyPair`.
    func keys(for sealed: SealedRequest) throws -> Keys {
        guard (sealed.envelope.temporaryKeyId != nil) == sealed.version.usesTemporaryKey else {
            throw ServiceError(.decryptionFailed, "temporaryKeyId does not fit version \(sealed.version.rawValue)")
        }
        guard (sealed.envelope.timestamp != nil) == sealed.version.usesTimestamp,
            sealed.envelope.nonce != nil || !sealed.version.usesRequestNonce
        else {
            throw ServiceError(.invalidRequest, "nonce or timestamp does not fit version \(sealed.version.rawValue)")
        }
        return try sealed.activationId.map { try activationKeys(sealed, activationId: $0) } ?? applicationKeys(sealed)
    }

    private func applicationKeys(_ sealed: SealedRequest) throws -> Keys {
        let opener = EnvelopeOpener(context: context)
        let (version, key) = try context.changeKeepingRefusal { change in
            let version = try opener.supportedVersion(change.database, of: sealed, .decryptor)
            try ReplayGuard(policy: context.policy).admit(sealed.envelope, activationId: nil, in: change)
            return EnvelopeOpener.keepingRefusal {
                (version, try opener.applicationPrivateKey(of: version, for: sealed, in: change))
            }
        }
        return Keys(
            envelope: try envelope(sealed, as: .applicationGeneric, privateKey: key),
            sharedInfo2: SharedInfo2.application(version.applicationSecret))
    }

    private func activationKeys(_ sealed: SealedRequest, activationId: Identifier) throws -> Keys {
        let opener = EnvelopeOpener(context: context)
        let (version, activation, binding, temporaryKey) = try context.changeKeepingRefusal { change in
            let version = try opener.supportedVersion(change.database, of: sealed, .decryptor)
            let activation = try change.activation(activationId)
            guard version.application.row == activation.application.row else {
                throw ServiceError(.invalidApplication, "the application key belongs to \(version.application.id)")
            }
            try ReplayGuard(policy: context.policy).admit(sealed.envelope, activationId: activation.id, in: change)
            return EnvelopeOpener.keepingRefusal {
                guard case .active(let binding) = activation.lifecycle else {
                    throw ServiceError(
                        .activationIncorrectState, "activation \(activationId) is \(activation.status.name)")
                }
                let temporary =
                    sealed.version.usesTemporaryKey ? try opener.temporaryKey(change, for: sealed) : nil
                return (version, activation, binding, temporary)
            }
        }
        let transport = try context.keys.keys(of: activation, binding: binding).derived.transport
        return Keys(
            envelope: try envelope(
                sealed, as: .activationGeneric,
                privateKey: temporaryKey ?? context.seal.serverPrivateKey(of: activation)),
            sharedInfo2: SharedInfo2.activation(transport, version.applicationSecret))
    }

    private func envelope(
        _ sealed: SealedRequest, as sharedInfo1: EciesSharedInfo1, privateKey: Data
    ) throws -> EciesEnvelope {
        do {
            return try EciesServerDecryptor(
                parameters: EciesParameters(
                    version: sealed.version, sharedInfo1: sharedInfo1, applicationKey: sealed.applicationKey.text,
                    activationId: sealed.activationId?.text, temporaryKeyId: sealed.envelope.temporaryKeyId),
                serverPrivateKey: PrivateKey(bigEndian: privateKey), sharedInfo2: Data()
            ).envelope(ephemeralPublicKey: sealed.envelope.ephemeralPublicKey)
        } catch {
            throw ServiceError(.decryptionFailed, "\(error)")
        }
    }
}
