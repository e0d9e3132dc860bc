// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// An encrypted request of protocol 4 as it arrived, with the names of its header.
struct SealedRequestV4: Sendable {
    /// Base64 text of the application key.
    let applicationKey: Identifier
    /// Nil in application scope.
    let activationId: Identifier?
    let envelope: AeadRequest
}

extension SealedRequestV4 {
    /// The keys of an envelope.
    static let envelopeKeys: Set<String> = ["temporaryKeyId", "encryptedData", "nonce", "timestamp"]

    /// Reads the encryption header and the envelope of a device request.
    /// - Throws: `decryptionFailed` for a header that is missing, of another version or of the other scope; the error of
    ///   an incomplete body. The caller's code hides both.
    init(deviceRequest request: ServerRequest, scope: EciesScope) throws {
        let header: AeadHeader
        do {
            header = try AeadHeader(parsing: request.header(EncryptionHeader.name), scope: scope)
        } catch {
            throw ServiceError(.decryptionFailed, "\(error)")
        }
        try self.init(
            applicationKey: header.applicationKey, activationId: header.activationId, body: request.body)
    }

    /// Reads the envelope of a request whose authorization header names the activation.
    /// - Throws: the error of an incomplete body.
    init(_ header: AuthenticationHeader, body: Data) throws {
        try self.init(applicationKey: header.applicationKey, activationId: header.activationId, body: body)
    }

    private init(applicationKey: String, activationId: String?, body: Data) throws {
        self.init(
            applicationKey: try Identifier(applicationKey, field: "application_key"),
            activationId: try .named(activationId, field: "activation_id"),
            envelope: try StrictJSON.decode(AeadRequest.self, from: body, keys: Self.envelopeKeys))
    }
}

/// A decrypted request of protocol 4 and the means to answer it.
struct OpenedRequestV4: Sendable {
    let plaintext: Data
    let applicationVersion: ApplicationVersion
    /// Encrypts exactly one answer.
    let response: AeadResponseEncryptor
    let purpose: AeadPurpose

    /// Encrypts the one answer to this request.
    /// - Throws: `encryptionFailed` when it cannot be encrypted.
    func seal(_ answer: Data, at now: ServerTime) throws -> AeadResponse {
        let answer = CurrentPlaintexts.log?.note(response: answer, purpose: purpose.sharedInfo1) ?? answer
        do {
            return try response.encrypt(answer, timestamp: UInt64(clamping: now.milliseconds))
        } catch {
            throw ServiceError(.encryptionFailed, "\(error)")
        }
    }

    /// Encrypts the one answer to this request as JSON.
    /// - Throws: `encryptionFailed` when it cannot be encoded or encrypted.
    func sealJSON(_ answer: some Encodable, at now: ServerTime) throws -> AeadResponse {
        do {
            return try seal(JSONBody.encode(answer), at: now)
        } catch let error as EncodingError {
            throw ServiceError(.encryptionFailed, "\(error)")
        }
    }
}

extension AeadPurpose {
    /// The purpose as the traffic journal knows those of both generations.
    var sharedInfo1: EciesSharedInfo1 { EciesSharedInfo1(rawValue: rawValue) }
}

/// Decrypts requests of protocol 4 in both scopes (protocol-4.md, section 7).
struct EnvelopeOpenerV4: Sendable {
    let context: ServiceContext

    /// Opens a request encrypted for the application, before any activation of protocol 4 exists.
    /// - Throws: ServiceError: `invalidApplication`, `invalidRequest` for a replay or another time,
    ///   `missingTemporaryKey` for a temporary key that is not usable, `decryptionFailed` when it does not decrypt.
    func openApplication(_ sealed: SealedRequestV4, as purpose: AeadPurpose) throws -> OpenedRequestV4 {
        let (version, secret) = try context.changeKeepingRefusal { change in
            let version = try supportedVersion(of: sealed, in: change)
            try ReplayGuard(policy: context.policy).admit(sealed.envelope, in: change)
            return EnvelopeOpener.keepingRefusal { (version, try temporarySecret(of: sealed, in: change)) }
        }
        return try open(sealed, as: purpose, version) { applicationSecret in
            AeadParameters(
                purpose: purpose, applicationKey: sealed.applicationKey.text, applicationSecret: applicationSecret,
                temporaryKeyId: sealed.envelope.temporaryKeyId, secret: secret)
        }
    }

