// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// An encrypted request as it arrived, with the parameters of its header.
struct SealedRequest: Sendable {
    let version: ProtocolVersion
    /// Base64 text of the application key.
    let applicationKey: Identifier
    /// Nil in application scope.
    let activationId: Identifier?
    let envelope: EciesRequest
}

extension SealedRequest {
    /// Copies the identifiers of a header.
    /// - Throws: `invalidRequest` for a text that is not an identifier.
    init(version: ProtocolVersion, applicationKey: String, activationId: String?, envelope: EciesRequest) throws {
        self.init(
            version: version, applicationKey: try Identifier(applicationKey, field: "application_key"),
            activationId: try activationId.map { try Identifier($0, field: "activation_id") }, envelope: envelope)
    }

    /// The request of the activation that signed it.
    init(_ header: SignatureHeader, envelope: EciesRequest) throws {
        try self.init(
            version: header.version, applicationKey: header.applicationKey, activationId: header.activationId,
            envelope: envelope)
    }
}

/// A decrypted request and the means to answer it.
struct OpenedRequest: Sendable {
    let plaintext: Data
    let applicationVersion: ApplicationVersion
    /// Encrypts exactly one answer.
    let response: EciesResponseEncryptor
    /// The purpose of the envelope.
    let purpose: EciesSharedInfo1

    /// Encrypts the one answer to this request.
    /// - Throws: `encryptionFailed` when it cannot be encrypted.
    func seal(_ answer: Data, at now: ServerTime) throws -> EciesResponse {
        let answer = CurrentPlaintexts.log?.note(response: answer, purpose: purpose) ?? answer
        do {
            return try response.encrypt(answer, timestamp: UInt64(clamping: now.milliseconds))
        } catch {
            throw ServiceError(.encryptionFailed, "\(error)")
        }
    }

    /// Encrypts the one answer to this request as JSON.
    /// - Throws: `encryptionFailed` when it cannot be encoded or encrypted.
    func sealJSON(_ answer: some Encodable, at now: ServerTime) throws -> EciesResponse {
        do {
            return try seal(JSONBody.encode(answer), at: now)
        } catch let error as EncodingError {
            throw ServiceError(.encryptionFailed, "\(error)")
        }
    }
}

/// Decrypts requests of both scopes (server.md, sections 11, 22 and 32.2; protocol.md, section 7.6).
struct EnvelopeOpener: Sendable {
    let context: ServiceContext

    /// The codes by which the callers' documentation reports the same mistakes differently.
    struct Failures: Sendable {
        /// A field that the version requires is absent, or one it forbids is present.
        var wrongFields: ServiceErrorCode
        /// The application key is unknown, or its version is not supported.
        var unknownApplication: ServiceErrorCode

        static let keyExchange = Failures(wrongFields: .invalidRequest, unknownApplication: .activationExpired)
        static let decryptor = Failures(wrongFields: .invalidRequest, unknownApplication: .invalidApplication)
        static let token = Failures(wrongFields: .decryptionFailed, unknownApplication: .invalidApplication)
    }

    /// Opens a request encrypted for the application, before any activation exists.
    /// - Throws: ServiceError: wrong fields, unknown application, `invalidRequest` for a replay, `missingTemporaryKey`
    ///   for a temporary key that is not usable, `noMasterServerKeyPair` without master key, `decryptionFailed` when
    ///   the envelope does not decrypt.
    func openApplication(
        _ sealed: SealedRequest, as sharedInfo1: EciesSharedInfo1, failures: Failures
    ) throws -> OpenedRequest {
        try checkFields(of: sealed, failures)
        let (version, key) = try context.changeKeepingRefusal { change in
            let version = try supportedVersion(change.database, of: sealed, failures)
            try ReplayGuard(policy: context.policy).admit(sealed.envelope, activationId: nil, in: change)
            return Self.keepingRefusal { (version, try applicationPrivateKey(of: version, for: sealed, in: change)) }
        }
        return try open(
            sealed, as: sharedInfo1, privateKey: key, applicationVersion: version,
            sharedInfo2: SharedInfo2.application(version.applicationSecret))
    }

