// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Snapshots of an instance that another terminal holds.
    @Suite("lab snapshot")
    struct SnapshotCommandTests {
        /// Sends a command that must succeed, and reads its answer.
        private static func exec(_ words: String..., in workspace: Workspace) throws -> JSONValue {
            let outcome = try LabCommand(["exec"] + words, in: workspace).finish()
            try #require(outcome.status == 0, "\(words): \(outcome.errors)")
            return outcome.output.isEmpty ? .null : try JSONValue.parse(outcome.output)
        }

        private static func run(_ words: String..., in workspace: Workspace) throws {
            let outcome = try LabCommand(words, in: workspace).finish()
            try #require(outcome.status == 0, "\(words): \(outcome.errors)")
        }

        private static let pin = "password=env:LAB_TEST_PIN"

        /// Makes an activation that both apps of the phone use.
        /// - Returns: its identifier.
        private static func activate(in workspace: Workspace) throws -> String {
            let code = try exec("server", "initActivation", "userId=alice", in: workspace)
            let identifier = try #require(code["activationId"]?.stringValue)
            let activationCode = try #require(code["activationCode"]?.stringValue)
            _ = try exec("main", "createActivation", "activationCode=\(activationCode)", in: workspace)
            _ = try exec("main", "persistActivation", pin, in: workspace)
            _ = try exec("server", "commitActivation", "activationId=\(identifier)", in: workspace)
            _ = try exec("main", "validatePassword", pin, in: workspace)
            return identifier
        }

        // up      activate  link down, transfer  clock stands still  snapshot
        //         2 signatures  5 min  removal  link up, transfer arrives
        //         restore   1 signature of each app   link up, transfer arrives
        @Test
        func `Restoring brings a removed activation back, with its counter, the link's queue, the clock and the apps`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                func exec(_ actor: String, _ command: String, _ words: String...) throws -> JSONValue {
                    let outcome = try LabCommand(["exec", actor, command] + words, in: workspace).finish()
                    try #require(outcome.status == 0, "\(actor) \(command): \(outcome.errors)\(up.text)")
                    return outcome.output.isEmpty ? .null : try JSONValue.parse(outcome.output)
                }
                let identifier = try Self.activate(in: workspace)
                func status() throws -> JSONValue {
                    try exec("server", "activationStatus", "activationId=\(identifier)")
                }
                _ = try exec("pairing", "down")
                _ = try exec("main", "transferUserInfo", #"userInfo={"number":1}"#)
                _ = try exec("widget", "suspend")
                _ = try exec("clock", "freeze")
                let (before, time) = (try status(), try exec("clock", "read")["utc"])
                #expect(before["activationStatus"] == "ACTIVE")
                try Self.run("snapshot", "before", in: workspace)
                #expect(try status() == before, "the instance continues as it was")
                #expect(try exec("main", "hasValidActivation") == true)

                for _ in 0..<2 { _ = try exec("main", "validatePassword", Self.pin) }
                _ = try exec("clock", "advance", "by=5m")
                _ = try exec("wallet", "removeActivation", Self.pin)
                #expect(try status()["activationStatus"] == "REMOVED")
                _ = try exec("pairing", "up")
                try waitUntil("the transfer arrives", showing: { up.text }) {
                    try exec("companion", "receivedUserInfo") == [["number": 1]]
                }

                try Self.run("restore", "before", in: workspace)
                #expect(try status() == before)
                #expect(try exec("clock", "read")["utc"] == time)
                for app in ["main", "wallet"] { #expect(try exec(app, "hasValidActivation") == true, "\(app)") }
                #expect(try exec("companion", "receivedUserInfo") == [])
                #expect(try lab("ps", in: workspace).output.contains("widget on phone  suspended"))
                for app in ["wallet", "main"] { _ = try exec(app, "validatePassword", Self.pin) }
                let after = try status()
                let counter = try #require(before["counter"]?.integerValue)
                #expect(after["counter"] == .integer(counter + 2) && after["failedAttempts"] == 0)
                _ = try exec("pairing", "up")
                try waitUntil("the restored transfer arrives", showing: { up.text }) {
                    try exec("companion", "receivedUserInfo") == [["number": 1]]
                }

                try up.signal(SIGINT)
                let ended = try up.finish()
                #expect(ended.status == 0 || ended.status == 130, "\(ended.errors)")
                #expect(!ended.errors.contains("before it was asked to end"), "\(ended.errors)")
            }
            try workspace.expectNothingLeft()
        }

        // A device that starts again is locked; one that continues is as it was.
        @Test
        func `A device with a passcode stays unlocked, one that is switched off stays off, and a killed server ended`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let identifier = try Self.activate(in: workspace)
                _ = try Self.exec("phone", "setPasscode", "isSet=true", in: workspace)
                _ = try Self.exec("watch", "switchOff", in: workspace)
                _ = try Self.exec("server", "kill", in: workspace)
                try Self.run("snapshot", "partly", in: workspace)
                #expect(try Self.exec("main", "hasValidActivation", in: workspace) == true)
                _ = try Self.exec("watch", "switchOn", in: workspace)
                _ = try Self.exec("server", "restart", in: workspace)
                try Self.run("restore", "partly", in: workspace)
                #expect(try Self.exec("main", "hasValidActivation", in: workspace) == true)
                let list = try lab("ps", in: workspace).output
                #expect(list.contains("server  has ended") && list.contains("watch  its agent has ended"), "\(list)")
                _ = try Self.exec("server", "restart", in: workspace)
                _ = try Self.exec("wallet", "validatePassword", Self.pin, in: workspace)
                let status = try Self.exec(
                    "server", "activationStatus", "activationId=\(identifier)", in: workspace)
                #expect(status["activationStatus"] == "ACTIVE")
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `Bad input is refused with 2 and what to do, and the instance runs on`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let none = try lab("snapshot", "before", in: workspace)
                #expect(none.status == 2 && none.errors.contains("lab up"), "\(none.errors)")
                let up = try LabCommand.up(in: workspace)
                try Self.run("snapshot", "before", "--to", "states", in: workspace)
                try Self.run("snapshot", "before", in: workspace)
                let list = try lab("snapshots", in: workspace)
                #expect(list.output.hasPrefix("before  taken "), "\(list.output)\(list.errors)")
                let file = "states/before/devices/phone/registry.json"
                try workspace.write("{}", to: file)
                let cases: [(words: [String], message: String)] = [
                    (["snapshot", "before"], "there is a snapshot `before`"),
                    (["snapshot", "a/b"], "`a/b` cannot name a snapshot"),
                    (["snapshot"], "Missing expected argument"),
                    (["restore", "befor"], "did you mean `before`?"),
                    (["restore", "before", "--from", "nowhere"], "there is no snapshot `before` in"),
                    (["restore", "before", "--from", "states"], "\(file) was expected to have"),
                    (["snapshots", "--delete", "after"], "there is no snapshot `after`"),
                ]
                for (words, message) in cases {
                    let outcome = try LabCommand(words, in: workspace).finish()
                    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(words): \(outcome.errors)")
                }
                #expect(try Self.exec("main", "hasValidActivation", in: workspace) == false)
                try Self.run("snapshots", "--delete", "before", in: workspace)
                #expect(try lab("snapshots", in: workspace).output.isEmpty)
                #expect(try lab("down", in: workspace).status == 0)
                _ = try up.finish()
            }
            try workspace.expectNothingLeft()
        }
    }
}
