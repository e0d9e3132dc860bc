// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabControl
import TestSupport
import Testing

extension EndToEnd.Commands {
    @Suite("Inspecting an instance is never blocked by its faults")
    struct ControlUnderFaultsTests {
        /// All at once: a server that waits for a stopped clock, a dead link, a full disk, a suspended app, and an app
        /// that waits at a fault point for longer than the test.
        private static let faults = [
            ["clock", "freeze"],
            ["exec", "server", "slow", "endpoint=*", "by=10m"],
            ["exec", "pairing", "slow", "by=1h"],
            ["exec", "pairing", "cut"],
            ["exec", "phone", "fillDisk"],
            ["exec", "wallet", "suspend"],
            ["exec", "faults", "arm", "point=keychain.read", "peer=main", "action=delay", "delay=1h", "pass=1"],
        ]

        @Test
        func `Devices, clock and server answer while every kind of fault is active and a command hangs`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                for fault in Self.faults {
                    let armed = try LabCommand(fault, in: workspace).finish()
                    #expect(armed.status == 0, "\(fault): \(armed.errors)")
                }
                // It never ends by itself, only with the instance.
                let hanging = try LabCommand(["exec", "main", "relaunch"], in: workspace)
                try waitUntil("main is being started again", showing: { [hanging] in hanging.text }) {
                    try lab("ps", in: workspace).output.contains("incarnation 2")
                }
                let list = try lab("ps", in: workspace)
                #expect(list.output.contains("wallet on phone  suspended"), "\(list.output)")
                #expect(!list.output.contains("does not answer"), "\(list.output)")
                for question in [
                    ["exec", "phone", "processes"], ["exec", "phone", "diskFaults"], ["exec", "watch", "processes"],
                    ["exec", "server", "trafficFaults"], ["exec", "pairing", "trafficFaults"],
                    ["exec", "faults", "armed"], ["clock", "advance", "1ms"],
                ] {
                    let answer = try LabCommand(question, in: workspace).finish()
                    #expect(answer.status == 0, "\(question): \(answer.errors)")
                }
                try up.signal(SIGINT)
                _ = try up.finish()
                #expect(try hanging.finish().status != 0)
            }
            try workspace.expectNothingLeft()
        }
    }
}
