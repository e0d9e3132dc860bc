import LabSystem
import TestSupport
import Testing

@testable import LabRunner

@Suite("Where the programs of the lab are", .endsInTime)
struct ExecutablesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Programs that may be run, in a folder.
    private func install(_ names: [String], into folder: String) throws {
        try Files.createDirectory(directory.file(folder))
        for name in names { try Files.touch(directory.file("\(folder)/\(name)"), mode: 0o700) }
    }

    private func find(_ folder: String) throws -> Executables {
        try Executables.find(environment: ["LAB_BIN": directory.file(folder)])
    }

    @Test("LAB_BIN may name the folder with the links of an installation")
    func installation() throws {
        try install(Executables.names, into: "lib/powerauth-lab")
        try Files.createDirectory(directory.file("bin"))
        try Files.symlink(directory.file("bin/lab-server"), to: "../lib/powerauth-lab/lab-server")
        let found = try find("bin")
        #expect(found.directory == directory.file("lib/powerauth-lab"))
        #expect(found.missing == [])
    }

    @Test("A folder that has all programs is taken, whatever its links lead to")
    func links() throws {
        try install(Executables.names, into: "build")
        try install(["lab-server"], into: "elsewhere")
        try Files.createDirectory(directory.file("links"))
        for name in Executables.names {
            let folder = name == "lab-server" ? "elsewhere" : "build"
            try Files.symlink(directory.file("links/\(name)"), to: "../\(folder)/\(name)")
        }
        #expect(try find("links").directory == directory.file("links"))
    }

    @Test("Of a folder without all programs it is known which are missing; one without a server is refused")
    func incomplete() throws {
        try install(["lab-server", "main-app"], into: "part")
        #expect(try find("part").missing == ["device-agent", "app-extension", "watch-companion"])
        try install(["main-app"], into: "nothing")
        #expect(throws: LabFailure.self) { try find("nothing") }
    }
}
