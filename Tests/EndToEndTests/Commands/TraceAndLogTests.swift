// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Following a running instance.
    @Suite("lab trace and lab logs")
    struct TraceAndLogTests {
        @Test
        func `The trace is followed from start to end of the instance, and filtered by process and event family`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let everything = try LabCommand(["trace", "--follow"], in: workspace)
                try everything.wait(for: "server#1 process.started")
                #expect(try lab("exec", "main", "hasValidActivation", in: workspace).status == 0)
                try everything.wait(for: "main#1 command.finished command=\"hasValidActivation\"")

                let locks = try lab("trace", "wallet", "--event", "lock", in: workspace)
                #expect(locks.status == 0, "\(locks.errors)")
                let lines = locks.output.split(separator: "\n")
                #expect(!lines.isEmpty)
                #expect(lines.allSatisfy { $0.contains("wallet#1 lock.") }, "\(locks.output)")

                let unknown = try lab("trace", "walet", in: workspace)
                #expect(unknown.status == 2)
                #expect(unknown.errors.contains("did you mean `wallet`?"), "\(unknown.errors)")

                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
                let followed = try everything.finish()
                #expect(followed.status == 0)
                // Earlier events come first, in order of time.
                let before = followed.output.split(separator: "\n").prefix { !$0.contains("hasValidActivation") }
                let times = before.compactMap { Double($0.split(separator: " ").first ?? "") }
                #expect(times.count > 10 && times == times.sorted(), "\(before.joined(separator: "\n"))")
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `The logs of all processes are printed, each line with its process, and followed to the end`() async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let followed = try LabCommand(["logs", "main", "--follow"], in: workspace)
                // The networking library warns about plain HTTP.
                #expect(try lab("exec", "main", "post", "path=/pa/v3/status", in: workspace).status == 0)
                try followed.wait(for: "main#1  [WPN:WARNING]")
                let unknown = try lab("logs", "servr", in: workspace)
                #expect(unknown.errors.contains("did you mean `server`?"), "\(unknown.errors)")
                #expect(try lab("logs", in: workspace).status == 0)
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
                let ended = try followed.finish()
                #expect(ended.status == 0)
                #expect(ended.output.split(separator: "\n").allSatisfy { $0.hasPrefix("main#1  ") }, "\(ended.output)")
            }
        }
    }
}
