// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// An instance in its own runtime directory, removed with everything in it when the test releases it.
///
/// Thread rule: any thread.
public final class TestInstance: Sendable {
    /// The instance, which ends with its directory.
    public let instance: Instance
    private let directory: TemporaryDirectory

    /// The directory that holds the instance's own.
    public var runtimeRoot: String { directory.path }
    /// Where its files are.
    public var layout: InstanceLayout { instance.layout }

    /// Makes an instance that no process has joined; its run directory, which does not exist yet, is beside its own.
    public init(
        _ topology: Topology = Topology(name: "test", devices: []), labFile: String? = nil,
        share: HostAssignment? = nil
    ) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        instance = try Instance.create(in: directory.path) { layout in
            .test(layout, topology, labFile: labFile, runDirectory: directory.file("run"), share: share)
        }
    }

    /// The path of a file in the runtime directory.
    public func file(_ name: String) -> String { directory.file(name) }
}

extension InstanceManifest {
    /// The description of an instance without programs.
    public static func test(
        _ layout: InstanceLayout, _ topology: Topology = Topology(name: "test", devices: []), labFile: String? = nil,
        runDirectory: String = "/nonexistent", share: HostAssignment? = nil
    ) -> InstanceManifest {
        InstanceManifest(
            id: layout.id, labFile: labFile, topology: topology, runDirectory: runDirectory, seed: 1,
            executablesDirectory: "/nonexistent", share: share)
    }
}