    /// Opens a request encrypted for an active activation.
    /// - Throws: as ``openApplication(_:as:failures:)``, and `activationNotFound` for an unknown activation,
    ///   `activationIncorrectState` for one that is not active, `invalidApplication` for an application key of another
    ///   application; the errors of `admitting` for an active one.
    func openActivation(
        _ sealed: SealedRequest, as sharedInfo1: EciesSharedInfo1, failures: Failures,
        admitting: @escaping (Activation, DeviceBinding) throws -> Void = { _, _ in }
    ) throws -> (opened: OpenedRequest, activation: Activation) {
        try checkFields(of: sealed, failures)
        guard let activationId = sealed.activationId else {
            throw ServiceError(.invalidRequest, "activationId is missing")
        }
        let (version, activation, binding, temporaryKey) = try context.changeKeepingRefusal { change in
            let activation = try change.activation(activationId)
            guard case .active(let binding?) = activation.lifecycle, binding.version < 4 else {
                throw activation.stateRefusal
            }
            try admitting(activation, binding)
            let version = try supportedVersion(change.database, of: sealed, failures)
            guard version.application.row == activation.application.row else {
                throw ServiceError(.invalidApplication, "the application key belongs to \(version.application.id)")
            }
            try ReplayGuard(policy: context.policy).admit(sealed.envelope, activationId: activation.id, in: change)
            return Self.keepingRefusal {
                let temporary = sealed.version.usesTemporaryKey ? try self.temporaryKey(change, for: sealed) : nil
                return (version, activation, binding, temporary)
            }
        }
        let keys = try context.keys.keys(of: activation, binding: binding)
        let opened = try open(
            sealed, as: sharedInfo1, privateKey: temporaryKey ?? context.seal.serverPrivateKey(of: activation),
            applicationVersion: version,
            sharedInfo2: SharedInfo2.activation(keys.derived.transport, version.applicationSecret))
        return (opened, activation)
    }

    private func checkFields(of sealed: SealedRequest, _ failures: Failures) throws {
        do {
            try sealed.envelope.validate(for: sealed.version)
        } catch {
            throw ServiceError(failures.wrongFields, "\(error)")
        }
    }

    func supportedVersion(
        _ database: Database, of sealed: SealedRequest, _ failures: Failures
    ) throws -> ApplicationVersion {
        guard let version = try ApplicationStore.version(database, applicationKey: sealed.applicationKey) else {
            throw ServiceError(failures.unknownApplication, "unknown application key")
        }
        guard version.isSupported else {
            throw ServiceError(
                failures.unknownApplication, "version \(version.id) of \(version.application.id) is unsupported")
        }
        return version
    }

    /// The private key that a request in application scope is encrypted for: temporary from 3.3 on.
    func applicationPrivateKey(
        of version: ApplicationVersion, for sealed: SealedRequest, in change: WriteTransaction
    ) throws -> Data {
        if sealed.version.usesTemporaryKey { return try temporaryKey(change, for: sealed) }
        guard let pair = try ApplicationStore.masterKeyPair(change.database, of: version.application) else {
            throw ServiceError(.noMasterServerKeyPair, "application \(version.application.id)")
        }
        return pair.privateKey
    }

    /// The private key of the temporary key the request names.
    /// - Throws: `missingTemporaryKey` for one that is unknown, expired, or was created for another scope; as
    ///   ``RecordSeal/open(_:of:publicKey:)``.
    func temporaryKey(_ change: WriteTransaction, for sealed: SealedRequest) throws -> Data {
        guard let id = sealed.envelope.temporaryKeyId.flatMap(Identifier.init(_:)),
            let key = try TemporaryKeyPairStore.find(change.database, id: id)
        else { throw ServiceError(.missingTemporaryKey, "no temporary key with this identifier") }
        guard key.expires >= change.now else { throw ServiceError(.missingTemporaryKey, "temporary key \(id) expired") }
        guard key.suite == nil, key.applicationKey == sealed.applicationKey, key.activationId == sealed.activationId
        else { throw ServiceError(.missingTemporaryKey, "temporary key \(id) belongs to another scope or protocol") }
        return try context.seal.open(key.privateKey, of: .temporaryKey(id: key.id), publicKey: nil)
    }

    private func open(
        _ sealed: SealedRequest, as sharedInfo1: EciesSharedInfo1, privateKey: Data,
        applicationVersion: ApplicationVersion, sharedInfo2: Data
    ) throws -> OpenedRequest {
        do {
            let parameters = EciesParameters(
                version: sealed.version, sharedInfo1: sharedInfo1, applicationKey: sealed.applicationKey.text,
                activationId: sealed.activationId?.text, temporaryKeyId: sealed.envelope.temporaryKeyId)
            let decryptor = EciesServerDecryptor(
                parameters: parameters, serverPrivateKey: try PrivateKey(bigEndian: privateKey),
                sharedInfo2: sharedInfo2)
            let (plaintext, response) = try decryptor.decrypt(sealed.envelope)
            CurrentPlaintexts.log?.note(request: plaintext, purpose: sharedInfo1)
            return OpenedRequest(
                plaintext: plaintext, applicationVersion: applicationVersion, response: response, purpose: sharedInfo1)
        } catch {
            throw ServiceError(.decryptionFailed, "\(error)")
        }
    }

    /// Turns a refusal after the replay check into a value, so that the unique value stays written.
    static func keepingRefusal<Value>(_ body: () throws -> Value) -> Result<Value, ServiceError> {
        do {
            return .success(try body())
        } catch let error as ServiceError {
            return .failure(error)
        } catch {
            return .failure(ServiceError(.unknownError, "\(error)"))
        }
    }
}

/// Hands the keys of one generic message to the mobile-facing server that received it (server.md, section 11).
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
                guard case .active(let binding?) = activation.lifecycle, binding.version < 4 else {
                    throw activation.stateRefusal
                }
                let temporary = sealed.version.usesTemporaryKey ? try opener.temporaryKey(change, for: sealed) : nil
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
