import LabKit
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The end of an instance's server", .endsInTime)
struct InstanceServerEndTests {
    @Test("The end is traced once, also by a process that ends without waiting for it")
    func noted() async throws {
        let directory = try TemporaryDirectory()
        let instance = try Instance.create(in: directory.path) { layout in
            InstanceManifest(
                id: layout.id, labFile: nil, topology: Topology(name: "test", devices: []),
                runDirectory: directory.file("run"), seed: 1, executablesDirectory: directory.path)
        }
        let layout = instance.layout
        let server = try await onThread { try InstanceServer(joining: layout) }
        let path = directory.file("run/traces/server#1.jsonl")
        func ends() throws -> Int { try TraceReader.read(path).events.count { $0.name == .processEnded } }
        #expect(try ends() == 0)
        server.noteStop()
        #expect(try ends() == 1)
        server.stop()
        try await server.run { Issue.record("cannot tell the instance: \($0)") }
        server.noteStop()
        #expect(try ends() == 1)
        try await onThread {
            try server.leave()
            _ = try instance.end()
        }
    }
}
