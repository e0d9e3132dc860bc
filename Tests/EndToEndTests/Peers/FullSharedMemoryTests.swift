// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// All processes of the machine use the same shared memory, so it is filled in a separate mount namespace.
    @Suite("No space for shared memory")
    struct FullSharedMemoryTests {
        /// Gives the command after it a `/dev/shm` of one page, which a file occupies.
        private static let withoutRoom = """
            mount -t tmpfs -o size=4k tmpfs /dev/shm && head -c 4096 /dev/zero > /dev/shm/full && exec "$0" "$@"
            """

        @Test(.enabled(if: canMount, "needs the right to mount in a namespace of its own, as root has it"))
        func `An app without space for its shared memory gets a named error and keeps running`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                name: No room for shared memory
                steps:
                  - main: hasValidActivation
                    fails:
                      code: invalidConfiguration
                      cause: sharedMemoryUnavailable
                      message: { contains: ENOSPC }
                  - waitFor: { event: configuration.rejected, peer: main, where: { cause: sharedMemoryUnavailable } }
                  - note: It is still the same process, and the next one gets the same error
                    main: relaunch
                  - main: hasValidActivation
                    fails: { code: invalidConfiguration, cause: sharedMemoryUnavailable }
                  - trace: events
                    with: { event: memory.created }
                    expect: { length: 0 }
                """, to: "no-room.yaml")
            let directory = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
            let lab = directory.appending(path: "lab").path
            let outcome = try await LabCommand.run(
                ["--mount", "/bin/sh", "-c", Self.withoutRoom, lab, "run", "no-room.yaml"], in: workspace,
                executable: "/usr/bin/unshare")
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        private static var canMount: Bool {
            let attempt = try? ChildProcess.spawn(
                executable: "/usr/bin/unshare",
                arguments: ["--mount", "/bin/sh", "-c", "mount -t tmpfs -o size=4k tmpfs /dev/shm"])
            return (try? attempt?.wait()) == .exited(0)
        }
    }
}
