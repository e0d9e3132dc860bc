// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The server's half of the key exchange of an activation by code (server.md, section 7.2).
struct KeyExchangeService: Sendable {
    let context: ServiceContext

    /// The exchanged activation and the sealed answer for its device.
    struct Exchanged<Response: Sendable>: Sendable {
        let activation: Activation
        let response: Response
    }

    /// Gives the activation with this code to the device that sent the request.
    ///
    /// Right keys move it to PENDING_COMMIT, or to ACTIVE when its commit phase is the key exchange. A device
    /// key that is no point of the curve removes it (server.md, section 30, item 17).
    /// - Parameters:
    ///   - generatesRecoveryCode: whether a recovery code comes with it, if the application allows that.
    ///   - sealed: the inner layer, application scope.
    /// - Throws: ServiceError in the order of server.md, section 7.2.
    func exchange<Sealed: SealedInnerLayer>(
        activationCode: Identifier?, generatesRecoveryCode: Bool, sealed: Sealed
    ) throws -> Exchanged<Sealed.Layer.Answer> {
        let exchange = try sealed.open(failures: .keyExchange, context: context)
        let application = exchange.applicationVersion.application
        let code = activationCode ?? Identifier.none
        let proof = try OtpProof.prepare(context, otp: exchange.activationOtp, at: .onKeyExchange) {
            try ActivationStore.findCreated($0, application: application, code: code)
        }
        // A code that no activation waits for, or a wrong password, costs no hash of a PUK.
        let recovery =
            generatesRecoveryCode && proof.isPromising && exchange.keyRefusal == nil
            ? try RecoveryDraft.make(context, applicationKey: sealed.applicationKey) : nil

        let activation: Activation = try context.changeKeepingRefusal { change in
            let found = try ActivationStore.findCreated(change.database, application: application, code: code)
            guard var activation = found else {
                return .failure(ServiceError(.activationNotFound, "no activation waits with this code"))
            }
            guard case .created(let expires, _) = activation.lifecycle, try !change.removeIfExpired(&activation) else {
                return .failure(ServiceError(.activationNotFound, "activation \(activation.id) expired"))
            }
            if let refusal = try proof.refusal(of: &activation, at: .onKeyExchange, in: change) {
                return .failure(refusal)
            }
            if let refusal = exchange.keyRefusal {
                activation.lifecycle = .removed(activation.lifecycle.binding)
                try change.save(&activation, previous: .created)
                return .failure(ServiceError(.activationNotFound, refusal))
            }
            let binding = try exchange.bind(&activation, at: change.now)
            // Past the check of the password, its presence means that it was due now and right.
            activation.lifecycle =
                proof.isGiven || activation.otp.commitPhase == .onKeyExchange
                ? .active(binding) : .pendingCommit(binding, expires: expires)
            try change.save(&activation, previous: .created)
            try recovery?.issue(with: activation, policy: context.policy, in: change)
            return .success(activation)
        }
        return Exchanged(
            activation: activation,
            response: try exchange.answer(activation, recovery: recovery?.data, at: context.clock.now()))
    }
}

/// The inner layer of an activation in one generation of the protocol, opened: what the device says about itself, and the
/// answer.
protocol InnerLayer: Sendable {
    associatedtype Answer: Encodable & Sendable

    /// The version of the application that the device has.
    var applicationVersion: ApplicationVersion { get }
    /// The one-time password, as it was sent.
    var activationOtp: String? { get }
    /// Why the device's keys cannot be used; nil for keys that can.
    var keyRefusal: String? { get }

    /// Copies the device's description of itself, and its keys.
    /// - Returns: a binding to the device that starts with a random counter.
    /// - Throws: `activationNotFound` for keys that cannot be used.
    func bind(_ activation: inout Activation, at now: ServerTime) throws -> DeviceBinding

    /// Encrypts the answer for the device.
    /// - Parameter recovery: nil in a protocol without recovery codes.
    /// - Throws: `encryptionFailed` when it cannot be encrypted.
    func answer(_ activation: Activation, recovery: RecoveryData?, at now: ServerTime) throws -> Answer
}

/// The same, as it arrived.
protocol SealedInnerLayer: Sendable {
    associatedtype Layer: InnerLayer

    /// Base64 text of the application key.
    var applicationKey: Identifier { get }
    /// Whether activations of this generation have recovery codes.
    static var hasRecovery: Bool { get }

    /// Decrypts and reads it.
    /// - Throws: ServiceError with the codes of `failures`.
    func open(failures: EnvelopeOpener.Failures, context: ServiceContext) throws -> Layer
}

extension SealedRequest: SealedInnerLayer {
    static var hasRecovery: Bool { true }

    func open(failures: EnvelopeOpener.Failures, context: ServiceContext) throws -> DeviceKeyExchange {
        try DeviceKeyExchange(opening: self, failures: failures, context: context)
    }
}

/// The inner layer of an activation of protocol 3 (server.md, section 7.2; protocol.md, section 6.2).
struct DeviceKeyExchange: InnerLayer {
    let opened: OpenedRequest
    let request: KeyExchangeRequest
    /// The vendor's identifier of the device.
    private let externalId: Identifier?

    var applicationVersion: ApplicationVersion { opened.applicationVersion }
    var activationOtp: String? { request.activationOtp }
    var keyRefusal: String? {
        request.devicePublicKey.key == nil ? "devicePublicKey is not a point of P-256" : nil
    }

