// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Type-checks every Swift block of the manuals, prints a table and compares it with the kept one.
@main
struct CheckManuals {
    let manuals: URL
    let compiler: Compiler
    let table: URL
    let records: Bool

    static func main() {
        do {
            exit(try CheckManuals(CommandLine.arguments.dropFirst()).run() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("check-manuals: \(error)\n".utf8))
            exit(2)
        }
    }

    private init(_ arguments: ArraySlice<String>) throws {
        var options: [String: String] = [:]
        var rest = arguments
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw ManualError.usage("\(name) needs a value") }
            options[name] = value
        }
        func path(_ name: String) throws -> URL {
            guard let value = options[name] else { throw ManualError.usage("\(name) is missing") }
            return URL(filePath: value)
        }
        manuals = try path("--manuals")
        compiler = Compiler(
            build: try path("--build"), sources: try path("--sources"), surroundings: try path("--surroundings"))
        table = try path("--table")
        records = ProcessInfo.processInfo.environment["RECORD"] == "1"
    }

    /// - Returns: true if every block matches the kept table, or if there are no manuals.
    private func run() throws -> Bool {
        guard FileManager.default.fileExists(atPath: manuals.path) else {
            print("The manuals are not here (\(manuals.path)), so their samples are not checked.")
            return true
        }
        let result = try Table(sections: Manual.all.map { (title: $0.title, rows: try rows(of: $0)) })
        print(result.page)
        for (title, row) in result.failures {
            print("\(title), block \(row.block.number) (\(row.block.heading)) does not type-check:")
            for error in row.errors { print("    \(error)") }
        }
        if records {
            try Data(result.page.utf8).write(to: table)
        } else if (try? String(contentsOf: table, encoding: .utf8)) != result.page {
            print("\(table.lastPathComponent) is not the table above; RECORD=1 make check-manuals writes it anew.")
            return false
        }
        return result.failures.isEmpty
    }

    private func rows(of manual: Manual) throws -> [Table.Row] {
        let blocks = try manual.blocks(in: manuals)
        let wrapped = blocks.filter(\.isSwift).map { (block: $0, result: manual.wrapped($0)) }
        let errors = try compiler.check(wrapped.map { ($0.block, $0.result.source) }, of: manual)
        let corrections = Dictionary(
            uniqueKeysWithValues: wrapped.map { ($0.block.number, $0.result.corrections) })
        return blocks.map { block in
            Table.Row(
                block: block, corrections: corrections[block.number] ?? [], errors: errors[block.number] ?? [])
        }
    }
}
