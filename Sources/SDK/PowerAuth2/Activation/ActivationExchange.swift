// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import SimulatedDevice
import Synchronization

/// The key exchange of one activation: the request, and the handling of the answer (protocol.md, section 6).
///
/// Unchecked: the attributes are a copy that is never changed; mutable state is behind a mutex.
final class ActivationExchange: @unchecked Sendable {
    private let identity: ActivationIdentity
    private let code: PowerAuthActivationCode?
    private let customAttributes: [String: Any]?
    private let name: String?
    private let extras: String?
    private let otp: String?
    private let device: DeviceInformation
    private let state = Mutex(State())

    private struct State {
        /// Base64.
        var devicePublicKey = ""
        /// The session with the device's key pair.
        var begun: ActivationSnapshot?
        /// Decrypts the inner response, once.
        var decryptor: PowerAuthCoreEciesEncryptor?
    }

    /// Data between applications and their servers: JSON that is passed on unchanged, outside the typed messages.
    private struct ApplicationJSON: Codable {}

    init(_ activation: PowerAuthActivation, sandbox: Sandbox) {
        identity = activation.identity
        code = activation.activationCode
        customAttributes = activation.customAttributes
        name = activation.name
        extras = activation.extras
        otp = activation.additionalActivationOtp
        device = sandbox.device
    }

    /// Makes the device's key pair and announces the activation to the other applications. Call in a write task; after an
    /// error the session is as it was.
    func start(_ core: PowerAuthCoreSession, session: any SessionInterface) throws {
        guard core.canStartActivation else { throw NSError.powerAuth(.invalidActivationState) }
        let param = PowerAuthCoreActivationStep1Param(activationCode: code?.parsed)
        guard let started = core.startActivation(param) else {
            core.resetSession(false)
            throw NSError.powerAuth(.invalidActivationData)
        }
        do {
            try session.startExternalPendingOperation(.activation)
        } catch {
            core.resetSession(false)
            throw error
        }
        state.withLock { state in
            state.devicePublicKey = started.devicePublicKey
            state.begun = core.activationSnapshot
        }
    }

    /// Empties the session if this exchange is pending: the next one may have begun meanwhile.
    func abandon(in session: any SessionInterface) {
        session.writeVoidTask { core in
            if core.hasPendingActivation, isPending(in: core) { core.resetSession(false) }
        }
    }

    private func isPending(in core: PowerAuthCoreSession) -> Bool {
        guard let begun = state.withLock({ $0.begun }) else { return false }
        return begun.change(until: core.activationSnapshot) == nil
    }

    /// The outer request with the encrypted inner one.
    func requestObject(_ core: PowerAuthCoreSession) throws(NSError) -> [String: Any] {
        // The answer could be for no activation.
        guard isPending(in: core) else { throw .powerAuth(.operationCancelled) }
        guard
            let encryptor = core.eciesEncryptor(for: .application, keys: nil, sharedInfo1: "/pa/activation"),
            let data = try? innerRequest(), let cryptogram = encryptor.encryptRequest(data)?.request,
            let outer = try? JSONEncoder().encode(
                ActivationRequest<ApplicationJSON>(identity: identity, activationData: cryptogram)),
            var object = (try? JSONSerialization.jsonObject(with: outer)) as? [String: Any]
        else { throw .powerAuth(.encryption, "Failed to encrypt activation data.") }
        state.withLock { $0.decryptor = encryptor }
        object["customAttributes"] = customAttributes
        return object
    }

    private func innerRequest() throws -> Data {
        let request = KeyExchangeRequest(
            devicePublicKey: try SentPublicKey(text: state.withLock { $0.devicePublicKey }, field: "devicePublicKey"),
            activationName: name, extras: extras, activationOtp: otp,
            platform: device.platform == "watchos" ? "watchOS" : "iOS", deviceInfo: device.model)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(request)
    }

    /// Checks the answer and brings the session to the point where it can be persisted. Call in a write task; after an
    /// error the session is empty.
    func finish(_ core: PowerAuthCoreSession, _ response: RestResponse) throws(NSError) -> PowerAuthActivationResult {
        do throws(NSError) {
            let inner = try innerResponse(response)
            let recovery = inner.recovery.map {
                PowerAuthCoreRecoveryData(recoveryCode: $0.code.text, puk: $0.puk.text)
            }
            let param = PowerAuthCoreActivationStep2Param(
                activationId: inner.activationId, serverPublicKey: StrictBase64.encode(inner.serverPublicKey),
                ctrData: StrictBase64.encode(inner.counter.rawData), activationRecovery: recovery)
            guard let result = core.validateActivationResponse(param) else { throw Self.unusableResponse }
            return PowerAuthActivationResult(
                fingerprint: result.activationFingerprint, recovery: recovery.map(PowerAuthActivationRecoveryData.init),
                customAttributes: response.object["customAttributes"] as? [String: Any],
                userInfo: (response.object["userInfo"] as? [String: Any]).map(PowerAuthUserInfo.init(with:)))
        } catch {
            core.resetSession(false)
            throw error
        }
    }

    private func innerResponse(_ response: RestResponse) throws(NSError) -> KeyExchangeResponse {
        let decryptor = state.withLock { state in
            defer { state.decryptor = nil }
            return state.decryptor
        }
        let undecryptable = NSError.powerAuth(.encryption, "Failed to decrypt activation data.")
        guard let decryptor, let body = try? JSONSerialization.data(withJSONObject: response.object),
            let outer = try? JSONDecoder().decode(
                ActivationResponse<ApplicationJSON, ApplicationJSON>.self, from: body),
            let plain = decryptor.decryptResponse(PowerAuthCoreEciesCryptogram(outer.activationData)),
            (try? JSONDecoder().decode([String: ApplicationJSON].self, from: plain)) != nil
        else { throw undecryptable }
        do {
            return try JSONDecoder().decode(KeyExchangeResponse.self, from: plain)
        } catch {
            throw Self.unusableResponse
        }
    }

    private static var unusableResponse: NSError {
        .powerAuth(.invalidActivationData, "Failed to verify response from the server")
    }
}
