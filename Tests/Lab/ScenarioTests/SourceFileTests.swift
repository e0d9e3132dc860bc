// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabFile
import LabSystem
import TestSupport
import Testing

@Suite("Limits for reading files", .endsInTime)
struct SourceFileTests {
    @Test func `A pipe is refused without waiting`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.file("a.yaml"), 0o600) == 0)
        guard case .failure(let diagnostic) = SourceFile.read(directory.file("a.yaml"))
        else { throw Unexpected("the pipe was read") }
        #expect(diagnostic.kind == .unreadableFile(reason: "it is no regular file"))
    }

    @Test func `A file larger than a megabyte is refused by its size`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("large.yaml")
        try Data(repeating: 0x20, count: SourceFile.largestSize + 1).write(to: URL(filePath: path))
        guard case .failure(let diagnostic) = SourceFile.read(path) else { throw Unexpected("the file was read") }
        #expect(diagnostic.kind == .fileTooLarge(bytes: 1_048_577, limit: 1_048_576))
        #expect(diagnostic.kind.sentence == "the file has 1048577 bytes; at most 1048576 are read")
        #expect(diagnostic.kind.advice == "split it into several files")
    }

    @Test(
        .verifies("size", "SourceFile.largestSize"),
        arguments: Sizes.around(1_048_576))
    func `A file is read up to the maximum size`(bytes: Int) throws {
        let directory = try TemporaryDirectory()
        try Files.write(Data(repeating: 0x20, count: bytes), to: directory.file("large.yaml"))
        let isRead = (try? SourceFile.read(directory.file("large.yaml")).get()) != nil
        #expect(isRead == (bytes <= 1_048_576))
    }

    /// The mistakes in a document.
    private func mistakes(in text: String) -> [DiagnosticKind] {
        let collector = DiagnosticCollector()
        _ = YAMLDocument.parse(SourceFile(path: "a.yaml", text: text), reporting: collector)
        return collector.diagnostics.map(\.kind)
    }

    @Test(.verifies("size", "YAMLDocument.mostNodes"), arguments: Sizes.around(100_000))
    func `A document may have the maximum number of values, including lists`(count: Int) {
        let text = "[" + String(repeating: "x,", count: count - 2) + "x]"
        #expect(mistakes(in: text) == (count <= 100_000 ? [] : [.tooManyNodes(limit: 100_000, usesAliases: false)]))
    }

    @Test(.verifies("size", "YAMLDocument.deepestNesting"), arguments: Sizes.around(64))
    func `Lists may be nested to the maximum depth; siblings do not add to it`(of lists: Int) {
        let list = String(repeating: "[", count: lists) + String(repeating: "]", count: lists)
        let tooDeep = mistakes(in: "[\(list),\(list)]")
        #expect(tooDeep == (lists <= 64 ? [] : [.nestedTooDeeply(limit: 64), .nestedTooDeeply(limit: 64)]))
    }

    @Test(
        .verifies("size", "DiagnosticRenderer.widestLine"),
        arguments: Sizes.around(160))
    func `A line is shown whole up to the maximum width; a longer line is shown around the caret`(columns: Int) {
        let line = String(repeating: "x", count: columns - 1) + "y"
        let file = SourceFile(path: "a.yaml", text: line + "\n")
        for (column, isBegin) in [(1, true), (columns, false)] {
            let excerpt = DiagnosticRenderer().excerpt(SourcePlace(SourceRange(line: 1, column: column), in: file))
            let shown = excerpt.split(separator: "\n").first.map(String.init) ?? ""
            let whole = " 1 | \(line)"
            let cut = isBegin ? " 1 | \(line.prefix(160))…" : " 1 | …\(line.suffix(160))"
            #expect(shown == (columns <= 160 ? whole : cut))
        }
    }

    @Test func `The error for too many values without aliases does not mention aliases`() {
        let lines = String(repeating: "[x,x,x,x,x,x,x,x,x,x,x],\n", count: 10_000)
        let collector = DiagnosticCollector()
        #expect(YAMLDocument.parse(SourceFile(path: "many.yaml", text: "[\(lines)]"), reporting: collector) == nil)
        let kinds = collector.diagnostics.map(\.kind)
        #expect(kinds == [.tooManyNodes(limit: YAMLDocument.mostNodes, usesAliases: false)])
        #expect(kinds.first?.sentence == "the document has more than 100000 values")
    }
}
