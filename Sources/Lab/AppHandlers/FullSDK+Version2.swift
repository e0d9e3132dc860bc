// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2
import PowerAuthSDK2
import PowerAuthShared

// Both SDKs have classes of these names, so each is written with its module.

extension PowerAuthSDK2.PowerAuthActivation: ActivationData {}

extension PowerAuthSDK2.PowerAuthSDK: FullSDK {
    var commonConfiguration: PowerAuthShared.PowerAuthConfiguration { base.configuration }

    func sharedState() throws -> SharedStateSnapshot? { try base.sharedState() }

    func start(
        _ activation: PowerAuthSDK2.PowerAuthActivation, _ reply: @escaping CommandReply<CreateActivation.Result>
    ) -> SDKTask {
        createActivation(activation) { result, error in
            reply(
                Outcome.of(
                    result.map { result in
                        CreateActivation.Result {
                            $0.activationFingerprint = result.activationFingerprint
                            $0.customAttributes = result.customAttributes.map([String: JSONValue].init(propertyList:))
                            $0.userInfo = result.userInfo.map { [String: JSONValue](propertyList: $0.allClaims) }
                        }
                    }, error))
        }
    }

    func persist(_ authentication: PowerAuthAuthentication, _ reply: @escaping CommandReply<NoResult>) -> SDKTask {
        persistActivation(with: authentication) { reply(Outcome.of($0)) }
    }

    func fetchStatus(_ reply: @escaping CommandReply<FetchActivationStatus.Result>) -> SDKTask {
        fetchActivationStatus { status, error in
            reply(
                Outcome.of(
                    status.map { status in
                        FetchActivationStatus.Result {
                            $0.state = FetchActivationStatus.State(status.state)
                            $0.failCount = Int(status.failCount)
                            $0.maxFailCount = Int(status.maxFailCount)
                            $0.remainingAttempts = Int(status.remainingAttempts)
                            $0.customObject = status.customObject.map([String: JSONValue].init(propertyList:))
                            $0.isProtocolUpgradeAvailable = status.isProtocolUpgradeAvailable
                            $0.isAlgorithmSupported = status.isAlgorithmSupported
                        }
                    }, error))
        }
    }

    func removeBiometry(_ reply: @escaping CommandReply<Bool>) -> SDKTask {
        removeBiometryFactor { error in reply(Outcome.of(error == nil ? true : nil, error)) }
    }

    func requestSignature(
        with authentication: PowerAuthAuthentication, method: String, uriId: String, body: Data?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        try requestAuthenticationCode(with: authentication, method: method, uriId: uriId, body: body)
    }

    func requestGetSignature(
        with authentication: PowerAuthAuthentication, uriId: String, params: [String: String]?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        try requestGetAuthenticationCode(with: authentication, uriId: uriId, params: params)
    }

    func offlineSignature(
        with authentication: PowerAuthAuthentication, uriId: String, body: Data?, nonce: String?
    ) throws -> String {
        try offlineAuthenticationCode(with: authentication, uriId: uriId, body: body, nonce: nonce)
    }

    func seal(
        _ body: Data?, for scope: SendRequest.Encryption,
        _ completion: @escaping (Result<SealedRequest, any Error>) -> Void
    ) {
        let then = { (encryptor: PowerAuthEncryptor?, error: (any Error)?) in
            completion(
                Outcome.of(encryptor, error).flatMap { encryptor in
                    Result {
                        SealedRequest(
                            header: (encryptor.headerName, encryptor.headerValue),
                            body: try encryptor.encryptRequest(body ?? Data()),
                            open: { try encryptor.decryptResponse($0) })
                    }
                })
        }
        switch scope {
        case .application: encryptorForApplicationScope(callback: then)
        case .activation: encryptorForActivationScope(callback: then)
        }
    }

    func executeBlock(
        onSerialQueue block: @escaping (any PowerAuthOperationTask) -> Void,
        refused: @escaping @Sendable (NSError) -> Void
    ) -> SDKTask { base.executeBlock(onSerialQueue: block, refused: refused) }
}

extension PowerAuthSDK2.PowerAuthConfiguration {
    /// The configuration that a topology gives to an app; what it leaves open comes from the lab's own server.
    /// - Parameter server: where the lab's server listens; asked only when the topology leaves something open.
    convenience init(_ spec: PowerAuthSpec, server: () throws -> ServerReady) throws {
        let common = try PowerAuthShared.PowerAuthConfiguration(spec, server: server)
        // The server's own text for SDK 1.9 lacks the master keys of protocol 4.
        let keys = try spec.configuration ?? server().configurationV4 ?? common.configuration
        self.init(instanceId: common.instanceId, baseEndpointUrl: common.baseEndpointUrl, configuration: keys)
        sharingConfiguration = common.sharingConfiguration
        // Both enumerations have the vendor's words.
        if let algorithm = spec.algorithm.flatMap({ PowerAuthAlgorithm(rawValue: $0.rawValue) }) {
            self.algorithm = algorithm
        }
    }
}
