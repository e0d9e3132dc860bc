// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// A phone on one host and its watch on another, in two network namespaces with separate directories.
    @Suite("Two hosts", .enabled(if: TwoHosts.obstacle == nil, TwoHosts.obstacle))
    struct TwoHostsTests {
        @Test
        func `A token reaches the remote watch, messages go both ways, and the owner controls link, clock and faults`()
            async throws
        {
            let hosts = try TwoHosts()
            try await onThread {
                let (owning, joining) = try hosts.start()
                let owner = hosts.owner
                try Self.waitForReachability(of: "companion", on: owner)

                try Self.activate(on: owner)
                try owner.exec("main", "requestAccessToken", "name=accounts", "password=env:LAB_TEST_PIN")
                try owner.exec("main", "sendActivationStatusToWatch", "delivery=immediate")
                try owner.exec("main", "sendTokenToWatch", "name=accounts", "delivery=immediate")
                #expect(try hosts.guest.exec("companion", "hasLocalToken", "name=accounts") == "true")

                // The server listens on the owner's loopback, but is reachable.
                let answer = try owner.exec(
                    "companion", "sendRequest", "token=accounts", "path=/api/auth/token/app/operation/list",
                    #"body={"requestObject":{}}"#)
                #expect(answer.contains("\"statusCode\": 200"), "\(answer)")

                // Both ways, controlled by the owner.
                #expect(try owner.exec("main", "sendMessage", #"message={"number":1}"#).contains("\"number\": 1"))
                try owner.exec("companion", "transferUserInfo", #"userInfo={"from":"watch"}"#)
                try waitUntil("the phone has the watch's message", showing: { owning.text + joining.text }) {
                    try owner.exec("main", "receivedUserInfo").contains("watch")
                }

                try owner.exec("pairing", "down")
                try owner.exec("main", "transferUserInfo", #"userInfo={"number":7}"#)
                try waitUntil("the watch misses the phone") {
                    try !Self.isReachable("main", from: "companion", on: owner)
                }
                try owner.exec("pairing", "up")
                try waitUntil("the message that waited is there") {
                    try owner.exec("companion", "receivedUserInfo").contains("7")
                }
                #expect(try owner.exec("watch", "inspectLink").contains("pairing"))

                try Self.checkClock(hosts)
                try Self.checkFaults(hosts)
                try Self.checkRefusals(hosts)

                // Each is a message to the guest and one back; the owner used to end itself after some sixty.
                for _ in 0..<80 { try hosts.owner.exec("companion", "hasValidActivation") }

                try owning.signal(SIGINT)
                let outcomes = (try owning.finish(), try joining.finish())
                #expect(outcomes.0.status == 0, "\(outcomes.0.errors)")
                #expect(outcomes.1.status == 0, "\(outcomes.1.errors)")
                #expect(joining.text.contains("has ended this one"), "\(joining.text)")
            }
            #expect(try hosts.owner.workspace.leftovers() == [])
            #expect(try hosts.guest.workspace.leftovers() == [])
            #expect(!FileManager.default.fileExists(atPath: "\(hosts.owner.workspace.directory)/.lab/join.key"))
        }

        @Test
        func `The other side survives killed agents, a pulled cable and a killed lab, and a lab can join again`()
            async throws
        {
            let hosts = try TwoHosts()
            try await onThread {
                let (owning, joining) = try hosts.start()
                let owner = hosts.owner
                try Self.waitForReachability(of: "companion", on: owner)

                try Self.kill("device-agent", on: hosts.guest)
                try joining.wait(for: "the agent of watch has ended")
                try owner.exec("main", "transferUserInfo", #"userInfo={"number":1}"#)
                try owner.exec("watch", "switchOn")
                try owner.exec("companion", "launch")
                try waitUntil("the started watch has what was sent to it") {
                    try owner.exec("companion", "receivedUserInfo").contains("1")
                }

                try Self.kill("device-agent", on: owner)
                try owning.wait(for: "the agent of phone has ended")
                try owner.exec("phone", "switchOn")
                try owner.exec("phone", "unlock")
                try owner.exec("main", "launch")
                try Self.waitForReachability(of: "companion", on: owner)

                try hosts.setCable(isPlugged: false)
                try owning.wait(for: "has gone")
                try joining.wait(for: "Lost the lab")
                #expect(
                    try LabCommand(["exec", "companion", "hasValidActivation"], in: owner.workspace).finish().errors
                        .contains("has not joined"))
                #expect(try hosts.guest.exec("companion", "hasValidActivation") == "false")
                try hosts.setCable(isPlugged: true)
                try joining.wait(for: "is back")
                try Self.waitForReachability(of: "companion", on: owner)

                // The guest's whole lab: the owner continues, and accepts another guest.
                try joining.signal(SIGKILL)
                _ = try joining.finish()
                try waitUntil("the owner has noticed") { owning.text.components(separatedBy: "has gone").count > 2 }
                #expect(try owner.exec("main", "hasValidActivation") == "false")
                let second = try hosts.join()
                try Self.waitForReachability(of: "companion", on: owner)

                // The owner's whole lab: the guest ends.
                try owning.signal(SIGKILL)
                _ = try owning.finish()
                let end = try second.finish()
                #expect(end.status == 3, "\(end.errors)")
                #expect(end.errors.contains("no lab listens"), "\(end.errors)")
                // Only the agents and the server of the killed lab remain to remove its key.
                let key = "\(owner.workspace.directory)/.lab/join.key"
                try waitUntil("the key of the killed lab is gone") { !Files.exists(key) }
            }
            #expect(try hosts.guest.workspace.liveLeftovers() == [])
            #expect(try hosts.owner.workspace.liveLeftovers() == [])
        }

        @Test func `A wrong key, a missing lab and incompatible options are reported with what to do`() async throws {
            let hosts = try TwoHosts()
            try await onThread {
                let (owning, joining) = try hosts.start()
                let (guest, address) = (hosts.guest, "tcp://\(hosts.owner.address):7700")
                try joining.signal(SIGINT)
                _ = try joining.finish()
                try owning.wait(for: "has gone")
                let wrongDevice = try guest.start("up", "--only", "clock", "--join", address, "--key", "join.key")
                    .finish()
                #expect(wrongDevice.errors.contains("--only watch"), "\(wrongDevice.errors)")
                try owning.signal(SIGINT)
                _ = try owning.finish()

                let second = try hosts.owner.start("up", "--only", "phone", "--listen", "\(hosts.owner.address):7700")
                try second.wait(for: "join there")
                let wrongKey = try guest.start("up", "--join", address, "--key", "join.key").finish()
                #expect(wrongKey.status == 3)
                #expect(wrongKey.errors.contains("copy it again"), "\(wrongKey.errors)")
                try second.signal(SIGINT)
                _ = try second.finish()

                for (words, advice) in [
                    (["up", "--listen", "192.0.2.7:7700"], "--only"), (["up", "--only", "phone"], "--listen"),
                    (["up", "--only", "watch", "--listen", "192.0.2.7:7700"], "--only phone"),
                    (["up", "--only", "phon", "--listen", "192.0.2.7:7700"], "did you mean `phone`"),
                    (["up", "--join", address], "--key"), (["up", "--join", "nowhere", "--key", "join.key"], "tcp://"),
                ] {
                    let outcome = try LabCommand(words, in: hosts.owner.workspace).finish()
                    #expect(outcome.status == 2 && outcome.errors.contains(advice), "\(words): \(outcome.errors)")
                }
            }
            #expect(try hosts.owner.workspace.leftovers() == [])
            #expect(try guestLeftovers(hosts) == [])
        }

        @Test func `The commands on the page about two hosts print what it shows`() async throws {
            let hosts = try TwoHosts()
            let steps = try DocumentationPage("docs/two-hosts.md").steps
            #expect(steps.count > 6)
            try await onThread {
                try hosts.owner.workspace.useProjectTopology()
                var held: [(step: DocumentationPage.Step, command: LabCommand)] = []
                for step in steps {
                    let words = step.command.split(separator: " ").map(String.init)
                    if words[0] == "scp" {
                        try hosts.carryKey()
                    } else if words.prefix(2) == ["lab", "up"] {
                        let isOwner = words.contains("--listen")
                        let host = isOwner ? hosts.owner : hosts.guest
                        let command = try host.start(Array(words.dropFirst()))
                        try command.wait(for: isOwner ? "join there" : "Ctrl-C")
                        held.append((step, command))
                    } else {
                        let script =
                            "PATH=\(Files.directory(of: try ProcessTable.executablePath())):$PATH; \(step.command)"
                        let outcome = try LabCommand(
                            ["-c", script], in: hosts.owner.workspace, executable: "/bin/bash"
                        ).finish()
                        #expect(outcome.status == 0, "\(step.command): \(outcome.errors)")
                        #expect(step.isShown(by: outcome.output), "\(step.command) printed:\n\(outcome.output)")
                    }
                }
                for (step, command) in held {
                    let outcome = try command.finish()
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(step.isShown(by: outcome.output), "\(step.command) printed:\n\(outcome.output)")
                }
            }
        }

        private func guestLeftovers(_ hosts: TwoHosts) throws -> [String] { try hosts.guest.workspace.leftovers() }

        // MARK: Parts

        private static func checkClock(_ hosts: TwoHosts) throws {
            _ = try lab("clock", "freeze", in: hosts.owner.workspace)
            let frozen = try (time(on: hosts.owner), time(on: hosts.guest))
            #expect(frozen.0 == frozen.1, "both stand still at the same moment")
            _ = try lab("clock", "advance", "2h", in: hosts.owner.workspace)
            let moved = try (time(on: hosts.owner), time(on: hosts.guest))
            #expect(moved.0.nanoseconds == frozen.0.nanoseconds + 7_200_000_000_000)
            #expect(moved.1 == moved.0, "the other host's clock has moved before the command was over")
            _ = try lab("clock", "run", in: hosts.owner.workspace)
        }

        private static func time(on host: TwoHosts.Host) throws -> LabTime {
            let instance = try #require(try Instance.live(in: host.workspace.runtimeDirectory).first)
            return try LabClock.open(instance.clockPath).now()
        }

        private static func checkFaults(_ hosts: TwoHosts) throws {
            let armed = try hosts.owner.exec("faults", "arm", "point=link.delivered", "peer=watch", "action=kill")
            #expect(armed.contains("id"))
            try hosts.owner.exec("main", "transferUserInfo", #"userInfo={"number":8}"#)
            try waitUntil("the fault has fired on the other host, and its owner counts it") {
                try hosts.owner.exec("faults", "armed").contains("\"fired\": 1")
            }
            try hosts.owner.exec("watch", "switchOn")
            try hosts.owner.exec("companion", "launch")
            try waitUntil("the message is there once") {
                try hosts.owner.exec("companion", "receivedUserInfo").components(separatedBy: "\"number\": 8").count
                    == 2
            }
        }

        private static func checkRefusals(_ hosts: TwoHosts) throws {
            for words in [
                ["clock", "freeze"], ["faults", "armed"], ["server", "initActivation", "userId=a"], ["main", "launch"],
            ] {
                let outcome = try LabCommand(["exec"] + words, in: hosts.guest.workspace).finish()
                #expect(outcome.errors.contains("belongs to the lab"), "\(words): \(outcome.errors)")
            }
        }

        private static func activate(on host: TwoHosts.Host) throws {
            let created = try host.exec("server", "initActivation", "userId=alice")
            let object = try JSONSerialization.jsonObject(with: Data(created.utf8)) as? [String: Any]
            let code = try #require(object?["activationCode"] as? String)
            let identifier = try #require(object?["activationId"] as? String)
            try host.exec("main", "createActivation", "activationCode=\(code)")
            try host.exec("main", "persistActivation", "password=env:LAB_TEST_PIN")
            try host.exec("server", "commitActivation", "activationId=\(identifier)")
            try host.exec("main", "fetchActivationStatus")
        }

        private static func waitForReachability(of peer: String, on host: TwoHosts.Host) throws {
            try waitUntil("\(peer) is reachable") { try isReachable(peer, from: "main", on: host) }
        }

        private static func isReachable(_ peer: String, from app: String, on host: TwoHosts.Host) throws -> Bool {
            try host.exec(app, "watchSession").contains("\"isReachable\": true")
        }

        private static func kill(_ program: String, on host: TwoHosts.Host) throws {
            let process = try #require(host.workspace.processes().first { $0.commandLine.contains(program) })
            #expect(Glibc.kill(process.pid, SIGKILL) == 0)
        }
    }
}
