/// One simulated device and what is installed on it.
public struct DeviceSpec: Codable, Equatable, Sendable {
    /// What kind of hardware is simulated.
    public enum Kind: String, Codable, CaseIterable, Sendable {
        case phone
        case watch
    }

    /// What happens to a process that is suspended while it holds a lock in a group container
    /// (sharing.md, section 21.7).
    public enum Suspension: String, Codable, CaseIterable, Sendable {
        /// The platform ends the process with reason `0xdead10cc`.
        case strict
        /// The process sleeps and keeps the lock, so that others see the block.
        case lenient
    }

    /// The sensor that recognises the owner.
    public enum Biometry: String, Choice {
        case none
        case touchID
        case faceID
    }

    /// Name of the device; also its actor name in scenarios.
    public var name: String
    /// Phone or watch.
    public var kind: Kind
    /// Machine name reported by the system, for example `iPhone15,2`.
    public var model: String
    /// Version of the simulated operating system, for example `17.5`.
    public var osVersion: String
    /// Team prefix (App ID prefix) of all apps on this device, ten characters as on the real platform.
    public var team: String
    /// Outcome of a suspension with a held group-container lock.
    public var suspension: Suspension
    /// The sensor that recognises the owner; nothing is enrolled at first.
    public var biometry: Biometry
    /// Difference of this device's wall clock to the lab's, in milliseconds; positive is ahead.
    public var clockSkewMilliseconds: Int64
    /// The installed apps, app extensions and watch apps.
    public var apps: [AppSpec]

    /// Creates a device.
    public init(
        name: String, kind: Kind, model: String? = nil, osVersion: String = "17.5", team: String = "LABTEAM001",
        suspension: Suspension = .strict, biometry: Biometry? = nil, clockSkewMilliseconds: Int64 = 0,
        apps: [AppSpec]
    ) {
        self.name = name
        self.kind = kind
        self.model = model ?? (kind == .phone ? "iPhone15,2" : "Watch6,18")
        self.osVersion = osVersion
        self.team = team
        self.suspension = suspension
        self.biometry = biometry ?? (kind == .phone ? .faceID : .none)
        self.clockSkewMilliseconds = clockSkewMilliseconds
        self.apps = apps
    }
}
