import Foundation
import Testing

@Suite("The module table of docs/architecture.md holds")
struct ModuleTableTests {
    /// Module name to the modules it may import, read from the page that tells people.
    let table: [String: Set<String>]

    init() throws {
        var table: [String: Set<String>] = [:]
        let page = try Repository.text(of: "docs/architecture.md")
        let section = page.components(separatedBy: "## Modules")[1].components(separatedBy: "\n## ")[0]
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
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Sources").path)
        #expect(Set(folders) == Set(table.keys))
    }

    @Test("No file imports a module that its row does not name")
    func importsFollowTheTable() throws {
        for file in try Repository.swiftFiles(below: "Sources") {
            let allowed = try #require(table[file.module], "\(file.path) is in no module of the table")
            for name in file.imports where table[name] != nil {
                #expect(allowed.contains(name), "\(file.path) imports \(name), which its row does not allow")
            }
        }
    }
}
