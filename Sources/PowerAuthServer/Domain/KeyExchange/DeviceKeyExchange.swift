import Foundation
import PowerAuthProtocol

/// The inner layer of any activation: what the device tells, and what it is answered
/// (server.md, section 7.2; protocol.md, section 6.2).
struct DeviceKeyExchange: Sendable {
    /// What the device tells about itself; unknown keys are ignored.
    struct Request: Decodable, Sendable {
        var devicePublicKey: String?
        var activationName: String?
        var externalId: String?
        var extras: String?
        var platform: String?
        var deviceInfo: String?
        var activationOtp: String?
    }

    /// What the device learns.
    private struct Answer: Encodable {
        let activationId: String
        let serverPublicKey: String
        let ctrData: String
        @ExplicitNull var activationRecovery: RecoveryData?
    }

    let opened: OpenedRequest
    let request: Request
    /// Nil when what the device sent is no point of P-256.
    let devicePublicKey: PublicKey?

    /// Opens and reads the inner layer.
    /// - Throws: as `EnvelopeOpener.openApplication`, ERR0011 for unreadable JSON, ERR0024 without device key.
    init(opening sealed: SealedRequest, failures: EnvelopeOpener.Failures, context: ServiceContext) throws {
        opened = try EnvelopeOpener(context: context).openApplication(
            sealed, as: .activationLayer2, failures: failures)
        do {
            request = try JSONDecoder().decode(Request.self, from: opened.plaintext)
        } catch {
            throw ServiceError(.invalidInputFormat, "inner layer: \(error)")
        }
        guard let text = request.devicePublicKey.nonBlank else {
            throw ServiceError(.invalidRequest, "devicePublicKey is missing")
        }
        devicePublicKey = StrictBase64.decode(text).flatMap { try? PublicKey(encoded: $0) }
    }

    /// A binding to the device that starts with a random counter.
    func binding(to devicePublicKey: PublicKey) -> DeviceBinding {
        DeviceBinding(
            devicePublicKey: devicePublicKey.uncompressed, counter: 0, counterData: CounterData.random().rawData,
            version: 3)
    }

    /// Copies what the device told about itself.
    func describe(_ activation: inout Activation, at now: ServerTime) {
        activation.name = request.activationName
        activation.externalId = request.externalId
        activation.extras = request.extras
        activation.platform = request.platform.nonBlank?.lowercased() ?? "unknown"
        activation.deviceInfo = request.deviceInfo
        activation.lastUsed = now
    }

    /// Encrypts the answer for the device.
    /// - Parameters:
    ///   - activation: it has a device.
    ///   - recovery: the recovery code that comes with it.
    /// - Throws: ERR0017 when it cannot be encrypted.
    func answer(_ activation: Activation, recovery: RecoveryData?, at now: ServerTime) throws -> EciesResponse {
        guard let binding = activation.lifecycle.binding else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) has no device")
        }
        return try opened.sealJSON(
            Answer(
                activationId: activation.id, serverPublicKey: StrictBase64.encode(activation.serverPublicKey),
                ctrData: StrictBase64.encode(binding.counterData), activationRecovery: recovery),
            at: now)
    }
}
