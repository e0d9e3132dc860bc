import Foundation
import Glibc
import LabFile
import LabKit
import TestSupport
import Testing

@Suite("Files are read within limits", .endsInTime)
struct SourceFileTests {
    @Test("A pipe is refused and not waited for")
    func pipe() throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.file("a.yaml"), 0o600) == 0)
        guard case .failure(let diagnostic) = SourceFile.read(directory.file("a.yaml")) else {
            Issue.record("the pipe was read")
            return
        }
        #expect(diagnostic.kind == .unreadableFile(reason: "it is no regular file"))
    }

    @Test("A file of more than a megabyte is refused by its size")
    func tooLarge() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("large.yaml")
        try Data(repeating: 0x20, count: SourceFile.largestSize + 1).write(to: URL(filePath: path))
        guard case .failure(let diagnostic) = SourceFile.read(path) else {
            Issue.record("the file was read")
            return
        }
        #expect(diagnostic.kind == .fileTooLarge(bytes: 1_048_577, limit: 1_048_576))
        #expect(diagnostic.kind.sentence == "the file has 1048577 bytes; at most 1048576 are read")
        #expect(diagnostic.kind.advice == "split it into several files")
    }

    @Test("A document of too many values without aliases is not told about aliases")
    func tooManyValues() {
        let lines = String(repeating: "[x,x,x,x,x,x,x,x,x,x,x],\n", count: 10_000)
        let collector = DiagnosticCollector()
        #expect(YAMLDocument.parse(SourceFile(path: "many.yaml", text: "[\(lines)]"), reporting: collector) == nil)
        let kinds = collector.diagnostics.map(\.kind)
        #expect(kinds == [.tooManyNodes(limit: YAMLDocument.mostNodes, usesAliases: false)])
        #expect(kinds.first?.sentence == "the document has more than 100000 values")
    }
}
