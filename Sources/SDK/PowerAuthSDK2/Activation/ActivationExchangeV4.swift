// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthCore
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import Synchronization

/// The key exchange of one activation of protocol 4 (protocol-4.md, section 8).
///
/// Unchecked: the attributes are a copy that is never changed; mutable state is behind a mutex.
final class ActivationExchangeV4: KeyExchange, @unchecked Sendable {
    static let endpoint = RestEndpoint.createActivationV4

    static func userInfo(of outcome: PowerAuthActivationResult) -> PowerAuthUserInfo? { outcome.userInfo }

    private struct State {
        /// The inner request with the device's keys.
        var request: KeyExchangeRequestV4?
        /// The session with the device's keys.
        var begun: ActivationSnapshot?
        /// Decrypts the inner response, once.
        var decryptor: RequestEncryptorV4?
    }

    /// The outer answer, as far as it is a message of the protocol.
    private struct Answer: Decodable { let activationData: AeadResponse }

    private let identity: ActivationIdentity
    private let code: PowerAuthActivationCode?
    private let customAttributes: [String: Any]?
    private let name: String?
    private let extras: String?
    private let otp: String?
    private let device: DeviceInformation
    private let state = Mutex(State())

    init(_ activation: PowerAuthActivation, sandbox: Sandbox) {
        identity = activation.base.identity
        code = activation.activationCode
        customAttributes = activation.customAttributes
        name = activation.name
        extras = activation.extras
        otp = activation.additionalActivationOtp
        device = sandbox.device
    }

    var begun: ActivationSnapshot? { state.withLock { $0.begun } }

    func start(_ core: PowerAuthCoreSession, session: any SessionInterface) throws {
        guard core.canStartActivation else { throw NSError.powerAuth(.invalidActivationState) }
        guard isSigned(core) else { throw NSError.powerAuth(.invalidActivationData) }
        var request = try sdkError { try core.startActivationV4() }
        request.activationName = name
        request.activationOtp = otp
        request.platform = device.platform == "watchos" ? "watchOS" : "iOS"
        request.deviceInfo = device.model
        request.extras = extras
        try announce(core, session: session)
        let (made, begun) = (request, core.activationSnapshot)
        state.withLock { state in
            state.request = made
            state.begun = begun
        }
    }

    /// A code need not be signed. One that is, is signed by the master key of protocol 3: that of a hybrid suite has no
    /// room in a code (docs/protocol-4.md).
    private func isSigned(_ core: PowerAuthCoreSession) -> Bool {
        guard let code, let text = code.activationSignature else { return true }
        guard let signature = Data(base64Encoded: text) else { return false }
        return core.verifyServerSignedData(
            PowerAuthCoreSignedData(
                signingDataKey: .ecdsa_MasterServerKey, data: Data(code.activationCode.utf8), signature: signature))
    }

    func requestObject(_ core: PowerAuthCoreSession) throws(NSError) -> [String: Any] {
        // The answer could be for no activation.
        guard isPending(in: core), let request = state.withLock({ $0.request }) else {
            throw .powerAuth(.operationCancelled)
        }
        do {
            let encryptor = try core.requestEncryptorV4(for: .activationLayer2, keys: nil)
            let inner = try encryptor.encryptRequest(JSONEncoder().encode(request))
            state.withLock { $0.decryptor = encryptor }
            var object: [String: Any] = [
                "type": identity.type, "identityAttributes": identity.attributes,
                "activationData": try RestRequest.object(inner),
            ]
            object["customAttributes"] = customAttributes
            return object
        } catch {
            throw .powerAuth(.encryption, "Failed to encrypt activation data.", underlying: error)
        }
    }

    func finish(_ core: PowerAuthCoreSession, _ response: RestResponse) throws(NSError) -> PowerAuthActivationResult {
        do throws(NSError) {
            let answer = try innerResponse(response)
            guard let fingerprint = try? core.validateActivationResponseV4(answer) else {
                throw .powerAuth(.invalidActivationData, "Failed to verify response from the server")
            }
            return PowerAuthActivationResult(
                fingerprint: fingerprint, customAttributes: response.object["customAttributes"] as? [String: Any],
                userInfo: (response.object["userInfo"] as? [String: Any]).map(PowerAuthUserInfo.init(with:)))
        } catch {
            core.resetSession(false)
            throw error
        }
    }

    private func innerResponse(_ response: RestResponse) throws(NSError) -> KeyExchangeResponseV4 {
        let decryptor = state.withLock { state in
            defer { state.decryptor = nil }
            return state.decryptor
        }
        guard let decryptor, let outer = try? response.decode(Answer.self),
            let plain = try? decryptor.decryptResponse(outer.activationData)
        else { throw .powerAuth(.encryption, "Failed to decrypt activation data.") }
        guard let inner = try? JSONDecoder().decode(KeyExchangeResponseV4.self, from: plain) else {
            throw .powerAuth(.invalidActivationData, "Failed to verify response from the server")
        }
        return inner
    }
}
