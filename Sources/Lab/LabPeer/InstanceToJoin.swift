import Foundation
import LabKit
import LabSystem

/// Finds the instance that a peer started by hand shall join.
enum InstanceToJoin {
    /// The instance named by the options, else by `LAB_INSTANCE`, else the only live one made from the lab file.
    ///
    /// - Throws: ``PeerError`` without such an instance, or with more than one.
    static func find(
        _ options: PeerOptions, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> InstanceLayout {
        if let root = options.instance { return InstanceLayout(root: Files.absolute(root)) }
        if options.lab == nil, let root = environment["LAB_INSTANCE"], !root.isEmpty {
            return InstanceLayout(root: Files.absolute(root))
        }
        let labFile = Files.absolute(options.lab ?? "lab.yaml")
        let live = try Instance.live(madeFrom: labFile)
        guard let first = live.first else { throw PeerError.noInstance(labFile: labFile) }
        guard live.count == 1 else {
            throw PeerError.severalInstances(labFile: labFile, roots: live.map(\.root))
        }
        return first
    }
}
