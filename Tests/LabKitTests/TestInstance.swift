import Foundation
import LabKit
import LabSystem

/// An instance in a runtime directory of its own, removed with everything in it when the test lets go of it.
final class TestInstance: Sendable {
    let runtimeRoot: String
    let instance: Instance

    var layout: InstanceLayout { instance.layout }
    var traces: String { instance.manifest.tracesDirectory }

    init(labFile: String? = nil) throws {
        let runtimeRoot = try TestDirectory.make()
        self.runtimeRoot = runtimeRoot
        instance = try Instance.create(in: runtimeRoot) { layout in
            .test(layout, labFile: labFile, runDirectory: "\(runtimeRoot)/run")
        }
    }

    deinit { try? Files.removeTree(runtimeRoot) }
}

extension InstanceManifest {
    /// The description of an instance without devices.
    static func test(
        _ layout: InstanceLayout, labFile: String? = nil, runDirectory: String = "/nonexistent"
    ) -> InstanceManifest {
        InstanceManifest(
            id: layout.id, labFile: labFile, topology: Topology(name: "test", devices: []),
            runDirectory: runDirectory, seed: 1, executablesDirectory: "/nonexistent")
    }
}

/// Directories of tests.
enum TestDirectory {
    /// Makes a private directory with a short path; a Unix socket path has little room.
    static func make() throws -> String {
        let path = "/tmp/labkit-\(UUID().uuidString.prefix(8).lowercased())"
        try Files.createNewDirectory(path)
        return path
    }
}

/// A private directory that is removed when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws { path = try TestDirectory.make() }

    deinit { try? Files.removeTree(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
