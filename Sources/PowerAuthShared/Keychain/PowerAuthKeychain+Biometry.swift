import Foundation

extension PowerAuthKeychain {
    /// State and kind of the device's biometry.
    ///
    /// The simulated platform offers no local authentication to this SDK, which the vendor's watch and
    /// Extensions SDKs report in the same way (sharing.md, section 12.5).
    public static var biometricAuthenticationInfo: PowerAuthBiometricAuthenticationInfo {
        PowerAuthBiometricAuthenticationInfo(currentStatus: .notSupported, biometryType: .none)
    }

    /// True when biometry can be used now.
    public static var canUseBiometricAuthentication: Bool {
        biometricAuthenticationInfo.currentStatus == .available
    }

    /// The kind of biometry, `.none` unless it can be used now.
    public static var supportedBiometricAuthentication: PowerAuthBiometricAuthenticationType {
        canUseBiometricAuthentication ? biometricAuthenticationInfo.biometryType : .none
    }

    private static let biometryLock = NSLock()

    /// Runs `block` unless another biometric request of the process is running.
    ///
    /// - Parameter block: called on the calling thread, before the function returns.
    /// - Returns: false when the block was not run.
    public static func tryLockBiometryAndExecute(_ block: () -> Void) -> Bool {
        guard biometryLock.try() else { return false }
        defer { biometryLock.unlock() }
        block()
        return true
    }
}
