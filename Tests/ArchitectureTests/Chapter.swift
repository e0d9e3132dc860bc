// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A chapter of the specification, as far as citations name its parts.
struct Chapter: Sendable {
    /// The chapters of `docs/spec`, by their names in citations, such as `sdk.md`.
    static func all() throws -> [String: Chapter] {
        let folder = Project.file("docs/spec")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".md") && $0 != "README.md" }
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, Chapter(text: try String(contentsOf: folder.appending(path: $0), encoding: .utf8)))
            })
    }

    /// How often each number starts an item (of a list or of a table), by the section that holds it, such as `9.2`.
    private(set) var items: [String: [Int: Int]] = [:]
    /// What has a name of its own, such as `D7` or `I-8`.
    private(set) var identifiers: Set<String> = []

    init(text: String) {
        var section: String?
        for line in text.split(separator: "\n") where line.utf8.first.map(Self.mayBegin) ?? false {
            if let heading = line.prefixMatch(of: #/#{2,3} (\d+(?:\.\d+)*)\.? /#) {
                section = String(heading.1)
                items[String(heading.1)] = [:]
            } else if let item = line.prefixMatch(of: #/(?:\| )?(\d+)(?:\.| \|) /#), let section,
                let number = Int(item.1)
            {
                items[section]?[number, default: 0] += 1
            } else if let name = line.prefixMatch(of: #/(?:\| |- |\* )?(?:\*\*)?([A-Z]-?\d+)\b/#) {
                identifiers.insert(String(name.1))
            }
            guard line.utf8.contains(UInt8(ascii: "*")) else { continue }
            for name in line.matches(of: #/ \*\*([A-Z]-?\d+)\b/#) { identifiers.insert(String(name.1)) }
        }
    }

    /// Whether headings, items or names begin with a byte.
    private static func mayBegin(_ byte: UInt8) -> Bool { "#|-*0123456789".utf8.contains(byte) }

    /// The error in a citation of one of its places; nil if there is exactly one such place.
    func objection(to place: Citation.Place) -> String? {
        switch place {
        case .section(let section):
            return items[section] == nil ? "there is no section \(section)" : nil
        case .item(let number, let section):
            guard let found = items[section] else { return "there is no section \(section)" }
            return switch found[number] ?? 0 {
            case 0: "section \(section) has no item \(number)"
            case 1: nil
            default: "section \(section) has more than one item \(number)"
            }
        case .identifier(let name):
            return identifiers.contains(name) ? nil : "it has no \(name)"
        }
    }
}
