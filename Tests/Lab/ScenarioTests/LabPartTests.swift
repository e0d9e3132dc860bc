// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("The part of a topology that `lab up` plays", .endsInTime)
struct LabPartTests {
    /// The options of `lab up`, and the part or the mistake that they are.
    struct Row: Sendable, CustomTestStringConvertible {
        var only: [String] = []
        var listen: String?
        var join: String?
        var key: String?
        let outcome: String

        var testDescription: String { "\(only) \(listen ?? "-") \(join ?? "-") \(key ?? "-")" }
    }

    private static let both =
        "--only and --key belong to a lab of two hosts: add --listen HOST:PORT on the one with the phone, --join tcp://HOST:PORT on the other"

    static let rows = [
        Row(outcome: "whole"),
        Row(only: ["phone"], outcome: both),
        Row(key: "k", outcome: both),
        Row(only: ["phone", "b"], listen: "h:7", key: "k", outcome: "owner phone,b tcp://h:7 k"),
        Row(only: ["phone"], listen: "h:0", outcome: "owner phone tcp://h:* -"),
        Row(
            listen: "h:7",
            outcome: "--listen needs to know what is played here: add --only with the name of each phone"),
        Row(
            only: ["phone"], listen: "h",
            outcome: "--listen takes an address such as tcp://192.0.2.7:7700, not `h`"),
        Row(only: ["watch"], join: "tcp://h:7", key: "k", outcome: "guest watch tcp://h:7 k"),
        Row(join: "h:7", key: "k", outcome: "guest  tcp://h:7 k"),
        Row(join: "h:7", outcome: "--join needs --key with the file that `lab up --listen` has named"),
        Row(join: "h", key: "k", outcome: "--join takes an address such as tcp://192.0.2.7:7700, not `h`"),
        Row(join: "h:0", key: "k", outcome: "--join needs a port, tcp://HOST:PORT"),
        Row(
            only: ["phone"], listen: "h:7", join: "h:8", key: "k",
            outcome: "a lab listens or joins, not both: write --listen or --join"),
    ]

    @Test(arguments: rows)
    func `Options that belong together are a part; all others are refused with what is missing`(_ row: Row) {
        let outcome: String
        do {
            switch try LabPart.read(only: row.only, listen: row.listen, join: row.join, key: row.key) {
            case .whole: outcome = "whole"
            case .owner(let devices, let listen, let key):
                outcome = "owner \(devices.joined(separator: ",")) \(listen) \(key ?? "-")"
            case .guest(let devices, let join, let key):
                outcome = "guest \(devices.joined(separator: ",")) \(join) \(key)"
            }
        } catch {
            outcome = "\(error)"
        }
        #expect(outcome == row.outcome)
    }

    private static func device(_ name: String, _ kind: DeviceSpec.Kind) -> DeviceSpec {
        DeviceSpec(name: name, kind: kind, apps: [])
    }

    private static let topology = Topology(
        name: "t",
        devices: [
            device("phone", .phone), device("tablet", .phone), device("watch", .watch), device("band", .watch),
            device("ring", .watch),
        ],
        links: [
            LinkSpec(name: "a", phone: "phone", watch: "watch"), LinkSpec(name: "b", phone: "phone", watch: "band"),
            LinkSpec(name: "c", phone: "tablet", watch: "ring"),
        ])

    private static func owner(of devices: [String]) -> LabPart {
        .owner(devices: devices, listen: JoinAddress(host: "h", port: 7700), keyPath: nil)
    }

    @Test func `Each link to a watch of the other host gets TCP and a port of its own behind the first`() throws {
        let (topology, share) = try Self.owner(of: ["phone", "tablet", "band"]).arranged(Self.topology)
        #expect(topology.links.map(\.transport) == [.tcp, .local, .tcp])
        #expect(topology.devices == Self.topology.devices)
        #expect(
            share
                == HostAssignment(
                    side: .owner, devices: ["phone", "tablet", "band"],
                    linkAddresses: ["a": "tcp://h:7701", "c": "tcp://h:7702"]))
    }

    @Test(
        arguments: [
            (
                ["phnoe"],
                "the topology has no device `phnoe`; did you mean `phone`?; there are phone, tablet, watch, band, ring"
            ),
            (
                ["phone", "tablet", "watch", "band", "ring"],
                "--only names every device, so that nothing is left to another host"
            ),
            (
                ["phone", "watch"],
                "the phone `tablet` must be played where the server is: add --only tablet, and leave watches to the other host"
            ),
        ])
    func `An owner plays known devices, all phones, and not all devices`(devices: [String], sentence: String) {
        let error = #expect(throws: BadUsage.self) { try Self.owner(of: devices).arranged(Self.topology) }
        #expect(error?.description == sentence)
    }
}
