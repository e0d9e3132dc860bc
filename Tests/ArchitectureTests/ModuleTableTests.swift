import Foundation
import TestSupport
import Testing

@Suite("The module table of docs/architecture.md holds", .endsInTime)
struct ModuleTableTests {
    /// Module name to the modules it may import, read from the page for people.
    let table: [String: Set<String>]

    init() throws {
        var table: [String: Set<String>] = [:]
        let page = try Project.text(of: "docs/architecture.md")
        let section = page.components(separatedBy: "## Buildings and modules")[1].components(separatedBy: "\n## ")[0]
        for line in section.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            let names = { (cell: String) in
                cell.split(separator: "`").map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
            }
            table[names(cells[1])[0]] = Set(names(cells[3]))
        }
        self.table = table
    }

    @Test("Every module has a row, and every row a module")
    func rowsMatchFolders() throws {
        #expect(try Set(Repository.modules().keys) == Set(table.keys))
    }

    @Test("No file imports a module that its row does not name")
    func importsFollowTheTable() throws {
        for file in try Repository.swiftFiles(below: "Sources") {
            let allowed = try #require(table[file.module], "\(file.path) is in no module of the table")
            for name in file.imports.map(\.module) where table[name] != nil {
                #expect(allowed.contains(name), "\(file.path) imports \(name), which its row does not allow")
            }
        }
    }

    @Test("No module sees through a re-export what its row does not name")
    func reexportsFollowTheTable() throws {
        let files = try Repository.swiftFiles(below: "Sources")
        var exports: [String: Set<String>] = [:]
        for file in files {
            let names = file.imports.filter(\.isReexported).map(\.module).filter { table[$0] != nil }
            exports[file.module, default: []].formUnion(names)
        }
        #expect(exports["PowerAuth2"]?.contains("PowerAuthShared") == true, "the SDK's re-export is recognised")
        for file in files {
            let allowed = try #require(table[file.module], "\(file.path) is in no module of the table")
            for name in file.imports.map(\.module) {
                for seen in Self.visible(behind: name, exports) where !allowed.contains(seen) {
                    Issue.record("\(file.path) sees \(seen) through \(name), which its row does not allow")
                }
            }
        }
    }

    /// The modules that an import makes visible besides the imported one.
    private static func visible(behind module: String, _ exports: [String: Set<String>]) -> Set<String> {
        var seen: Set<String> = []
        var next = exports[module, default: []]
        while let name = next.popFirst() {
            if seen.insert(name).inserted { next.formUnion(exports[name, default: []].subtracting(seen)) }
        }
        return seen
    }

    @Test(
        "The SDKs and the shims of the platform do not know the lab",
        arguments: [
            "PowerAuthCore", "PowerAuthShared", "PowerAuth2", "PowerAuth2ForExtensions", "PowerAuth2ForWatch",
            "WatchConnectivity", "LocalAuthentication", "UIKit", "UserNotifications", "NetworkFramework",
            "WultraPowerAuthNetworking", "WultraMobileTokenSDK",
        ])
    func platformHidesTheLab(module: String) throws {
        let allowed = try #require(table[module])
        let lab: Set<String> = ["LabKit", "LabPeer", "LabRunner", "LabTesting", "DeviceAgent", "PowerAuthServer"]
        #expect(allowed.isDisjoint(with: lab))
    }

    @Test(
        "Every form of an import is read",
        arguments: [
            ("import LabKit", ImportDeclaration(module: "LabKit")),
            ("import struct LabKit.Quirk", ImportDeclaration(module: "LabKit")),
            ("public import class LabSystem.FileLock", ImportDeclaration(module: "LabSystem")),
            ("import LabKit.Clock", ImportDeclaration(module: "LabKit")),
            ("package import Foundation", ImportDeclaration(module: "Foundation")),
            ("fileprivate import LabKit", ImportDeclaration(module: "LabKit")),
            ("    @testable import LabKit // why", ImportDeclaration(module: "LabKit")),
            ("@preconcurrency internal import LabKit", ImportDeclaration(module: "LabKit")),
            ("@_exported public import PowerAuthCore", ImportDeclaration(module: "PowerAuthCore", isReexported: true)),
            (
                "@_exported public import enum LabKit.JSONValue",
                ImportDeclaration(module: "LabKit", isReexported: true)
            ),
        ])
    func importsAreRead(line: String, expected: ImportDeclaration) {
        #expect(ImportDeclaration(line: line) == expected)
    }

    @Test(
        "Text that only looks like an import is ignored",
        arguments: ["// import LabKit", "let import_ = 1", "important()", ""])
    func othersAreNot(line: String) {
        #expect(ImportDeclaration(line: line) == nil)
    }
}