    /// Opens a request encrypted for an activation.
    /// - Parameter admitting: throws for an activation that may not send such a request.
    /// - Throws: as ``openApplication(_:as:)``, and `activationNotFound` for an unknown activation,
    ///   `activationIncorrectState` for one without keys of protocol 4, `invalidApplication` for an application key of
    ///   another application; the errors of `admitting`.
    func openActivation(
        _ sealed: SealedRequestV4, as purpose: AeadPurpose,
        admitting: @escaping (Activation, Version4Record) throws -> Void = EnvelopeOpenerV4.requireConfirmed
    ) throws -> (opened: OpenedRequestV4, activation: Activation) {
        guard let activationId = sealed.activationId else {
            throw ServiceError(.invalidRequest, "activationId is missing")
        }
        let (version, activation, record, secret) = try context.changeKeepingRefusal { change in
            let activation = try change.activation(activationId)
            guard let record = activation.version4 else { throw activation.stateRefusal }
            try admitting(activation, record)
            let version = try supportedVersion(of: sealed, in: change)
            guard version.application.row == activation.application.row else {
                throw ServiceError(.invalidApplication, "the application key belongs to \(version.application.id)")
            }
            try ReplayGuard(policy: context.policy).admit(sealed.envelope, in: change)
            return EnvelopeOpener.keepingRefusal {
                (version, activation, record, try temporarySecret(of: sealed, in: change))
            }
        }
        let key = try context.seal.secrets(of: activation, record).keys.utility.sharedInfo2
        let opened = try open(sealed, as: purpose, version) { applicationSecret in
            AeadParameters(
                purpose: purpose, applicationKey: sealed.applicationKey.text, applicationSecret: applicationSecret,
                activationId: activationId.text, key: key, temporaryKeyId: sealed.envelope.temporaryKeyId,
                secret: secret)
        }
        return (opened, activation)
    }

    /// Admits an active activation of protocol 4 that its device has confirmed.
    /// - Throws: `activationIncorrectState` for any other.
    static func requireConfirmed(_ activation: Activation, _ record: Version4Record) throws {
        guard activation.status == .active, activation.isConfirmedV4 else { throw activation.stateRefusal }
    }

    /// - Throws: `invalidApplication` for an unknown application key, or one of a version that is not supported.
    private func supportedVersion(
        of sealed: SealedRequestV4, in change: WriteTransaction
    ) throws -> ApplicationVersion {
        guard let version = try change.findVersion(applicationKey: sealed.applicationKey), version.isSupported else {
            throw ServiceError(.invalidApplication, "application key is unknown or its version unsupported")
        }
        return version
    }

    /// The secret of the temporary key that the request names.
    /// - Throws: `missingTemporaryKey` for one that is unknown, expired, or was made for another scope or protocol.
    private func temporarySecret(
        of sealed: SealedRequestV4, in change: WriteTransaction
    ) throws -> TemporaryKeySecret {
        guard let id = Identifier(sealed.envelope.temporaryKeyId),
            let key = try TemporaryKeyPairStore.find(change.database, id: id)
        else { throw ServiceError(.missingTemporaryKey, "no temporary key with this identifier") }
        guard key.expires >= change.now else { throw ServiceError(.missingTemporaryKey, "temporary key \(id) expired") }
        guard key.suite != nil, key.applicationKey == sealed.applicationKey, key.activationId == sealed.activationId
        else { throw ServiceError(.missingTemporaryKey, "temporary key \(id) belongs to another scope or protocol") }
        return try TemporaryKeySecret(context.seal.secret(key.privateKey, of: .temporaryKey(id: key.id)))
    }

    private func open(
        _ sealed: SealedRequestV4, as purpose: AeadPurpose, _ version: ApplicationVersion,
        parameters: (ApplicationSecretKey) -> AeadParameters
    ) throws -> OpenedRequestV4 {
        do {
            let secret = try ApplicationSecretKey(StrictBase64.decode(version.applicationSecret) ?? Data())
            let (plaintext, response) = try AeadServerDecryptor(parameters: parameters(secret)).decrypt(sealed.envelope)
            CurrentPlaintexts.log?.note(request: plaintext, purpose: purpose.sharedInfo1)
            return OpenedRequestV4(
                plaintext: plaintext, applicationVersion: version, response: response, purpose: purpose)
        } catch {
            throw ServiceError(.decryptionFailed, "\(error)")
        }
    }
}
