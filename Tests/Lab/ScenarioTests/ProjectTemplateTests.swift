// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("Files of a new project", .endsInTime)
struct ProjectTemplateTests {
    @Test(arguments: ProjectTemplate.BuildServer.allCases)
    func `A project gets its build server's file, in valid YAML`(server: ProjectTemplate.BuildServer) throws {
        let temporary = try TemporaryDirectory()
        let file = server == .github ? ".github/workflows/lab.yml" : ".gitlab-ci.yml"
        #expect(!(try ProjectTemplate(directory: temporary.file("plain")).write()).contains { $0.path == file })
        let written = try ProjectTemplate(directory: temporary.path, buildServer: server).write()
        #expect(written.contains(ProjectTemplate.Outcome(path: file, change: .wrote)))
        let collector = DiagnosticCollector()
        let text = String(decoding: try Files.read(temporary.file(file)), as: UTF8.self)
        #expect(YAMLDocument.parse(SourceFile(path: file, text: text), reporting: collector) != nil)
        #expect(collector.isEmpty)
        #expect(text.contains("lab run --report"))
    }

    @Test func `Every schema named in the first line of a file exists`() throws {
        let temporary = try TemporaryDirectory()
        let paths = try ProjectTemplate(directory: temporary.path).write().map(\.path)
        for name in ["lab", "scenario", "steps"] {
            let path = ".lab/\(name).schema.json"
            #expect(paths.contains(path))
            #expect(try JSONValue.parse(Files.read(temporary.file(path)))["$schema"] != nil)
        }
        let named = try paths.filter { $0.hasSuffix(".yaml") }.map { path in
            let text = String(decoding: try Files.read(temporary.file(path)), as: UTF8.self)
            let first = try #require(text.split(separator: "\n").first)
            let schema = try #require(first.split(separator: "$schema=").last)
            return Files.absolute("\(Files.directory(of: temporary.file(path)))/\(schema)")
        }
        #expect(named.count == 2)
        for path in named { #expect(Files.exists(path), "\(path)") }
    }

    @Test
    func `A topology has the phone and the devices it names; an unknown word is refused with the nearest one`() throws {
        let temporary = try TemporaryDirectory()
        let paths = try ProjectTemplate(directory: temporary.path, cast: ProjectCast("phone, watch")).write().map(
            \.path)
        #expect(paths.contains("Scenarios/watch-out-of-range.yaml") && paths.contains("Scenarios/steps/activate.yaml"))
        #expect(!paths.contains("Scenarios/widget-reads.yaml") && !paths.contains("Scenarios/first.yaml"))
        let collector = DiagnosticCollector()
        let text = String(decoding: try Files.read(temporary.file("lab.yaml")), as: UTF8.self)
        let labFile = NamedTopologies.read(SourceFile(path: "lab.yaml", text: text), reporting: collector)
        let topology = labFile?.topology(
            named: nil, at: SourcePlace(.start, in: SourceFile(path: "x", text: "")), overrides: nil,
            reporting: collector)
        #expect(topology?.apps.map(\.name) == ["main", "companion"])
        #expect(topology?.links.map(\.name) == ["pairing"])
        let wrong = #expect(throws: BadUsage.self) { try ProjectCast("phone,wach") }
        #expect(wrong.map { "\($0)" }?.contains("`watch`") == true)
        let alone = #expect(throws: BadUsage.self) { try ProjectCast("widget") }
        #expect(alone.map { "\($0)" }?.contains("--cast needs `phone`") == true)
    }

    @Test func `A schema of another version is rewritten, and everything else is unchanged`() throws {
        let temporary = try TemporaryDirectory()
        let template = ProjectTemplate(directory: temporary.path)
        #expect(try template.write().allSatisfy { $0.change == .wrote })
        #expect(try template.write().allSatisfy { $0.change == .kept })
        for path in [".lab/steps.schema.json", "Scenarios/first.yaml"] {
            try Files.write(Data("old".utf8), to: temporary.file(path))
        }
        let changed = try template.write().filter { $0.change != .kept }
        #expect(changed == [ProjectTemplate.Outcome(path: ".lab/steps.schema.json", change: .anew)])
        #expect(try Files.read(temporary.file("Scenarios/first.yaml")) == Data("old".utf8))
    }

    @Test func `The schemas include the custom apps of an existing lab file, and say when they cannot`() throws {
        let temporary = try TemporaryDirectory()
        try Files.write(
            Data(
                """
                topologies:
                  default:
                    devices:
                      phone:
                        kind: phone
                        apps:
                          bank: { bundleIdentifier: com.example.bank, executable: bank-app }
                """.utf8), to: temporary.file("lab.yaml"))
        let vocabulary = """
            {"version": 1, "kind": "app", "sdk": "full", "builtIn": true, "errors": [],
             "commands": [{"name": "transferMoney", "summary": "Sends money.", "parameters": []}]}
            """
        var complaints: [String] = []
        let template = ProjectTemplate(directory: temporary.path)
        _ = try template.write { complaints.append($0) }
        #expect(complaints.joined().contains("bank-app"), "\(complaints)")
        try Files.write(
            Data("#!/bin/sh\ncat <<'END'\n\(vocabulary)\nEND\n".utf8), to: temporary.file("bank-app"), mode: 0o755)
        complaints = []
        let changed = try template.write { complaints.append($0) }.filter { $0.change == .anew }.map(\.path)
        #expect(complaints == [])
        #expect(changed.contains(".lab/scenario.schema.json"), "\(changed)")
        let schema = String(decoding: try Files.read(temporary.file(".lab/scenario.schema.json")), as: UTF8.self)
        #expect(schema.contains("transferMoney"))
    }
}
