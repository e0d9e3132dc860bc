// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("docs/protocol-in-code.md points to what exists", .endsInTime)
struct ProtocolPageTests {
    /// The texts in backquotes in the table rows.
    let names: Set<String>

    init() throws {
        let page = try Project.text(of: "docs/protocol-in-code.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        names = Set(
            rows.flatMap { row in
                row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
            })
    }

    @Test func `Every path is a file or folder of Sources`() throws {
        let paths = names.filter { $0.hasPrefix("Power") && $0.contains("/") }
        #expect(!paths.isEmpty)
        for path in paths {
            #expect(Repository.place(named: path) != nil, "\(path) is gone")
        }
    }

    @Test func `Every file of PowerAuthProtocol is named, or its folder, or its type`() throws {
        for file in try Repository.swiftFiles(below: "Sources/Protocol/PowerAuthProtocol") {
            let path = String(file.path.dropFirst("Sources/Protocol/".count))
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            let type = path.split(separator: "/").last.map { $0.dropLast(".swift".count) } ?? ""
            let isNamed =
                names.contains(path) || names.contains(folder)
                || names.contains { $0 == type || $0.hasPrefix("\(type).") }
            #expect(isNamed, "docs/protocol-in-code.md does not say what \(path) is for")
        }
    }
}
