import Foundation
import PowerAuthProtocol

/// The server's half of the key exchange of an activation by code (server.md, section 7.2).
///
/// All methods block; call them on worker threads.
struct KeyExchangeService: Sendable {
    let context: ServiceContext

    /// What the device tells about itself in the inner layer; unknown keys are ignored.
    private struct DeviceRequest: Decodable {
        var devicePublicKey: String?
        var activationName: String?
        var externalId: String?
        var extras: String?
        var platform: String?
        var deviceInfo: String?
        var activationOtp: String?
    }

    /// What the device learns in the inner layer.
    private struct DeviceAnswer: Encodable {
        let activationId: String
        let serverPublicKey: String
        let ctrData: String
        @ExplicitNull var activationRecovery: RecoveryAnswer?
    }

    /// A recovery code that came with the activation.
    private struct RecoveryAnswer: Encodable {
        let recoveryCode: String
        let puk: String
    }

    /// The exchanged activation and the sealed answer for its device.
    struct Exchanged: Sendable {
        let activation: Activation
        let response: EciesResponse
    }

    /// Gives the activation with this code to the device that sent the request.
    ///
    /// Right keys move it to PENDING_COMMIT, or to ACTIVE when its commit phase is the key exchange. A device
    /// key that is no point of the curve removes it (section 30, item 17).
    /// - Parameters:
    ///   - activationCode: the code the user entered.
    ///   - sealed: the inner layer, application scope.
    /// - Throws: ServiceError in the order of section 7.2.
    func exchange(activationCode: String?, sealed: SealedRequest) throws -> Exchanged {
        let opened = try EnvelopeOpener(context: context).openApplication(
            sealed, as: .activationLayer2, failures: .keyExchange)
        let request: DeviceRequest
        do {
            request = try JSONDecoder().decode(DeviceRequest.self, from: opened.plaintext)
        } catch {
            throw ServiceError(.invalidInputFormat, "inner layer: \(error)")
        }
        guard let devicePublicKey = request.devicePublicKey.nonBlank else {
            throw ServiceError(.invalidRequest, "devicePublicKey is missing")
        }
        let application = opened.applicationVersion.application
        let code = activationCode ?? ""
        let proof = try OtpProof.prepare(context, otp: request.activationOtp) {
            try ActivationStore.findCreated($0, application: application, code: code)
        }
        let deviceKey = StrictBase64.decode(devicePublicKey).flatMap { try? PublicKey(encoded: $0) }

        let activation: Activation = try context.changeKeepingRefusal { change in
            let found = try ActivationStore.findCreated(change.database, application: application, code: code)
            guard var activation = found else {
                return .failure(ServiceError(.activationNotFound, "no activation waits with this code"))
            }
            guard case .created(let expires) = activation.lifecycle, try !change.removeIfExpired(&activation) else {
                return .failure(ServiceError(.activationNotFound, "activation \(activation.id) expired"))
            }
            if let refusal = try proof.refusal(of: &activation, at: .onKeyExchange, in: change) {
                return .failure(refusal)
            }
            guard let deviceKey else {
                activation.lifecycle = .removed(nil)
                try change.save(&activation, previous: .created)
                return .failure(ServiceError(.activationNotFound, "devicePublicKey is not a point of P-256"))
            }
            let binding = DeviceBinding(
                devicePublicKey: deviceKey.uncompressed, counter: 0, counterData: CounterData.random().rawData,
                version: 3)
            // Past the check of the password, its presence means that it was due now and right.
            activation.lifecycle =
                proof.isGiven || activation.otp.commitPhase == .onKeyExchange
                ? .active(binding) : .pendingCommit(binding, expires: expires)
            activation.name = request.activationName
            activation.externalId = request.externalId
            activation.extras = request.extras
            activation.platform = request.platform.nonBlank?.lowercased() ?? "unknown"
            activation.deviceInfo = request.deviceInfo
            activation.lastUsed = change.now
            try change.save(&activation, previous: .created)
            return .success(activation)
        }
        return Exchanged(activation: activation, response: try answer(activation, to: opened))
    }

    private func answer(_ activation: Activation, to opened: OpenedRequest) throws -> EciesResponse {
        guard let binding = activation.lifecycle.binding else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) has no device")
        }
        let answer = DeviceAnswer(
            activationId: activation.id, serverPublicKey: StrictBase64.encode(activation.serverPublicKey),
            ctrData: StrictBase64.encode(binding.counterData), activationRecovery: nil)
        return try opened.sealJSON(answer, at: context.clock.now())
    }
}
