// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2

extension PowerAuthActivation: ActivationData {}

extension PowerAuthSDK: FullSDK {
    var commonConfiguration: PowerAuthConfiguration { configuration }

    func start(_ activation: PowerAuthActivation, _ reply: @escaping CommandReply<CreateActivation.Result>) -> SDKTask {
        createActivation(activation) { result, error in
            reply(Outcome.of(result.map(CreateActivation.Result.init), error))
        }
    }

    func persist(_ authentication: PowerAuthAuthentication, _ reply: @escaping CommandReply<NoResult>) -> SDKTask {
        reply(
            Result {
                try persistActivation(with: authentication)
                return NoResult()
            })
        return nil
    }

    func fetchStatus(_ reply: @escaping CommandReply<FetchActivationStatus.Result>) -> SDKTask {
        fetchActivationStatus { (status: PowerAuthActivationStatus?, error: (any Error)?) in
            reply(
                Outcome.of(
                    status.map { status in
                        FetchActivationStatus.Result {
                            $0.state = FetchActivationStatus.State(status.state)
                            $0.failCount = Int(status.failCount)
                            $0.maxFailCount = Int(status.maxFailCount)
                            $0.remainingAttempts = Int(status.remainingAttempts)
                            $0.customObject = status.customObject.map([String: JSONValue].init(propertyList:))
                        }
                    }, error))
        }
    }

    func removeBiometry(_ reply: @escaping CommandReply<Bool>) -> SDKTask {
        reply(.success(removeBiometryFactor()))
        return nil
    }

    func seal(
        _ body: Data?, for scope: SendRequest.Encryption,
        _ completion: @escaping (Result<SealedRequest, any Error>) -> Void
    ) {
        let then = { (encryptor: PowerAuthCoreEciesEncryptor?, error: (any Error)?) in
            guard let encryptor else { return completion(.failure(error ?? NSError.powerAuth(.encryption))) }
            encryptor.encryptRequest(body) { cryptogram, decryptor in
                guard let cryptogram, let decryptor, let metaData = decryptor.associatedMetaData,
                    let body = try? JSONSerialization.data(withJSONObject: cryptogram.requestPayload())
                else {
                    return completion(.failure(NSError.powerAuth(.encryption, "The request cannot be encrypted.")))
                }
                completion(
                    .success(
                        SealedRequest(
                            header: (metaData.httpHeaderKey, metaData.httpHeaderValue), body: body,
                            open: { try decryptor.opened($0) })))
            }
        }
        switch scope {
        case .application: eciesEncryptorForApplicationScope(callback: then)
        case .activation: eciesEncryptorForActivationScope(callback: then)
        }
    }
}

extension PowerAuthCoreEciesEncryptor {
    /// The plain body of an answer.
    fileprivate func opened(_ body: Data) throws -> Data {
        guard let payload = try? JSONSerialization.jsonObject(with: body),
            let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: payload),
            let plaintext = decryptResponse(cryptogram)
        else { throw NSError.powerAuth(.encryption, "The answer cannot be decrypted.") }
        return plaintext
    }
}

extension CreateActivation.Result {
    fileprivate init(_ result: PowerAuthActivationResult) {
        self.init {
            $0.activationFingerprint = result.activationFingerprint
            $0.activationRecovery = result.activationRecovery.map(RecoveryDescription.init)
            $0.customAttributes = result.customAttributes.map([String: JSONValue].init(propertyList:))
            $0.userInfo = result.userInfo.map { [String: JSONValue](propertyList: $0.allClaims) }
        }
    }
}
