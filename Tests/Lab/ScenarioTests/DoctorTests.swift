// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import LabTools
@testable import ScenarioEngine

@Suite("The examination of a machine", .endsInTime)
struct DoctorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func finding(_ subject: String, programs: [String]) throws -> Doctor.Finding {
        try Files.createDirectory(directory.file("bin"))
        for name in programs { try Files.touch(directory.file("bin/\(name)"), mode: 0o700) }
        let bin = directory.file("bin")
        let findings = Doctor(environment: ["LAB_BIN": bin, "PATH": bin]).examine()
        #expect(
            findings.map(\.subject) == [
                "programs", "folder of instances", "shared memory", "disk for records", "file locks", "open files",
                "loopback", "ptrace", "browser", "versions", "running instances", "dead instances",
            ])
        #expect(findings.allSatisfy { !$0.state.isEmpty && $0.advice?.isEmpty != true })
        return try #require(findings.first { $0.subject == subject })
    }

    @Test func `Programs are found, or missing ones are named, or none is there`() throws {
        let none = try finding("programs", programs: [])
        #expect(none.state == "not found" && !none.isFine)
        #expect(none.advice?.contains("there is no `lab-server`") == true, "\(none.advice as Any)")
        let part = try finding("programs", programs: ["lab-server", "main-app"])
        let bin = directory.file("bin")
        #expect(part.state == "device-agent, app-extension, watch-companion cannot be run in \(bin)" && !part.isFine)
        let all = try finding("programs", programs: Executables.names)
        #expect(all.state == "all in \(bin)" && all.isFine)
    }

    @Test
    func `The versions are those of the lab and of the machine, and a server that does not answer is a finding`() throws
    {
        let versions = try finding("versions", programs: Executables.names)
        #expect(versions.state.hasPrefix("lab \(LabVersion.current), "))
        #expect(versions.state.hasSuffix(RunCircumstances.machine))
        #expect(!versions.isFine)
    }

    @Test func `A browser for pictures is found, or to be installed, and its lack is no fault of the machine`() throws {
        let none = try finding("browser", programs: [])
        #expect(none.state == "none for `lab screenshot`" && none.isFine)
        #expect(none.advice?.contains("install one, for example with `apt-get install chromium`") == true)
        let found = try finding("browser", programs: ["chromium"])
        #expect(found.state == "\(directory.file("bin"))/chromium, for `lab screenshot`" && found.advice == nil)
    }

    @Test func `Advice that the lab can do without is no fault of the machine`() {
        let finding = Doctor.Finding(subject: "a", state: "b", advice: nil)
        #expect(finding.isFine)
        #expect(!Doctor.Finding(subject: "a", state: "b", advice: "c").isFine)
        #expect(Doctor.Finding(subject: "a", state: "b", advice: "c", isOptional: true).isFine)
    }
}
