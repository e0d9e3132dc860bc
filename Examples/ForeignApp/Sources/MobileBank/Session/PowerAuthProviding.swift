// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2

/// What the bank needs of PowerAuth. The app sees this protocol only, so its tests use a mock.
public protocol PowerAuthProviding: AnyObject {
    var activationIdentifier: String? { get }
    var activationFingerprint: String? { get }

    func canStartActivation() -> Bool
    func hasPendingActivation() -> Bool
    func hasValidActivation() -> Bool
    func hasBiometryFactor() -> Bool

    @discardableResult
    func createActivation(
        _ activation: PowerAuthActivation, callback: @escaping (PowerAuthActivationResult?, Error?) -> Void
    ) -> PowerAuthOperationTask?
    func persistActivation(with authentication: PowerAuthAuthentication) throws
    func removeActivationLocal()
    @discardableResult
    func removeActivation(
        with authentication: PowerAuthAuthentication, callback: @escaping (Error?) -> Void
    ) -> PowerAuthOperationTask?

    @discardableResult
    func validatePassword(password: String, callback: @escaping (Error?) -> Void) -> PowerAuthOperationTask?
    @discardableResult
    func changePassword(
        from oldPassword: String, to newPassword: String, callback: @escaping (Error?) -> Void
    ) -> PowerAuthOperationTask?

    @discardableResult
    func addBiometryFactor(password: String, callback: @escaping (Error?) -> Void) -> PowerAuthOperationTask?
    @discardableResult
    func removeBiometryFactor() -> Bool

    func requestSignature(
        with authentication: PowerAuthAuthentication, method: String, uriId: String, body: Data?
    ) throws -> PowerAuthAuthorizationHttpHeader
    func verifyServerSignedData(_ data: Data, signature: String, masterKey: Bool) -> Bool

    /// Not of the SDK: the status in the bank's own words, because an app cannot make a `PowerAuthActivationStatus`.
    func fetchPhase(completion: @escaping (Result<ActivationPhase, Error>) -> Void)
}

/// How far the activation of this phone is.
public enum ActivationPhase: Equatable {
    case none
    case awaitsCommit
    case active(attemptsLeft: Int)
    case blocked
    case removed
}

extension ActivationPhase {
    init(_ status: PowerAuthActivationStatus) {
        switch status.state {
        case .created, .pendingCommit: self = .awaitsCommit
        case .active: self = .active(attemptsLeft: Int(status.remainingAttempts))
        case .blocked: self = .blocked
        case .removed, .deadlock: self = .removed
        @unknown default: self = .removed
        }
    }
}

extension PowerAuthSDK: PowerAuthProviding {
    public func fetchPhase(completion: @escaping (Result<ActivationPhase, Error>) -> Void) {
        guard hasValidActivation() else { return completion(.success(.none)) }
        fetchActivationStatus { status, error in
            if let status = status {
                completion(.success(ActivationPhase(status)))
            } else {
                completion(.failure(error ?? BankFailure.unknown))
            }
        }
    }

    /// The SDK has callbacks; the app waits for some of them.
    public func fetchActivationStatus() async throws -> PowerAuthActivationStatus {
        try await withCheckedThrowingContinuation { continuation in
            _ = fetchActivationStatus { status, error in
                if let status = status {
                    continuation.resume(returning: status)
                } else {
                    continuation.resume(throwing: error ?? BankFailure.unknown)
                }
            }
        }
    }

    /// Whether the bank would accept a signature now.
    public func isUsable() async -> Bool { (try? await fetchActivationStatus())?.state == .active }
}
