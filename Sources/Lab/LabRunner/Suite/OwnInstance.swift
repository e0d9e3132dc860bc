import LabFile
import LabKit
import LabSystem

/// The instance that a person's command starts and ends: `lab up`, `lab shell`, `lab record`.
///
/// Thread rule: any thread; every call may block.
public final class OwnInstance: Sendable {
    let instance: LabInstance
    /// Absolute path of the lab file that it was made from.
    public let labFile: String
    /// Held as long as the instance exists, so that its records are not taken for those of a finished run.
    private let directory: RunDirectory

    /// Creates the instance; starts nothing.
    ///
    /// - Parameters:
    ///   - topology: The topology; nil means the default one.
    ///   - labFile: The lab file; nil looks for one upwards from here.
    ///   - seed: The seed; nil draws one.
    ///   - printError: Takes the diagnostics of an unusable lab file; nil is returned then.
    /// - Throws: ``BadUsage`` for an unknown topology; errors in creating the instance.
    public convenience init?(
        topology: String?, labFile: String?, seed: UInt64?, printError: @Sendable (String) -> Void
    ) throws {
        try self.init(topology: topology, labFile: labFile, seed: seed, printError: printError) { ($0, nil) }
    }

    /// - Parameter arrange: Determines the part of the topology to play here, and how.
    init?(
        topology: String?, labFile: String?, seed: UInt64?, printError: @Sendable (String) -> Void,
        arrange: (Topology) throws -> (Topology, HostAssignment?)
    ) throws {
        let reading = SuiteReader(labPath: labFile).readLabFile(near: ".")
        guard let labFile = reading.labFile else {
            printError(DiagnosticRenderer().render(reading.diagnostics))
            return nil
        }
        let collector = DiagnosticCollector()
        let place = SourcePlace(.start, in: labFile.file)
        guard let resolved = labFile.topology(named: topology, at: place, overrides: nil, reporting: collector) else {
            throw BadUsage(.unknownTopology(name: topology ?? "", known: labFile.names))
        }
        let (arranged, share) = try arrange(resolved)
        self.labFile = Files.absolute(labFile.file.path)
        directory = try RunDirectory.create(
            in: "\(Files.directory(of: self.labFile))/.lab", keeping: RunOptions(paths: []).keptRuns)
        instance = try LabInstance(
            topology: arranged, runDirectory: directory.path,
            seed: seed ?? UInt64.random(in: 0...UInt64(UInt32.max)), executables: try Executables.find(),
            labFile: self.labFile, share: share)
    }

    /// Starts everything; a failed start is cleaned up by ``stop()``.
    ///
    /// - Returns: Access to it.
    public func start() throws -> InstanceConnection {
        try instance.start()
        return instance.connection
    }

    /// Ends everything.
    ///
    /// - Returns: Leftovers.
    public func stop() -> [String] { instance.stop() }
}
