// SPDX-License-Identifier: Apache-2.0

package import Foundation
import PowerAuthProtocol
package import PowerAuthShared
import SimulatedDevice
import Synchronization

/// The key exchange of one activation: the request, and the handling of the answer. That of protocol 3 is
/// ``ActivationExchange``; the SDK that is based on this one has another.
package protocol KeyExchange: Sendable {
    /// What the application learns of the answer.
    associatedtype Outcome: Sendable

    /// The resource that is asked.
    static var endpoint: RestEndpoint { get }
    /// The claims about the user that came with an answer.
    static func userInfo(of outcome: Outcome) -> PowerAuthUserInfo?

    /// The session with the keys of this exchange; nil before it has begun.
    var begun: ActivationSnapshot? { get }

    /// Makes the device's keys and announces the activation to the other applications. Call in a write task; after an
    /// error the session is as it was.
    func start(_ core: PowerAuthCoreSession, session: any SessionInterface) throws
    /// The outer request with the encrypted inner one.
    func requestObject(_ core: PowerAuthCoreSession) throws(NSError) -> [String: Any]
    /// Checks the answer and brings the session to the point where it can be persisted. Call in a write task; after an
    /// error the session is empty.
    func finish(_ core: PowerAuthCoreSession, _ response: RestResponse) throws(NSError) -> Outcome
}

extension KeyExchange {
    /// Announces the activation, whose keys the session has; without the announcement it forgets them.
    package func announce(_ core: PowerAuthCoreSession, session: any SessionInterface) throws {
        do {
            try session.startExternalPendingOperation(.activation)
        } catch {
            core.resetSession(false)
            throw error
        }
    }

    /// Empties the session if this exchange is pending: the next one may have begun meanwhile.
    package func abandon(in session: any SessionInterface) {
        session.writeVoidTask { core in
            if core.hasPendingActivation, isPending(in: core) { core.resetSession(false) }
        }
    }

    /// Whether the session has the keys of this exchange.
    package func isPending(in core: PowerAuthCoreSession) -> Bool {
        guard let begun else { return false }
        return begun.change(until: core.activationSnapshot) == nil
    }
}

/// The key exchange of protocol 3 (protocol.md, section 6).
///
/// Unchecked: the attributes are a copy that is never changed; mutable state is behind a mutex.
final class ActivationExchange: KeyExchange, @unchecked Sendable {
    static let endpoint = RestEndpoint.createActivation

    static func userInfo(of outcome: PowerAuthActivationResult) -> PowerAuthUserInfo? { outcome.userInfo }

    var begun: ActivationSnapshot? { state.withLock { $0.begun } }

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

    func start(_ core: PowerAuthCoreSession, session: any SessionInterface) throws {
        guard core.canStartActivation else { throw NSError.powerAuth(.invalidActivationState) }
        let param = PowerAuthCoreActivationStep1Param(activationCode: code?.parsed)
        guard let started = core.startActivation(param) else {
            core.resetSession(false)
            throw NSError.powerAuth(.invalidActivationData)
        }
        try announce(core, session: session)
        state.withLock { state in
            state.devicePublicKey = started.devicePublicKey
            state.begun = core.activationSnapshot
        }
    }

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
