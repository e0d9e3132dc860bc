// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabVocabulary
import LocalAuthentication
import PowerAuth2
import PowerAuthShared

/// A completion of the SDK that takes a value or an error.
typealias SDKCallback<Value> = (Value?, (any Error)?) -> Void
/// A completion of the SDK that takes an error or nothing.
typealias SDKCompletion = ((any Error)?) -> Void
/// The task of a request of the SDK; nil when it has ended already.
typealias SDKTask = (any PowerAuthOperationTask)?
/// Takes the outcome of a command, once, on any thread.
typealias CommandReply<Value> = CommandDispatcher<Void>.Reply<Value>

/// What the commands of an app need of its full SDK. SDK 1.9 and 2.0 have most of it in the same words; of what they name or
/// answer differently, each has a few lines of its own (FullSDK+Version1.swift, FullSDK+Version2.swift).
///
/// The members without a description are those of the SDK, which describes them.
protocol FullSDK: AnyObject, Sendable {
    /// What a new activation is made of.
    associatedtype Activation: ActivationData

    /// The part of the configuration that both SDKs have.
    var commonConfiguration: PowerAuthConfiguration { get }

    // MARK: State

    func canStartActivation() -> Bool
    func hasPendingActivation() -> Bool
    func hasValidActivation() -> Bool
    var activationIdentifier: String? { get }
    var activationFingerprint: String? { get }
    var externalPendingOperation: PowerAuthExternalPendingOperation? { get }
    /// The content of the shared memory; nil for an app that shares nothing.
    func sharedState() throws -> SharedStateSnapshot?

    // MARK: Activation

    /// Starts an activation; replies with its result as a scenario sees it.
    func start(_ activation: Activation, _ reply: @escaping CommandReply<CreateActivation.Result>) -> SDKTask
    /// Protects the pending activation and stores it.
    func persist(_ authentication: PowerAuthAuthentication, _ reply: @escaping CommandReply<NoResult>) -> SDKTask
    /// Fetches the status; replies with it as a scenario sees it.
    func fetchStatus(_ reply: @escaping CommandReply<FetchActivationStatus.Result>) -> SDKTask
    func removeActivation(with authentication: PowerAuthAuthentication, callback: @escaping SDKCompletion) -> SDKTask
    func removeActivationLocal()

    // MARK: Factors and signatures

    func validatePassword(password: String, callback: @escaping SDKCompletion) -> SDKTask
    func changePassword(from oldPassword: String, to newPassword: String, callback: @escaping SDKCompletion) -> SDKTask
    func hasBiometryFactor() -> Bool
    func addBiometryFactor(password: String, callback: @escaping SDKCompletion) -> SDKTask
    /// Removes the factor; replies whether it was removed.
    func removeBiometry(_ reply: @escaping CommandReply<Bool>) -> SDKTask
    func authenticateUsingBiometry(withPrompt prompt: String, callback: @escaping SDKCallback<PowerAuthAuthentication>)
    func authenticateUsingBiometry(
        withContext context: LAContext, callback: @escaping SDKCallback<PowerAuthAuthentication>)
    func requestSignature(
        with authentication: PowerAuthAuthentication, method: String, uriId: String, body: Data?
    ) throws -> PowerAuthAuthorizationHttpHeader
    func requestGetSignature(
        with authentication: PowerAuthAuthentication, uriId: String, params: [String: String]?
    ) throws -> PowerAuthAuthorizationHttpHeader
    func offlineSignature(
        with authentication: PowerAuthAuthentication, uriId: String, body: Data?, nonce: String?
    ) throws -> String
    func createSignedCSR(
        with authentication: PowerAuthAuthentication, distinguishedNames: [String: String],
        subjectAltNames: [String]?, callback: @escaping SDKCallback<String>
    ) -> SDKTask

    // MARK: Requests

    var tokenStore: any PowerAuthTokenStore { get }
    var timeSynchronizationService: any PowerAuthTimeSynchronizationService { get }
    func fetchUserInfo(callback: @escaping SDKCallback<PowerAuthUserInfo>) -> SDKTask
    func fetchServerStatus(callback: @escaping SDKCallback<PowerAuthServerStatus>) -> SDKTask
    /// Encrypts the body of a request of the app's own.
    /// - Parameter completion: takes the encrypted request, once, on the main queue.
    func seal(
        _ body: Data?, for scope: SendRequest.Encryption,
        _ completion: @escaping (Result<SealedRequest, any Error>) -> Void)
    func executeBlock(
        onSerialQueue block: @escaping (any PowerAuthOperationTask) -> Void,
        refused: @escaping @Sendable (NSError) -> Void
    ) -> SDKTask

    // MARK: Watch

    func sendActivationStatusToWatch() -> Bool
    func sendActivationStatusToWatch(completion: @escaping SDKCompletion)
}

/// The data of a new activation, which each SDK has as a class of its own.
protocol ActivationData: AnyObject {
    init(activationCode: String, name: String?) throws
    init(identityAttributes: [String: String], name: String?) throws
    init(oidcProviderId providerId: String, code: String, nonce: String, codeVerifier: String?) throws
    @discardableResult func with(activationName: String) -> Self
    @discardableResult func with(extras: String) -> Self
    @discardableResult func with(customAttributes: [String: Any]) -> Self
    @discardableResult func with(additionalActivationOtp: String) -> Self
}

/// An encrypted request of the app's own.
struct SealedRequest: Sendable {
    /// The header that says how it is encrypted.
    let header: (name: String, value: String)
    /// The body to send.
    let body: Data
    /// Decrypts the body of the answer, once.
    let open: @Sendable (Data) throws -> Data
}

extension FullSDK {
    /// The authorization header of a request, as commands answer it.
    func header(
        _ authentication: PowerAuthAuthentication, _ method: RequestMethod, _ uriId: String, _ body: String?
    ) throws -> HTTPHeader {
        try HTTPHeader(
            requestSignature(
                with: authentication, method: method.rawValue, uriId: uriId, body: body.map { Data($0.utf8) }))
    }
}
