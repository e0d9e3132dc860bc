import Foundation
import PowerAuthShared
import SimulatedDevice

/// What an extension can learn about the activation of its application (sharing.md, section 18.2).
struct ApplicationState: Sendable {
    let instanceId: String
    let keychain: PowerAuthKeychain
    let suiteName: String?
    let sandbox: Sandbox

    private static let missingSuite =
        "Without keychainAttribute_UserDefaultsSuiteName a reinstalled application cannot be recognised."

    /// Logs that the configuration lacks the suite.
    func reportMissingSuite() {
        sandbox.trace(
            .configurationIncomplete(cause: "userDefaultsSuiteMissing", message: Self.missingSuite))
    }

    func activation() -> ActivationKnowledge {
        if let suiteName {
            guard sandbox.defaults(suite: suiteName)?.bool(forKey: PowerAuthKeychain_Initialized) == true else {
                // The application has not run since its installation; it will decide what happens to the items.
                return .unknown
            }
        } else {
            PowerAuthLog.write("WARNING: \(Self.missingSuite)")
        }
        var status = errSecSuccess
        guard let data = keychain.data(forKey: instanceId, status: &status) else {
            return status == errSecItemNotFound ? .none : .unknown
        }
        switch ActivationStateReader.activation(in: data) {
        case .identifier(let identifier): return .identifier(identifier)
        case .none: return .none
        case .unreadable: return .unknown
        }
    }
}