    /// Opens and reads the inner layer.
    /// - Throws: as `EnvelopeOpener.openApplication`, `invalidInputFormat` for unreadable JSON, `invalidRequest`
    ///   without device key, or for a text that is too long.
    init(opening sealed: SealedRequest, failures: EnvelopeOpener.Failures, context: ServiceContext) throws {
        opened = try EnvelopeOpener(context: context).openApplication(
            sealed, as: .activationLayer2, failures: failures)
        do {
            request = try JSONBody.decode(KeyExchangeRequest.self, from: opened.plaintext)
        } catch let ProtocolError.missing(field) {
            throw ServiceError(.invalidRequest, "\(field) is missing")
        } catch {
            throw ServiceError(.invalidInputFormat, "inner layer: \(error)")
        }
        externalId = try .named(request.externalId, field: "externalId")
        for (field, text) in [
            ("activationName", request.activationName), ("extras", request.extras), ("platform", request.platform),
            ("deviceInfo", request.deviceInfo),
        ] { try TextLimit.line.check(text, field) }
    }

    func bind(_ activation: inout Activation, at now: ServerTime) throws -> DeviceBinding {
        guard let key = request.devicePublicKey.key else {
            throw ServiceError(.activationNotFound, keyRefusal ?? "")
        }
        activation.name = request.activationName
        activation.externalId = externalId
        activation.extras = request.extras
        activation.platform = request.platform.nonBlank?.lowercased() ?? "unknown"
        activation.deviceInfo = request.deviceInfo
        activation.lastUsed = now
        // The back office may have put back one that a device of protocol 4 has had.
        activation.version4 = nil
        return DeviceBinding(
            devicePublicKey: key.uncompressed, counter: 0, counterData: CounterData.random().rawData, version: 3)
    }

    func answer(_ activation: Activation, recovery: RecoveryData?, at now: ServerTime) throws -> EciesResponse {
        guard let binding = activation.lifecycle.binding else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) has no device")
        }
        return try opened.sealJSON(
            KeyExchangeResponse(
                activationId: activation.id.text, serverPublicKey: PublicKey(encoded: activation.serverPublicKey),
                counter: CounterData(binding.counterData), recovery: recovery), at: now)
    }
}

/// Activations whose user is known before the device comes: initiation and key exchange in one step, without an
/// activation code from outside (server.md, section 7.3).
struct ActivationCreationService: Sendable {
    let context: ServiceContext

    /// Creates an activation for the device that sent the request; it waits for its commit.
    ///
    /// A failure leaves no record. A one-time password, if given, is required at the commit (server.md, section 30,
    /// item 3).
    /// - Parameters:
    ///   - new: the user and the limits; its application is the one of the request's application key.
    ///   - generatesRecoveryCode: whether a recovery code comes with it, if the application allows that.
    ///   - sealed: the inner layer, application scope.
    /// - Throws: `invalidRequest` for the user, `activationCreateFailure` for the limits, `invalidApplication` for the
    ///   application key, `activationExpired` for a device key that is not a point of P-256, `invalidActivationOtp` for
    ///   a one-time password that the device sends too early; the rest as in the key exchange.
    func create<Sealed: SealedInnerLayer>(
        _ new: ActivationService.NewActivation, generatesRecoveryCode: Bool, sealed: Sealed
    ) throws -> KeyExchangeService.Exchanged<Sealed.Layer.Answer> {
        let exchange = try sealed.open(failures: .decryptor, context: context)
        if let refusal = exchange.keyRefusal { throw ServiceError(.activationExpired, refusal) }
        // Before anything costly; `bind` decides.
        try Self.checkOtp(of: exchange, new.otpRequirement)
        var new = new
        new.applicationId = exchange.applicationVersion.application.id
        let prepared = try ActivationService(context: context).prepare(new)
        let recovery =
            generatesRecoveryCode ? try RecoveryDraft.make(context, applicationKey: sealed.applicationKey) : nil
        let activation = try context.change { change in
            let activation = try bind(prepared, exchange, in: change)
            try recovery?.issue(with: activation, policy: context.policy, in: change)
            return activation
        }
        return KeyExchangeService.Exchanged(
            activation: activation,
            response: try exchange.answer(activation, recovery: recovery?.data, at: context.clock.now()))
    }

    /// Inserts the prepared activation and binds it to the device, within one transaction.
    /// - Throws: `invalidActivationOtp` for a one-time password in the inner layer, where none is allowed; as
    ///   `ActivationService.insert`.
    func bind(
        _ prepared: ActivationService.Prepared, _ exchange: some InnerLayer, in change: WriteTransaction
    ) throws -> Activation {
        var activation = try ActivationService(context: context).insert(prepared, in: change).activation
        guard case .created(let expires, _) = activation.lifecycle else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) was not just created")
        }
        try Self.checkOtp(of: exchange, activation.otp)
        let binding = try exchange.bind(&activation, at: change.now)
        activation.lifecycle = .pendingCommit(binding, expires: expires)
        try change.save(&activation, previous: .created)
        return activation
    }

    /// - Throws: `invalidActivationOtp` for a one-time password in the inner layer, where none is allowed.
    static func checkOtp(of exchange: some InnerLayer, _ requirement: OtpRequirement) throws {
        let isGiven = exchange.activationOtp.nonBlank != nil
        guard requirement.check(at: .onKeyExchange, given: isGiven) == .skip else {
            throw ServiceError(.invalidActivationOtp, "no one-time password is expected in the key exchange")
        }
    }
}
