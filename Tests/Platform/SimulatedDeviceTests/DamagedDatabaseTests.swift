// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabSystem
import SimulatedDevice
import TestSupport
import Testing

@Suite("A damaged database", .endsInTime)
struct DamagedDatabaseTests {
    private static let schema = DeviceDatabase.Schema(
        purpose: "sample", version: 1,
        statements: "CREATE TABLE item (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")

    /// What the files of a database hold when nothing runs.
    enum Rest: String, CaseIterable {
        /// Its processes were killed: the rows are in the log.
        case killed
        /// Its last process closed it: the rows are in the database, and in the log.
        case closed
        /// The log was folded and cut: the rows are in the database.
        case folded
    }

    /// The three files of a database, by the end of their names.
    private typealias Contents = [String: Data]

    private static let suffixes = ["", "-wal", "-shm"]

    /// Values that fill several pages, one of them on overflow pages.
    private static let rows = Dictionary(
        uniqueKeysWithValues: (1...12).map { ("item \($0)", Data(repeating: UInt8($0), count: $0 == 7 ? 9_000 : 400)) })

    private static func read(_ database: DeviceDatabase) throws -> [String: Data] {
        try database.read { db in
            try Dictionary(
                uniqueKeysWithValues: Row.fetchAll(db, sql: "SELECT * FROM item").map { ($0["name"], $0["value"]) })
        }
    }

    private static func contents(_ path: String) throws -> Contents {
        try Dictionary(uniqueKeysWithValues: suffixes.map { ($0, try Files.read(path + $0)) })
    }

    private static func put(_ contents: Contents, at path: String) throws {
        for (suffix, data) in contents { try Files.write(data, to: path + suffix) }
    }

    /// Writes the rows in several transactions, and gives the files as they lie there afterwards.
    private static func made(_ rest: Rest, in directory: TemporaryDirectory) throws -> Contents {
        let path = directory.file("original.sqlite")
        var database: DeviceDatabase? = DeviceDatabase(path: path, schema: schema)
        for (name, value) in rows.sorted(by: { $0.key < $1.key }) {
            try database?.write { try $0.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [name, value]) }
        }
        if rest == .killed { return try contents(path) }
        if rest == .folded { try database?.writeOne { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } }
        database = nil
        return try contents(path)
    }

    @Test(arguments: Rest.allCases) func `An undamaged database reads as it was written`(rest: Rest) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("copy.sqlite")
        try Self.put(try Self.made(rest, in: directory), at: path)
        #expect(try Self.read(DeviceDatabase(path: path, schema: Self.schema)) == Self.rows)
    }

    @Test(arguments: Rest.allCases)
    func `One changed byte, at any place, is an error or has no effect: it never yields an earlier or another state`(
        rest: Rest
    ) throws {
        let directory = try TemporaryDirectory()
        let original = try Self.made(rest, in: directory)
        var (positions, refused) = (0, 0)
        for (suffix, data) in original {
            // Every byte of the first headers, and a sample of the others: SQLite's structures repeat.
            let wanted = (0..<data.count).filter {
                $0 < 200 || $0 % 199 == 0 || $0 > data.count - 4_200 && $0 % 31 == 0
            }
            for position in wanted {
                var changed = original
                changed[suffix]?[position] ^= UInt8(1 << (position % 8))
                let path = directory.file("copy.sqlite")
                try Self.put(changed, at: path)
                positions += 1
                do {
                    let rows = try Self.read(DeviceDatabase(path: path, schema: Self.schema))
                    #expect(rows == Self.rows, "byte \(position) of \(rest) '\(suffix)': another state is read")
                } catch {
                    refused += 1
                    let after = try Self.contents(path)
                    #expect(after[""] == changed[""], "byte \(position) of \(rest) '\(suffix)': the file was repaired")
                }
            }
        }
        #expect(refused > positions / 10, "\(refused) of \(positions) were refused")
    }

    @Test func `The last frame of the log is judged too: a damaged one is named, with its place`() throws {
        let directory = try TemporaryDirectory()
        var contents = try Self.made(.killed, in: directory)
        let length = try #require(contents["-wal"]?.count)
        contents["-wal"]?[length - 1] ^= 1
        let path = directory.file("copy.sqlite")
        try Self.put(contents, at: path)
        let error = #expect(throws: DeviceDatabase.Damaged.self) {
            try Self.read(DeviceDatabase(path: path, schema: Self.schema))
        }
        let place = "frame at offset \(length - 4_120) of \(path)-wal"
        #expect(error?.description.contains(place) == true, "\(error as Any)")
    }

    //  writer                      reader (has the database open)
    //  ── commit ──────────────►
    //  damage to the log
    //                              reads the page: refused
    @Test func `A process with the database open refuses a page of the log that is damaged later`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("shared.sqlite")
        let (writer, reader) = (
            DeviceDatabase(path: path, schema: Self.schema), DeviceDatabase(path: path, schema: Self.schema)
        )
        try writer.write { try $0.execute(sql: "INSERT INTO item VALUES ('a', x'01')") }
        #expect(try Self.read(reader) == ["a": Data([1])])
        try writer.write { try $0.execute(sql: "UPDATE item SET value = x'02'") }
        let log = try FileHandle(forUpdating: URL(filePath: path + "-wal"))
        try log.seek(toOffset: try log.seekToEnd() - 100)
        try log.write(contentsOf: Data([0x55]))
        try log.close()
        #expect(throws: DeviceDatabase.Damaged.self) { try Self.read(reader) }
        #expect(throws: DeviceDatabase.Damaged.self) {
            try Self.read(DeviceDatabase(path: path, schema: Self.schema))
        }
    }

    @Test
    func `A database that was cut off is refused, and an empty one is a new one only while nothing was written`() throws
    {
        let directory = try TemporaryDirectory()
        var contents = try Self.made(.folded, in: directory)
        let path = directory.file("copy.sqlite")
        for length in [4_096, 4_095, 8_192] {
            contents[""] = contents[""]?.prefix(length)
            try Self.put(contents, at: path)
            #expect(throws: (any Error).self, "\(length) bytes") {
                try Self.read(DeviceDatabase(path: path, schema: Self.schema))
            }
        }
    }

    @Test func `An unfinished transaction of a killed process is not taken for damage`() throws {
        let directory = try TemporaryDirectory()
        var contents = try Self.made(.killed, in: directory)
        // The header of the next frame was written, and its page was not.
        let log = try #require(contents["-wal"])
        contents["-wal"] = log + log[32..<56]
        let path = directory.file("copy.sqlite")
        try Self.put(contents, at: path)
        #expect(try Self.read(DeviceDatabase(path: path, schema: Self.schema)) == Self.rows)
    }
}
