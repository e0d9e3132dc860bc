// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import UIKit
import os

/// The activation of this phone from its beginning to its end, for screens that take completions, on the main queue.
public final class ActivationSession {
    public typealias Completion<Value> = (Result<Value, BankFailure>) -> Void

    private let powerAuth: PowerAuthProviding
    private let gate: BiometricGate
    private let log = Logger(subsystem: "com.example.mobilebank", category: "activation")
    private weak var running: PowerAuthOperationTask?

    public init(powerAuth: PowerAuthProviding, gate: BiometricGate = BiometricGate()) {
        self.powerAuth = powerAuth
        self.gate = gate
    }

    public var isActivated: Bool { powerAuth.hasValidActivation() }

    // MARK: - Beginning

    /// Exchanges keys with the bank; the fingerprint is shown to the user, who compares it.
    public func activate(code: String, otp: String? = nil, completion: @escaping Completion<String>) {
        guard powerAuth.canStartActivation() else { return completion(.failure(.activationPending)) }
        let activation: PowerAuthActivation
        do {
            activation = try PowerAuthActivation(activationCode: code, name: UIDevice.current.name)
        } catch {
            return completion(.failure(BankFailure.map(error)))
        }
        if let otp = otp { activation.with(additionalActivationOtp: otp) }
        activation.with(customAttributes: ["model": UIDevice.current.model])
        running = powerAuth.createActivation(activation) { [log, powerAuth] result, error in
            if let failure = BankFailure.map(error) {
                log.error("The activation failed: \(String(describing: failure), privacy: .public)")
                return completion(.failure(failure))
            }
            completion(.success(result?.activationFingerprint ?? powerAuth.activationFingerprint ?? ""))
        }
    }

    /// Keeps the activation under a PIN.
    public func persist(pin: String, usesBiometry: Bool) throws {
        let authentication: PowerAuthAuthentication =
            usesBiometry
            ? .persistWithPasswordAndBiometry(password: pin) : .persistWithPassword(password: pin)
        do {
            try powerAuth.persistActivation(with: authentication)
        } catch {
            powerAuth.removeActivationLocal()
            throw BankFailure.map(error)
        }
    }

    public func cancel() {
        running?.cancel()
        if powerAuth.hasPendingActivation() { powerAuth.removeActivationLocal() }
    }

    // MARK: - Use

    public func refresh(completion: @escaping Completion<ActivationPhase>) {
        powerAuth.fetchPhase { result in
            completion(result.mapError { BankFailure.map($0) })
        }
    }

    public func logIn(pin: String, completion: @escaping Completion<Void>) {
        powerAuth.validatePassword(password: pin) { [log] error in
            switch BankFailure.map(error) {
            case .some(let failure):
                log.notice("Log-in of \(UIDevice.current.name, privacy: .private): \(failure.localizedDescription)")
                completion(.failure(failure))
            case .none: completion(.success(()))
            }
        }
    }

    public func changePin(from old: String, to new: String, completion: @escaping Completion<Void>) {
        powerAuth.changePassword(from: old, to: new) { error in
            completion(BankFailure.map(error).map { .failure($0) } ?? .success(()))
        }
    }

    public func setBiometry(enabled: Bool, pin: String, completion: @escaping Completion<Void>) {
        guard enabled else {
            let isRemoved = !powerAuth.hasBiometryFactor() || powerAuth.removeBiometryFactor()
            return completion(isRemoved ? .success(()) : .failure(.unknown))
        }
        guard case .available = gate.availability else { return completion(.failure(.biometryUnavailable)) }
        powerAuth.addBiometryFactor(password: pin) { error in
            completion(BankFailure.map(error).map { .failure($0) } ?? .success(()))
        }
    }

    /// The header of a request that the app sends by itself.
    public func sign(_ request: inout URLRequest, uriId: String, pin: String) throws {
        let header = try powerAuth.requestSignature(
            with: .possessionWithPassword(password: pin), method: request.httpMethod ?? "POST", uriId: uriId,
            body: request.httpBody)
        request.setValue(header.value, forHTTPHeaderField: header.key)
    }

    // MARK: - End

    /// Removes the activation at the bank; `everywhere` false forgets it on this phone only.
    public func remove(pin: String, everywhere: Bool, completion: @escaping Completion<Void>) {
        guard everywhere else {
            powerAuth.removeActivationLocal()
            return completion(.success(()))
        }
        powerAuth.removeActivation(with: .possessionWithPassword(password: pin)) { error in
            completion(BankFailure.map(error).map { .failure($0) } ?? .success(()))
        }
    }
}
