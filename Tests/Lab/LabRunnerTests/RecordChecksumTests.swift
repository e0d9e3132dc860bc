import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing

@testable import LabRunner

@Suite("The checksums of a record", .endsInTime)
struct RecordChecksumTests {
    private let directory: TemporaryDirectory
    private var run: String { directory.path }

    private static let files = [
        "report.json": #"{"version":1,"seed":7}"#, "a/history.jsonl": "{\"e\":\"step.started\"}\n",
        "a/traces/main#1.jsonl": "{\"name\":\"log\"}\n", "a/empty.log": "",
    ]

    init() throws {
        directory = try TemporaryDirectory()
        for (path, text) in Self.files {
            try Files.createDirectory(Files.directory(of: directory.file(path)))
            try Files.write(Data(text.utf8), to: directory.file(path))
        }
        try RecordChecksums.write(in: directory.path)
    }

    private func damaged() -> [String]? {
        do {
            try RecordChecksums.verify(run)
            return []
        } catch {
            return (error as? DamagedRecord)?.files
        }
    }

    @Test("An unchanged record is intact; files added later do not count")
    func whole() throws {
        try Files.write(Data("page".utf8), to: directory.file("against-1.html"))
        #expect(damaged() == [])
        let checksums = try JSONValue.parse(Files.read("\(run)/checksums.json"))
        for (path, text) in Self.files {
            #expect(checksums["files"]?[path]?["bytes"] == .integer(Int64(text.utf8.count)), "\(path)")
        }
    }

    @Test("One changed bit anywhere in a record is detected, with the name of the file")
    func oneBit() throws {
        for (path, text) in Self.files {
            for bit in 0..<text.utf8.count * 8 {
                var data = Data(text.utf8)
                data[bit / 8] ^= 1 << (bit % 8)
                try Files.write(data, to: directory.file(path))
                #expect(damaged() == [path], "bit \(bit) of \(path)")
            }
            try Files.write(Data(text.utf8), to: directory.file(path))
        }
        #expect(damaged() == [])
    }

    @Test("A missing file, a longer file and damaged checksums are detected")
    func otherDamage() throws {
        try Files.write(Data("x".utf8), to: directory.file("a/empty.log"))
        try Files.remove(directory.file("report.json"))
        #expect(damaged() == ["a/empty.log", "report.json"])
        let checksums = try Files.read(directory.file(RecordChecksums.fileName))
        try Files.write(checksums.dropLast(3), to: directory.file(RecordChecksums.fileName))
        #expect(damaged() == [RecordChecksums.fileName])
    }

    @Test("A damaged run is refused under each of its names")
    func names() throws {
        let project = try TemporaryDirectory()
        let records = project.file(".lab")
        let run = "\(records)/runs/20260101-100000-aaaa"
        try Files.createDirectory(run)
        try Files.write(JSONReport(seed: 1, seconds: 1, results: []).rendered(), to: "\(run)/\(JSONReport.fileName)")
        try RecordChecksums.write(in: run)
        let runs = RecordedRuns(records: records)
        for name in [nil, "20260101-100000-aaaa", run] {
            #expect(throws: Never.self) { try runs.directory(of: name) }
        }
        try Files.write(Data("{}".utf8), to: "\(run)/\(JSONReport.fileName)")
        for name in [nil, "20260101-100000-aaaa", run] {
            #expect(throws: DamagedRecord.self) { try runs.directory(of: name) }
        }
    }

    @Test("A killed run has no checksums, and is read without a check")
    func killed() throws {
        try Files.remove(directory.file(RecordChecksums.fileName))
        #expect(try RecordChecksums(of: run) == nil)
        #expect(damaged() == [])
    }
}
