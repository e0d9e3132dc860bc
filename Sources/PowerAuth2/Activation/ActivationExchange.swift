import Foundation
import SimulatedDevice
import Synchronization

/// The key exchange of one activation: what is sent, and what is made of the answer (protocol.md, section 6).
///
/// Unchecked: the attributes are a copy that nobody changes; what changes is behind a mutex.
final class ActivationExchange: @unchecked Sendable {
    private let kind: PowerAuthActivation.Kind
    private let code: PowerAuthActivationCode?
    private let identityAttributes: [String: String]
    private let customAttributes: [String: Any]?
    /// Members of the inner request besides the device's public key.
    private let details: [String: String]
    private let state = Mutex(State())

    private struct State {
        var devicePublicKey = ""
        /// Decrypts the inner response, once.
        var decryptor: PowerAuthCoreEciesEncryptor?
    }

    init(_ activation: PowerAuthActivation, sandbox: Sandbox) {
        kind = activation.kind
        code = activation.activationCode
        identityAttributes = activation.identityAttributes
        customAttributes = activation.customAttributes
        var details = [
            "platform": sandbox.device.platform == "watchos" ? "watchOS" : "iOS", "deviceInfo": sandbox.device.model,
        ]
        details["activationName"] = activation.name
        details["extras"] = activation.extras
        details["activationOtp"] = activation.additionalActivationOtp
        self.details = details
    }

    /// Makes the device's key pair and announces the activation to the other applications. Call in a write task; after an
    /// error the session is as it was.
    func start(_ core: PowerAuthCoreSession, session: any SessionInterface) throws {
        guard core.canStartActivation else { throw NSError.powerAuth(.invalidActivationState) }
        let param = PowerAuthCoreActivationStep1Param()
        if let code {
            // The text was parsed before, so it parses again.
            let text = [code.activationCode, code.activationSignature].compactMap { $0 }.joined(separator: "#")
            param.activationCode = PowerAuthCoreOtpUtil.parse(fromActivationCode: text)
        }
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
        state.withLock { $0.devicePublicKey = started.devicePublicKey }
    }

    /// The outer request with the encrypted inner one.
    func requestObject(_ core: PowerAuthCoreSession) throws(NSError) -> [String: Any] {
        guard
            let encryptor = core.eciesEncryptor(for: .application, keys: nil, sharedInfo1: "/pa/activation"),
            case let inner = details.merging(
                ["devicePublicKey": state.withLock { $0.devicePublicKey }], uniquingKeysWith: { $1 }),
            let data = try? JSONSerialization.data(
                withJSONObject: inner, options: [.sortedKeys, .withoutEscapingSlashes]),
            let cryptogram = encryptor.encryptRequest(data)
        else { throw .powerAuth(.encryption, "Failed to encrypt activation data.") }
        state.withLock { $0.decryptor = encryptor }
        var object: [String: Any] = [
            "type": kind.rawValue, "identityAttributes": identityAttributes,
            "activationData": cryptogram.requestPayload(),
        ]
        object["customAttributes"] = customAttributes
        return object
    }

    /// Checks the answer and brings the session to the point where it can be persisted. Call in a write task; after an
    /// error the session is empty.
    func finish(_ core: PowerAuthCoreSession, _ response: RestResponse) throws(NSError) -> PowerAuthActivationResult {
        do throws(NSError) {
            let inner = try decrypt(response.object["activationData"])
            let recovery = (inner["activationRecovery"] as? [String: Any]).map {
                PowerAuthCoreRecoveryData(
                    recoveryCode: $0["recoveryCode"] as? String ?? "", puk: $0["puk"] as? String ?? "")
            }
            let param = PowerAuthCoreActivationStep2Param(
                activationId: inner["activationId"] as? String ?? "",
                serverPublicKey: inner["serverPublicKey"] as? String ?? "",
                ctrData: inner["ctrData"] as? String ?? "", activationRecovery: recovery)
            guard let result = core.validateActivationResponse(param) else {
                throw .powerAuth(.invalidActivationData, "Failed to verify response from the server")
            }
            return PowerAuthActivationResult(
                fingerprint: result.activationFingerprint,
                recovery: recovery.map(PowerAuthActivationRecoveryData.init),
                customAttributes: response.object["customAttributes"] as? [String: Any],
                userInfo: (response.object["userInfo"] as? [String: Any]).map(PowerAuthUserInfo.init(with:)))
        } catch {
            core.resetSession(false)
            throw error
        }
    }

    private func decrypt(_ payload: Any?) throws(NSError) -> [String: Any] {
        let decryptor = state.withLock { state in
            defer { state.decryptor = nil }
            return state.decryptor
        }
        guard let decryptor, let payload, let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: payload),
            let plain = decryptor.decryptResponse(cryptogram),
            let object = (try? JSONSerialization.jsonObject(with: plain)) as? [String: Any]
        else { throw .powerAuth(.encryption, "Failed to decrypt activation data.") }
        return object
    }
}
