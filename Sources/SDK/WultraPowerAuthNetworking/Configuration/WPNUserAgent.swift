import Foundation
import PowerAuthShared
import SimulatedDevice

/// The value of the header `User-Agent` (networking.md, section 12).
public enum WPNUserAgent: Sendable {
    /// The system's own user agent; the library sets no header.
    case systemDefault
    /// Library, language, network, application and device, as in
    /// `PowerAuthNetworking/1.5.2 (en; wifi) com.example.main/1.0 (Apple; iOS/17.5; iphone15,2)`.
    case libraryDefault
    /// A text of the application's.
    case custom(_ value: String)

    /// Version of the library whose behaviour this one has.
    static let libraryVersion = "1.5.2"

    /// The header's value for a request that is made now; nil for no header.
    ///
    /// - Parameter sandbox: the device and the application; nil for a process that is on no device.
    func getValue(on sandbox: Sandbox?) -> String? {
        switch self {
        case .systemDefault: nil
        case .custom(let value): value
        case .libraryDefault: Self.describe(sandbox)
        }
    }

    private static func describe(_ sandbox: Sandbox?) -> String {
        let parts = [
            "\(Locale.preferredLanguages.first ?? "??"); \(network(of: sandbox))",
            "\(sandbox?.identity.bundleIdentifier ?? "??")/\(sandbox?.appVersion ?? "")",
            "Apple; \(sandbox?.device.systemName ?? "iOS")/\(sandbox?.device.osVersion ?? "")",
            sandbox?.device.model.lowercased() ?? "UNKNOWN",
        ]
        return "PowerAuthNetworking/\(libraryVersion) (\(parts[0])) \(parts[1]) (\(parts[2]); \(parts[3]))"
    }

    private static func network(of sandbox: Sandbox?) -> String {
        switch sandbox?.connectivity.connection {
        case .cellular: "cellular"
        case .wifi: "wifi"
        case .wired: "wired"
        case .some(.none), nil: "unknown"
        }
    }
}
