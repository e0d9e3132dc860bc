// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabCore
import TestSupport
import Testing

@testable import LabPeer

@Suite("Finding the instance", .endsInTime)
struct InstanceToJoinTests {
    private func options(_ arguments: String...) throws -> PeerOptions {
        try PeerOptions.parse(arguments + ["--as", "main"])
    }

    private func instance(labFile: String) throws -> Instance {
        try Instance.create { layout in
            InstanceManifest(
                id: layout.id, labFile: labFile, topology: Topology(name: "t", devices: []),
                runDirectory: layout.root, seed: 0, executablesDirectory: "")
        }
    }

    private let labFile = "/labs/\(UUID().uuidString)/lab.yaml"

    @Test
    func `An explicit instance takes precedence over the environment, and the environment over a search`() throws {
        let environment = ["LAB_INSTANCE": "/run/b"]
        #expect(try InstanceToJoin.find(options("--instance", "/run/a"), environment: environment).root == "/run/a")
        #expect(try InstanceToJoin.find(options(), environment: environment).root == "/run/b")
    }

    @Test func `The only live instance made from the lab file is found`() throws {
        let instance = try instance(labFile: labFile)
        #expect(try InstanceToJoin.find(options("--lab", labFile), environment: [:]) == instance.layout)
        try instance.end()
    }

    @Test func `Without a live instance the error says how to start one`() throws {
        let options = try options("--lab", labFile)
        #expect {
            try InstanceToJoin.find(options, environment: [:])
        } throws: {
            "\($0)".contains("lab up") && "\($0)".contains(labFile)
        }
    }

    @Test func `None of several live instances is chosen`() throws {
        let options = try options("--lab", labFile)
        let instances = try [instance(labFile: labFile), instance(labFile: labFile)]
        #expect {
            try InstanceToJoin.find(options, environment: [:])
        } throws: { error in
            instances.allSatisfy { "\(error)".contains($0.layout.root) } && "\(error)".contains("--instance")
        }
        for instance in instances { try instance.end() }
    }
}
