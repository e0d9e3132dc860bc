// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("Recorded requests survive the server", .endsInTime)
struct RequestRecordTests {
    private let directory: TemporaryDirectory
    private let layout: InstanceLayout

    init() throws {
        directory = try TemporaryDirectory()
        layout = InstanceLayout(root: directory.path)
        try Files.createDirectory(layout.serverDirectory)
    }

    private func record(_ incarnation: Int, capacity: Int = 1_000_000) throws -> RequestRecord {
        try RequestRecord(path: layout.requestsPath(incarnation: incarnation), capacity: capacity)
    }

    @Test func `Requests are in order of arrival with all recorded details, one server after the other`() throws {
        let first = try record(1)
        let slow = first.begin(["method": "POST", "path": "/slow"])
        let quick = first.begin(["method": "POST", "path": "/quick"])
        first.add(["status": 200], to: quick)
        first.add(["status": 503], to: slow)
        _ = first.begin(["method": "GET", "path": "/last"])
        // The second server died while it started.
        _ = try record(3).begin(["method": "GET", "path": "/again"])
        let read = RequestRecord.read(layout)
        #expect(read.map { $0["path"] } == ["/slow", "/quick", "/last", "/again"])
        #expect(read.map { $0["status"] } == [503, 200, nil, nil])
        #expect(read.map { $0["number"] } == [1, 2, 3, 1])
        #expect(read.map { $0["incarnation"] } == [1, 1, 1, 3])
    }

    @Test func `An unfinished line of a killed server is ignored and affects no other line`() throws {
        let record = try record(1)
        let number = record.begin(["method": "GET", "path": "/a"])
        record.add(["status": 200], to: number)
        let path = layout.requestsPath(incarnation: 1)
        let whole = try Files.read(path)
        for length in whole.indices {
            try Files.write(whole.prefix(length), to: path)
            let read = RequestRecord.read(layout)
            #expect(read.count <= 1 && read.allSatisfy { $0["path"] == "/a" }, "after \(length) bytes: \(read)")
        }
    }

    @Test func `The newest of very many requests are kept, in two files of limited size`() throws {
        let record = try record(1, capacity: 10_000)
        for number in 1...1_000 {
            let id = record.begin(["method": "GET", "path": .string("/\(number)")])
            record.add(["status": 200], to: id)
        }
        let sizes = try Files.list(layout.serverDirectory).map {
            try FileDescriptor.open("\(layout.serverDirectory)/\($0)").size()
        }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0 <= 10_000 }, "\(sizes)")
        let numbers = RequestRecord.read(layout).compactMap { $0["number"]?.integerValue }
        #expect(numbers.last == 1_000 && numbers.count > 50 && numbers == Array((1_001 - Int64(numbers.count))...1_000))
        #expect(RequestRecord.read(layout).allSatisfy { $0["method"] != nil })
    }

    @Test func `An instance whose server received nothing has no requests`() throws {
        #expect(RequestRecord.read(layout).isEmpty)
        _ = try record(1)
        #expect(RequestRecord.read(layout).isEmpty)
    }
}
