package import SimulatedDevice

/// The device the app runs on (sdk.md, section 3, item 11). Immutable. Thread rule: any thread.
public final class UIDevice: Sendable {
    /// The device of this process.
    public static let current = UIDevice(sandbox: Sandbox.currentIfEntered)

    /// What an app without a special entitlement gets instead of the name that the user gave: the kind of the device,
    /// for example `iPhone`.
    public let name: String
    /// The kind of the device, for example `iPhone`.
    public let model: String
    /// Name of the operating system.
    public let systemName: String
    /// Version of the operating system, for example `17.5`.
    public let systemVersion: String
    private let device: DeviceInformation?

    /// The same for all apps of a vendor on the device; nil for a process that is on no device, and before the first
    /// unlock of the device.
    public var identifierForVendor: UUID? { device.flatMap { UUID(uuidString: $0.vendorIdentifier) } }

    /// - Parameter sandbox: what the system gives the app; nil for a process without a device.
    package init(sandbox: Sandbox?) {
        // A machine name is the kind followed by two numbers.
        model = sandbox.map { String($0.device.model.prefix { !$0.isNumber }) } ?? "iPhone"
        name = model
        systemName = sandbox?.device.systemName ?? "iOS"
        systemVersion = sandbox?.device.osVersion ?? ""
        device = sandbox?.device
    }
}
