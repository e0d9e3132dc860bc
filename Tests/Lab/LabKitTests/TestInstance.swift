import Foundation
import LabKit
import TestSupport

/// An instance in its own runtime directory, removed with everything in it when the test releases it.
final class TestInstance: Sendable {
    private let directory: TemporaryDirectory
    let instance: Instance

    var runtimeRoot: String { directory.path }
    var layout: InstanceLayout { instance.layout }
    var traces: String { instance.manifest.tracesDirectory }

    init(labFile: String? = nil) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        instance = try Instance.create(in: directory.path) { layout in
            .test(layout, labFile: labFile, runDirectory: directory.file("run"))
        }
    }
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
