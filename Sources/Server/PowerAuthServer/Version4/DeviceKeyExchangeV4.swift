// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Both halves of the keys of an activation of protocol 4, as its creation and the start of an upgrade make them
/// (protocol-4.md, sections 3, 8 and 14).
struct SuiteExchange: Sendable {
    /// What the device gets for its request.
    let response: SharedSecretResponse
    /// The counter that the activation starts with.
    let counter: HashBasedCounter
    private let secret: ActivationSecret
    private let deviceKeys: EncodedSuiteKeys
    private let serverKeys: SuitePrivateKeys
    /// Why the device's public keys cannot be used; nil for keys that can.
    let keyRefusal: String?

    /// Agrees on the secret, and makes the server's keys.
    /// - Throws: `unsupportedAlgorithm` for a suite that the application does not have, `invalidRequest` for another
    ///   number of keys, or unusable ones.
    init(_ request: SharedSecretRequest, deviceKeys: EncodedSuiteKeys, application: Application) throws {
        let suite = try application.suite(named: request.algorithm)
        let (response, secret) = try TemporaryKeyServiceV4.answer(request, suite)
        self.response = response
        self.secret = secret.converted(to: KeyPurpose.ActivationSecret.self)
        self.deviceKeys = deviceKeys
        serverKeys = try SuitePrivateKeys.generate(suite: suite)
        counter = .random()
        do {
            _ = try SuitePublicKeys(deviceKeys, suite: suite)
            keyRefusal = nil
        } catch {
            keyRefusal = "devicePublicKeys: \(error)"
        }
    }

    /// The server's public keys, for the device.
    var serverPublicKeys: EncodedSuiteKeys { serverKeys.publicKeys.encoded }

    /// What is stored of an activation.
    /// - Throws: `genericCryptographyError` for lack of memory.
    func record(of activation: Activation, hasBiometry: Bool, _ seal: RecordSeal) throws -> Version4Record {
        do {
            return Version4Record(
                suiteName: serverKeys.suite.name, deviceKeys: deviceKeys, serverKeys: serverPublicKeys,
                serverPrivateKeys: try seal.seal(
                    secret: serverKeys.encoded(), of: .suiteKeys(activationId: activation.id)),
                secrets: try seal.seal(
                    ActivationSecrets(activation: secret, hasBiometry: hasBiometry), activationId: activation.id))
        } catch let error as ProtocolError {
            throw ServiceError(.genericCryptographyError, "\(error)")
        }
    }

    /// A binding to the device, whose counter begins.
    var binding: DeviceBinding {
        DeviceBinding(devicePublicKey: deviceKeys.ecdsa, counter: 0, counterData: counter.rawData, version: 4)
    }
}

/// The inner layer of an activation of protocol 4 (protocol-4.md, section 8).
struct DeviceKeyExchangeV4: InnerLayer {
    private let opened: OpenedRequestV4
    private let request: KeyExchangeRequestV4
    private let exchange: SuiteExchange
    private let seal: RecordSeal

    var applicationVersion: ApplicationVersion { opened.applicationVersion }
    var activationOtp: String? { request.activationOtp }
    var keyRefusal: String? { exchange.keyRefusal }

    /// Opens and reads the inner layer, and does what is slow about the exchange.
    /// - Throws: as ``EnvelopeOpenerV4/openApplication(_:as:)``, `invalidInputFormat` for unreadable JSON,
    ///   `invalidRequest` for a text that is too long; as ``SuiteExchange``.
    init(opening sealed: SealedRequestV4, context: ServiceContext) throws {
        opened = try EnvelopeOpenerV4(context: context).openApplication(sealed, as: .activationLayer2)
        do {
            request = try JSONBody.decode(KeyExchangeRequestV4.self, from: opened.plaintext)
        } catch {
            throw ServiceError(.invalidInputFormat, "inner layer: \(error)")
        }
        for (field, text) in [
            ("activationName", request.activationName), ("extras", request.extras), ("platform", request.platform),
            ("deviceInfo", request.deviceInfo),
        ] { try TextLimit.line.check(text, field) }
        exchange = try SuiteExchange(
            request.sharedSecretRequest, deviceKeys: request.devicePublicKeys,
            application: opened.applicationVersion.application)
        seal = context.seal
    }

    /// Biometry is on or off from the confirmation on, which says so.
    func bind(_ activation: inout Activation, at now: ServerTime) throws -> DeviceBinding {
        if let keyRefusal { throw ServiceError(.activationNotFound, keyRefusal) }
        activation.name = request.activationName
        activation.externalId = nil
        activation.extras = request.extras
        activation.platform = request.platform.nonBlank?.lowercased() ?? "unknown"
        activation.deviceInfo = request.deviceInfo
        activation.lastUsed = now
        var record = try exchange.record(of: activation, hasBiometry: false, seal)
        record.isConfirmationPending = true
        activation.version4 = record
        return exchange.binding
    }

    func answer(_ activation: Activation, recovery: RecoveryData?, at now: ServerTime) throws -> AeadResponse {
        try opened.sealJSON(
            KeyExchangeResponseV4(
                sharedSecretResponse: exchange.response, serverPublicKeys: exchange.serverPublicKeys,
                activationId: activation.id.text, counter: exchange.counter), at: now)
    }
}

extension SealedRequestV4: SealedInnerLayer {
    static var hasRecovery: Bool { false }

    func open(failures: EnvelopeOpener.Failures, context: ServiceContext) throws -> DeviceKeyExchangeV4 {
        try DeviceKeyExchangeV4(opening: self, context: context)
    }
}
