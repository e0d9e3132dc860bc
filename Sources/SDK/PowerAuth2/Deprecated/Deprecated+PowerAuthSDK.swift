// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PowerAuthShared

/// The spellings up to 1.8 (sdk.md, section 2, and extensions-and-legacy-names.md, section 5.3).
extension PowerAuthSDK {
    /// Does nothing: the state is restored when the object is made.
    /// - Returns: true.
    @available(*, deprecated, message: "The state is restored when the object is made")
    @discardableResult
    public func restoreState() -> Bool { true }

    // MARK: Persisting

    /// As ``persistActivation(with:)``.
    @available(*, deprecated, renamed: "persistActivation(with:)")
    public func commitActivation(with authentication: PowerAuthAuthentication) throws {
        try persistActivation(with: authentication)
    }

    /// As ``persistActivation(withPassword:)-(String)``.
    @available(*, deprecated, renamed: "persistActivation(withPassword:)")
    public func commitActivation(withPassword password: String) throws { try persistActivation(withPassword: password) }

    /// As ``persistActivation(withPassword:)-(PowerAuthCorePassword)``.
    @available(*, deprecated, renamed: "persistActivation(withPassword:)")
    public func commitActivation(withPassword password: PowerAuthCorePassword) throws {
        try persistActivation(withPassword: password)
    }

    // MARK: Status

    /// As `fetchActivationStatus(callback:)`, whose callback takes status and error.
    /// - Parameter callback: also takes the status' custom object, between status and error.
    @available(*, deprecated, message: "Take the custom object from the status")
    @discardableResult
    public func fetchActivationStatus(
        callback: @escaping (PowerAuthActivationStatus?, [String: Any]?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        fetchActivationStatus { status, error in callback(status, status?.customObject, error) }
    }

    /// The custom object of ``lastFetchedActivationStatus``.
    @available(*, deprecated, message: "Use lastFetchedActivationStatus.customObject")
    public var lastFetchedCustomObject: [String: Any]? { lastFetchedActivationStatus?.customObject }

    // MARK: Password and biometry

    /// As ``validatePassword(password:callback:)-(String,_)``.
    @available(*, deprecated, renamed: "validatePassword(password:callback:)")
    @discardableResult
    public func validatePasswordCorrect(
        _ password: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        validatePassword(password: password, callback: callback)
    }

    /// As ``addBiometryFactor(password:callback:)-(String,_)``.
    @available(*, deprecated, renamed: "addBiometryFactor(password:callback:)")
    @discardableResult
    public func addBiometryFactor(
        _ password: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        addBiometryFactor(password: password, callback: callback)
    }

    /// As ``unlockBiometryKeys(withPrompt:callback:)``.
    @available(*, deprecated, renamed: "unlockBiometryKeys(withPrompt:callback:)")
    @_disfavoredOverload
    public func unlockBiometryKeys(withPrompt prompt: String, with callback: @escaping ([String: Data]?, Bool) -> Void)
    { unlockBiometryKeys(withPrompt: prompt, callback: callback) }
}

// The types of the main SDK under their names from before 1.6 (extensions-and-legacy-names.md, section 3).

@available(*, deprecated, renamed: "PowerAuthActivationState")
public typealias PA2ActivationState = PowerAuthActivationState
@available(*, deprecated, renamed: "PowerAuthActivationStatus")
public typealias PA2ActivationStatus = PowerAuthActivationStatus
@available(*, deprecated, renamed: "PowerAuthActivationResult")
public typealias PA2ActivationResult = PowerAuthActivationResult
@available(*, deprecated, renamed: "PowerAuthActivationRecoveryData")
public typealias PA2ActivationRecoveryData = PowerAuthActivationRecoveryData
