public import LabKit

/// The settings of `lab stress sharing`.
public struct StressConfiguration: Sendable {
    /// The possible numbers of apps.
    public static let processCounts = 2...16
    /// The maximum length of a round: a longer run has several rounds, each in an instance of its own. A history is
    /// checked after its round, and the first violation ends the run, so short rounds find it early.
    public static let longestRound = LabDuration.seconds(10)

    /// The maximum length of a run.
    public static let longestRun = LabDuration.seconds(24 * 60 * 60)

    /// Number of apps that share the activation.
    public let processes: Int
    /// Real time during which calls are made.
    public let duration: LabDuration
    /// The seed of the first round; nil for a random one.
    public let seed: UInt64?
    /// Quirks of every app, as named in topologies.
    public let quirks: [String]
    /// Number of run directories kept, including that of this run.
    public var keptRuns = 10

    /// A run.
    ///
    /// - Throws: ``BadUsage`` for invalid values.
    public init(processes: Int, duration: LabDuration, seed: UInt64? = nil, quirks: [String] = []) throws {
        guard Self.processCounts.contains(processes) else {
            throw BadUsage(
                sentence: "--processes takes \(Self.processCounts.lowerBound) to \(Self.processCounts.upperBound), "
                    + "not \(processes)")
        }
        guard duration > .zero, duration <= Self.longestRun else {
            throw BadUsage(sentence: "--for takes a duration from 1ns to \(Self.longestRun), not `\(duration)`")
        }
        do {
            _ = try QuirkSet(parsing: quirks)
        } catch {
            throw BadUsage(sentence: "--quirk: \(error)")
        }
        self.processes = processes
        self.duration = duration
        self.seed = seed
        self.quirks = quirks
    }

    /// The length of each round.
    var rounds: [LabDuration] {
        var rest = duration
        var rounds: [LabDuration] = []
        while rest > .zero {
            let round = min(rest, Self.longestRound)
            rounds.append(round)
            rest = LabDuration(nanoseconds: rest.nanoseconds - round.nanoseconds)
        }
        return rounds
    }

    /// A phone with apps of one vendor that share an activation, and a watch with an app of the first one.
    var topology: Topology {
        let keychainGroup = "LABTEAM001.com.example.shared"
        let apps = (1...processes).map { number in
            let identifier = "com.example.app\(number)"
            return AppSpec(
                name: "app\(number)", kind: .app, bundleIdentifier: identifier, appGroups: ["group.com.example.lab"],
                keychainAccessGroups: [keychainGroup], quirks: quirks,
                powerAuth: PowerAuthSpec(
                    sdk: .full, instanceId: "com.example.bank",
                    sharing: SharingSpec(
                        appGroup: "group.com.example.lab", appIdentifier: identifier,
                        keychainAccessGroup: keychainGroup)))
        }
        // A suspended app keeps its locks, so that the others meet them; deaths with a lock come from kills.
        // Dialogs follow each other without the pause that Face ID makes.
        let phone = DeviceSpec(
            name: Self.device, kind: .phone, suspension: .lenient, biometry: .touchID, apps: apps)
        let companion = AppSpec(
            name: "companion", kind: .watchApp, bundleIdentifier: "com.example.\(Self.appWithWatch).watch",
            host: Self.appWithWatch, powerAuth: PowerAuthSpec(sdk: .watch, instanceId: "com.example.bank"))
        return Topology(
            name: "stress", devices: [phone, DeviceSpec(name: "watch", kind: .watch, apps: [companion])],
            links: [LinkSpec(name: "pairing", phone: Self.device, watch: "watch")])
    }

    /// The phone's name.
    static let device = "phone"
    /// The app with a companion on the watch.
    static let appWithWatch = "app1"
}
