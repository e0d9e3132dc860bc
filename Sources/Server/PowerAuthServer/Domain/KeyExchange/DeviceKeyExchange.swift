import Foundation
import PowerAuthProtocol

/// The inner layer of any activation: the device's data, and the answer (server.md, section 7.2; protocol.md, section
/// 6.2).
struct DeviceKeyExchange: Sendable {
    let opened: OpenedRequest
    let request: KeyExchangeRequest
    /// The vendor's identifier of the device.
    private let externalId: Identifier?
    /// Nil if the device did not send a point of P-256.
    var devicePublicKey: PublicKey? { request.devicePublicKey.key }

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

    /// A binding to the device that starts with a random counter.
    func binding(to devicePublicKey: PublicKey) -> DeviceBinding {
        DeviceBinding(
            devicePublicKey: devicePublicKey.uncompressed, counter: 0, counterData: CounterData.random().rawData,
            version: 3)
    }

    /// Copies the device's description of itself.
    func describe(_ activation: inout Activation, at now: ServerTime) {
        activation.name = request.activationName
        activation.externalId = externalId
        activation.extras = request.extras
        activation.platform = request.platform.nonBlank?.lowercased() ?? "unknown"
        activation.deviceInfo = request.deviceInfo
        activation.lastUsed = now
    }

    /// Encrypts the answer for the device.
    /// - Parameters:
    ///   - activation: it has a device.
    ///   - recovery: the recovery code that comes with it.
    /// - Throws: `encryptionFailed` when it cannot be encrypted.
    func answer(_ activation: Activation, recovery: RecoveryData?, at now: ServerTime) throws -> EciesResponse {
        guard let binding = activation.lifecycle.binding else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) has no device")
        }
        return try opened.sealJSON(
            KeyExchangeResponse(
                activationId: activation.id.text, serverPublicKey: PublicKey(encoded: activation.serverPublicKey),
                counter: CounterData(binding.counterData), recovery: recovery),
            at: now)
    }
}
