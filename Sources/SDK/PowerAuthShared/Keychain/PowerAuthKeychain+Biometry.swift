import Foundation
package import LocalAuthentication
import SimulatedDevice

/// What biometry the device has, and one request at a time (sdk.md, section 5.5).
extension PowerAuthKeychain {
    /// State and kind of the device's biometry.
    public static var biometricAuthenticationInfo: PowerAuthBiometricAuthenticationInfo {
        PowerAuthBiometricAuthenticationInfo(LAContext())
    }

    /// True when biometry can be used now.
    public static var canUseBiometricAuthentication: Bool {
        biometricAuthenticationInfo.currentStatus == .available
    }

    /// The kind of biometry, `.none` unless it can be used now.
    public static var supportedBiometricAuthentication: PowerAuthBiometricAuthenticationType {
        let info = biometricAuthenticationInfo
        return info.currentStatus == .available ? info.biometryType : .none
    }

    /// Runs `block` unless another biometric request of the process is running.
    ///
    /// - Parameter block: called on the calling thread, before the function returns.
    /// - Returns: false when the block was not run, as always on a platform without local authentication.
    @discardableResult
    public static func tryLockBiometryAndExecute(_ block: () -> Void) -> Bool {
        guard let service = Sandbox.currentIfEntered?.authentication, service.sensor != nil else { return false }
        return service.exclusively(block) != nil
    }

    /// State and kind of the biometry of the device whose keychain this is.
    var deviceBiometry: PowerAuthBiometricAuthenticationInfo {
        PowerAuthBiometricAuthenticationInfo(LAContext(service: system.authentication))
    }
}

extension PowerAuthBiometricAuthenticationInfo {
    /// The biometry that a dialog on the device would use (sharing.md, section 12.5).
    package init(_ context: LAContext) {
        let type: PowerAuthBiometricAuthenticationType =
            switch context.biometryType {
            case .none: .none
            case .touchID: .touchID
            case .faceID: .faceID
            }
        let status: PowerAuthBiometricAuthenticationStatus =
            switch context.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) {
            case nil: .available
            case _ where type == .none: .notSupported
            case .biometryLockout: .lockout
            case .biometryNotEnrolled: .notEnrolled
            default: .notAvailable
            }
        self.init(currentStatus: status, biometryType: type)
    }
}
