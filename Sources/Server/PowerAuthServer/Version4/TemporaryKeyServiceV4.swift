// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthPostQuantum
import PowerAuthProtocol

/// Agrees on the secrets that requests of protocol 4 are encrypted with (protocol-4.md, section 6).
struct TemporaryKeyServiceV4: Sendable {
    let context: ServiceContext

    private struct Names: Sendable {
        let applicationKey: Identifier
        let activationId: Identifier?
    }

    /// The parties of an authenticated request.
    private struct Agreement {
        /// The algorithms of the exchange.
        let suite: CryptographySuite
        let application: Application
        /// Nil in application scope.
        var activation: Activation?
    }

    /// Answers a request with the server's half of the exchange, signed by every algorithm of the suite.
    /// - Parameters:
    ///   - jwt: the request in compact serialization.
    ///   - address: where the device is; nil for one behind a mobile-facing server.
    /// - Throws: `invalidRequest` for a request that cannot be read, has a wrong code, or keys of another suite;
    ///   `unsupportedAlgorithm` for a suite that the application does not have, `invalidApplication` for the
    ///   application, `activationNotFound` for an activation without keys of protocol 4.
    func create(jwt: String, address: String? = nil) throws -> JWS {
        let received: TemporaryKeyRequestV4.Received
        do {
            received = try TemporaryKeyRequestV4.Received(jwt: jwt)
        } catch {
            throw ServiceError(.invalidRequest, "temporary-key request: \(error)")
        }
        let request = received.request
        let names = Names(
            applicationKey: try Identifier(request.applicationKey, field: "applicationKey"),
            activationId: try .named(request.activationId, field: "activationId"))
        // An unauthenticated request uses neither keys nor the only writer.
        let agreement = try context.read { try authenticate(received, names, in: $0) }
        let signer = try signer(of: agreement)
        let (answer, secret) = try Self.answer(request.sharedSecretRequest, agreement.suite)
        let keyId = Identifiers.uuid()
        let issued = try context.change { change in
            _ = try authenticate(received, names, in: change.database)
            try TemporaryKeyService(context: context).store(
                TemporaryKeyPair(
                    id: keyId, applicationKey: names.applicationKey, activationId: names.activationId, address: address,
                    privateKey: context.seal.seal(secret: secret.secretBytes, of: .temporaryKey(id: keyId)),
                    expires: change.now.advanced(by: context.policy.temporaryKeyValidity),
                    suite: agreement.suite.name), in: change)
            return change.now
        }
        let expires = issued.advanced(by: context.policy.temporaryKeyValidity)
        return try TemporaryKeyResponseV4(
            to: request, keyId: keyId.text, sharedSecretResponse: answer,
            issuedAt: UInt64(clamping: issued.milliseconds), expiresAt: UInt64(clamping: expires.milliseconds)
        ).jws(keys: signer)
    }

    /// The server's half of an exchange.
    /// - Throws: `invalidRequest` for another suite, another number of keys, or unusable ones.
    static func answer(
        _ request: SharedSecretRequest, _ suite: CryptographySuite
    ) throws -> (response: SharedSecretResponse, secret: Key256<KeyPurpose.SharedSecret>) {
        do {
            return try SharedSecretServer.answer(request, suite: suite)
        } catch {
            throw ServiceError(.invalidRequest, "sharedSecretRequest: \(error)")
        }
    }

    /// What the answer is signed with: the server keys of the activation, or the master keys.
    /// - Throws: as ``RecordSeal/serverKeys(of:_:)`` and ``MasterKeysV4/privateKeys(_:)``.
    private func signer(of agreement: Agreement) throws -> SuitePrivateKeys {
        guard let activation = agreement.activation, let record = activation.version4 else {
            return try context.masterKeysV4(of: agreement.application).privateKeys(agreement.suite)
        }
        return try context.seal.serverKeys(of: activation, record)
    }

    /// Verifies the request's code with the key of its scope.
    private func authenticate(
        _ received: TemporaryKeyRequestV4.Received, _ names: Names, in database: Database
    ) throws -> Agreement {
        guard let version = try ApplicationStore.version(database, applicationKey: names.applicationKey),
            version.isSupported
        else { throw ServiceError(.invalidApplication, "application key is unknown or its version unsupported") }
        let key: TemporaryKeyRequestV4.Key
        let agreement: Agreement
        if let activationId = names.activationId {
            let activation = try ActivationStore.required(database, id: activationId)
            // In any state: the status is encrypted, and a device has to learn that its activation has ended.
            guard let record = activation.version4, activation.status != .created,
                activation.application.row == version.application.row
            else {
                throw ServiceError(
                    .activationNotFound,
                    "activation \(activationId) has no keys of protocol 4, or is of another application")
            }
            key = try context.seal.secrets(of: activation, record).keys.utility.temporaryKeyRequest
            agreement = Agreement(suite: record.suite, application: version.application, activation: activation)
        } else {
            let secret = try ApplicationSecretKey(StrictBase64.decode(version.applicationSecret) ?? Data())
            key = TemporaryKeyRequestV4.key(secret)
            agreement = Agreement(
                suite: try version.application.suite(named: received.request.sharedSecretRequest.algorithm),
                application: version.application)
        }
        guard received.isAuthentic(key: key) else {
            throw ServiceError(.invalidRequest, "the code of the temporary-key request does not match")
        }
        return agreement
    }
}

extension Key256 {
    /// The bytes in memory that is wiped, for storage.
    var secretBytes: SecretBytes {
        SecretBytes(count: 32) { output in withUnsafeBytes { output.copyMemory(from: $0) } }
    }
}
