// SPDX-License-Identifier: Apache-2.0

import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("Locating the lab's programs", .endsInTime)
struct ExecutablesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Executable programs in a folder.
    private func install(_ names: [String], into folder: String) throws {
        try Files.createDirectory(directory.file(folder))
        for name in names { try Files.touch(directory.file("\(folder)/\(name)"), mode: 0o700) }
    }

    private func find(_ folder: String) throws -> Executables {
        try Executables.find(environment: ["LAB_BIN": directory.file(folder)])
    }

    @Test func `LAB_BIN may name the folder with the links of an installation`() throws {
        try install(Executables.names, into: "lib/powerauth-lab")
        try Files.createDirectory(directory.file("bin"))
        try Files.symlink(directory.file("bin/lab-server"), to: "../lib/powerauth-lab/lab-server")
        let found = try find("bin")
        #expect(found.directory == directory.file("lib/powerauth-lab"))
        #expect(found.missing == [])
    }

    @Test func `A folder with all programs is used, regardless of its link targets`() throws {
        try install(Executables.names, into: "build")
        try install(["lab-server"], into: "elsewhere")
        try Files.createDirectory(directory.file("links"))
        for name in Executables.names {
            let folder = name == "lab-server" ? "elsewhere" : "build"
            try Files.symlink(directory.file("links/\(name)"), to: "../\(folder)/\(name)")
        }
        #expect(try find("links").directory == directory.file("links"))
    }

    @Test func `Missing programs of a folder are listed; a folder without a server is refused`() throws {
        try install(["lab-server", "main-app"], into: "part")
        #expect(try find("part").missing == ["device-agent", "app-extension", "watch-companion"])
        try install(["main-app"], into: "nothing")
        #expect(throws: LabFailure.self) { try find("nothing") }
    }
}
