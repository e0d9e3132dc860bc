// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Open files", .endsInTime)
struct FileDescriptorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `Reading and writing at a place leaves the position where it was`() throws {
        let file = try FileDescriptor.open(directory.file("f"), flags: O_RDWR | O_CREAT)
        try file.writeAll(Data("0123456789".utf8))
        try file.writeAll(Data("ab".utf8), at: 3)
        #expect(try file.read(count: 4, at: 2) == Data("2ab5".utf8))
        #expect(try file.read(count: 4, at: 8) == Data("89".utf8))
        #expect(try file.read(count: 4, at: 10).isEmpty)
        try file.writeAll(Data("X".utf8))
        let reader = try FileDescriptor.open(directory.file("f"))
        #expect(try reader.read(count: 3) == Data("012".utf8))
        #expect(try reader.read(count: 3, at: 0) == Data("012".utf8))
        #expect(try reader.readToEnd() == Data("ab56789X".utf8))
        #expect(try reader.read(count: 1).isEmpty)
    }

    @Test(arguments: Sizes.ofBatches(65_536))
    func `Everything is read to the end, in pieces of any number`(size: Int) throws {
        let content = Data(repeating: 1, count: size / 3) + Data(repeating: 2, count: size - size / 3)
        try Files.write(content, to: directory.file("f"))
        #expect(try FileDescriptor.open(directory.file("f")).readToEnd() == content)
    }

    @Test func `A file has the length that it is cut to, or more when memory for it is reserved`() throws {
        let file = try FileDescriptor.open(directory.file("f"), flags: O_RDWR | O_CREAT)
        try file.writeAll(Data("0123456789".utf8))
        try file.truncate(to: 4)
        #expect(try file.size() == 4)
        try file.reserve(3)
        #expect(try file.size() == 4)
        try file.reserve(6)
        #expect(try Files.read(directory.file("f")) == Data("0123\0\0".utf8))
        try file.synchronize()
        #expect(try file.sizeIfNamed() == 6)
        try Files.remove(directory.file("f"))
        #expect(try file.sizeIfNamed() == nil)
        #expect(try file.size() == 6)
    }

    @Test func `A file is made with its permissions, which are private by default`() throws {
        let file = try FileDescriptor.open(directory.file("f"), flags: O_WRONLY | O_CREAT)
        #expect(try file.permissions() == 0o600)
        let other = try FileDescriptor.open(directory.file("g"), flags: O_WRONLY | O_CREAT, mode: 0o400)
        #expect(try other.permissions() == 0o400)
    }

    @Test func `An open file is the one at a path until it is replaced there`() throws {
        let path = directory.file("f")
        try Files.touch(path)
        let file = try FileDescriptor.open(path)
        try Files.touch(directory.file("other"))
        #expect(try file.isSameFile(asPath: path))
        #expect(try !file.isSameFile(asPath: directory.file("other")))
        #expect(try !file.isSameFile(asPath: directory.file("none")))
        #expect(throws: SystemError(call: "stat", errno: ENOTDIR, path: "\(path)/x")) {
            try file.isSameFile(asPath: "\(path)/x")
        }
        try Files.write(Data(), to: path)
        #expect(try !file.isSameFile(asPath: path))
    }

    @Test func `A file keeps its identity until it is replaced, written or dated`() throws {
        let path = directory.file("f")
        /// Sets the time of the last change.
        func date(_ seconds: Int, _ microseconds: Int) throws -> FileIdentity {
            var times = Array(repeating: timeval(tv_sec: seconds, tv_usec: microseconds), count: 2)
            try #require(utimes(path, &times) == 0)
            return try FileIdentity(of: path)
        }
        try Files.write(Data("one".utf8), to: path)
        let first = try date(1_700_000_000, 0)
        #expect(try date(1_700_000_000, 0) == first)
        try #require(link(path, directory.file("other name")) == 0)
        #expect(try FileIdentity(of: directory.file("other name")) == first)
        #expect(try date(1_700_000_001, 0) != first)
        #expect(try date(1_700_000_000, 1) != first)
        try FileDescriptor.open(path, flags: O_WRONLY | O_APPEND).writeAll(Data("!".utf8))
        #expect(try date(1_700_000_000, 0) != first, "it has another length")
        try Files.write(Data("two".utf8), to: path)
        #expect(try date(1_700_000_000, 0) != first, "it is another file")
    }

    @Test func `A call that fails names itself, its file and the reason`() throws {
        let path = directory.file("f")
        try Files.touch(path)
        let reader = try FileDescriptor.open(path)
        let folder = try FileDescriptor.open(directory.path, flags: O_RDONLY | O_DIRECTORY)
        let pipe = try FileDescriptor.pipe()
        let byte = Data([1])
        let rows: [(call: String, errno: Int32, path: String?, body: () throws -> Void)] = [
            ("open", ENOTDIR, "\(path)/x", { _ = try FileDescriptor.open("\(path)/x") }),
            ("read", EISDIR, directory.path, { _ = try folder.read(count: 1) }),
            ("pread", EISDIR, directory.path, { _ = try folder.read(count: 1, at: 0) }),
            ("pread", ESPIPE, nil, { _ = try pipe.reading.read(count: 1, at: 0) }),
            ("write", EBADF, path, { try reader.writeAll(byte) }),
            ("pwrite", EBADF, path, { try reader.writeAll(byte, at: 0) }),
            ("ftruncate", EINVAL, path, { try reader.truncate(to: 1) }),
            ("posix_fallocate", EBADF, path, { try reader.reserve(1) }),
            ("fsync", EINVAL, nil, { try pipe.writing.synchronize() }),
        ]
        for row in rows {
            let error = #expect(throws: SystemError.self, "\(row.call)") { try row.body() }
            #expect(error == SystemError(call: row.call, errno: row.errno, path: row.path))
        }
    }

    @Test func `The limit of open files is never lowered, and raised no further than the process may`() {
        let limit = OpenFileLimit.raise(to: 1)
        #expect(limit > 1)
        #expect(OpenFileLimit.raise(to: limit) == limit)
        var bounds = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &bounds) == 0)
        let raised = OpenFileLimit.raise(to: limit + 1)
        #expect(raised == Int(clamping: min(rlim_t(limit + 1), bounds.rlim_max)))
        #expect(OpenFileLimit.raise(to: 1) == raised)
    }
}
