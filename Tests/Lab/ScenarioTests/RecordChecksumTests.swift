// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports

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

    @Test func `An unchanged record is intact; files added later do not count`() throws {
        try Files.write(Data("page".utf8), to: directory.file("against-1.html"))
        #expect(damaged() == [])
        let checksums = try JSONValue.parse(Files.read("\(run)/checksums.json"))
        for (path, text) in Self.files {
            #expect(checksums["files"]?[path]?["bytes"] == .integer(Int64(text.utf8.count)), "\(path)")
        }
    }

    @Test func `One changed bit anywhere in a record is detected, with the name of the file`() throws {
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

    @Test func `A missing file, a longer file and damaged checksums are detected`() throws {
        try Files.write(Data("x".utf8), to: directory.file("a/empty.log"))
        try Files.remove(directory.file("report.json"))
        #expect(damaged() == ["a/empty.log", "report.json"])
        let checksums = try Files.read(directory.file(RecordChecksums.fileName))
        try Files.write(checksums.dropLast(3), to: directory.file(RecordChecksums.fileName))
        #expect(damaged() == [RecordChecksums.fileName])
    }

    @Test func `A damaged run is refused under each of its names`() throws {
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

    @Test(arguments: Sizes.ofBatches(262_144))
    func `A file of several pieces is summed up as a whole`(bytes: Int) throws {
        let path = directory.file("large.log")
        var data = Data(repeating: 0x61, count: bytes)
        try Files.write(data, to: path)
        try RecordChecksums.write(in: run)
        let checksums = try JSONValue.parse(Files.read(directory.file(RecordChecksums.fileName)))
        #expect(checksums["files"]?["large.log"]?["bytes"] == .integer(Int64(bytes)))
        #expect(damaged() == [])
        data[bytes - 1] = 0x62
        try Files.write(data, to: path)
        #expect(damaged() == ["large.log"])
        try Files.write(data.dropLast(), to: path)
        #expect(damaged() == ["large.log"])
    }

    @Test func `Neither the lock of a run nor pages made later belong to its record`() throws {
        for name in [RunDirectory.lockName, "against-1.html", "a/against-1.html"] {
            try Files.write(Data("x".utf8), to: directory.file(name))
        }
        try RecordChecksums.write(in: run)
        let files = try JSONValue.parse(Files.read(directory.file(RecordChecksums.fileName)))["files"]?.objectValue
        #expect(Set(files?.keys.map { $0 } ?? []) == Set(Self.files.keys).union(["a/against-1.html"]))
    }

    @Test func `The error names five files at most`() {
        func sentence(_ count: Int) -> String {
            DamagedRecord(run: "r", files: (1...count).map { "f\($0)" }).description
        }
        let advice = "; play it again, or remove the directory"
        #expect(sentence(1) == "the record of the run r is damaged: f1 is not as the run has written it\(advice)")
        #expect(
            sentence(5)
                == "the record of the run r is damaged: f1, f2, f3, f4, f5 are not as the run has written them\(advice)"
        )
        #expect(sentence(6).contains(": f1, f2, f3, f4, f5 and 1 more are not as "))
    }

    @Test func `A killed run has no checksums, and is read without a check`() throws {
        try Files.remove(directory.file(RecordChecksums.fileName))
        #expect(try RecordChecksums(of: run) == nil)
        #expect(damaged() == [])
    }
}
