// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import TestSupport
import Testing

@testable import DeviceAgent
@testable import SimulatedDevice

/// The sockets of a link, without agents (watch.md, section 11.3).
@Suite("The sockets of a link", .endsInTime)
struct LinkPortTests {
    /// - Parameter name: One of its own for each test: what a process admits counts for all links of a name.
    private func port(_ device: TemporaryDevice, _ name: String, isWatch: Bool) throws -> LinkPort {
        try LinkPort(
            layout: device.layout, link: LinkSpec(name: name, phone: "phone", watch: "watch"), isWatch: isWatch,
            process: 1, tcpAddress: nil)
    }

    /// A frame as a later version of the protocol would write it.
    private func newer() -> [Data] {
        var parts = WatchFrame(.ping).parts
        parts[0][4] = 2
        let checksum = WatchFrame.checksum(of: [UInt8](parts[0]), parts[1])
        withUnsafeBytes(of: checksum.bigEndian) { parts[0].replaceSubrange(64..<72, with: $0) }
        return parts
    }

    @Test func `A frame of another version is refused, and its sender receives the version as the reason`() throws {
        let device = try TemporaryDevice(name: "phone")
        let phone = try port(device, "newer", isWatch: false)
        let watch = try port(device, "newer", isWatch: true)
        try watch.seekListener()
        let rules = GreetingRules(process: 1, peer: "watch")
        var refused: [String] = []
        // What is sent before the connection is there is lost.
        while refused.isEmpty {
            _ = try watch.send(newer())
            let frame = try phone.receive(checking: rules) { refused.append($0) }
            #expect(frame == nil)
            sched_yield()
        }
        #expect(Set(refused) == ["it has the unsupported version 2"])
        var answer: WatchFrame?
        while answer == nil {
            answer = try watch.receive(checking: rules) { refused.append($0) }
            sched_yield()
        }
        #expect(answer == WatchFrame(.bye, sequence: ByeReason.version.rawValue))
    }

    @Test
    func `Only one phone listens for a link, and an agent is for a device of its instance that has none`() throws {
        let device = try TemporaryDevice(name: "phone")
        let first = try port(device, "taken", isWatch: false)
        let address = try device.layout.address(of: .link("taken"))
        #expect(throws: AgentError.endpointTaken(address)) { try port(device, "taken", isWatch: false) }
        #expect(throws: AgentError.unknownDevice("tablet", known: ["phone", "watch", "second"])) {
            try UnservedAgent("tablet")
        }
        let phone = try UnservedAgent()
        #expect(throws: AgentError.alreadyServed("phone")) {
            try DeviceAgent(layout: phone.device.layout, manifest: phone.agent.manifest, deviceName: "phone")
        }
        withExtendedLifetime((first, phone)) {}
    }

    @Test func `An agent that cannot start says what is wrong with its device or endpoint`() {
        let rows: [(AgentError, String)] = [
            (.unknownDevice("x", known: ["a", "b"]), "The instance has no device `x`; its devices are a, b."),
            (.alreadyServed("a"), "The device `a` already has an agent."),
            (.endpointTaken("ipc:///p"), "Another process listens at ipc:///p. End it, or start a new instance."),
        ]
        for (error, text) in rows { #expect("\(error)" == text) }
    }
}
