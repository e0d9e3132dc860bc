// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Watched directories", .endsInTime)
struct DirectoryWatchTests {
    private let directory: TemporaryDirectory
    private let outside: TemporaryDirectory
    private let watch: DirectoryWatch

    init() throws {
        directory = try TemporaryDirectory()
        outside = try TemporaryDirectory()
        watch = try DirectoryWatch(directory.path)
    }

    @Test func `Each kind of change names its entries, each once; reading and what lies deeper name none`() throws {
        let (file, other) = (directory.file("file"), directory.file("other"))
        #expect(watch.path == directory.path)
        let rows: [(String, Set<String>, () throws -> Void)] = [
            ("made", ["file"], { try Files.touch(file) }),
            ("opened for writing", ["file"], { try Files.touch(file) }),
            (
                "written", ["file"],
                { try FileDescriptor.open(file, flags: O_WRONLY).writeAll(Data("x".utf8)) }
            ),
            ("read", [], { _ = try Files.read(file) }),
            ("renamed", ["file", "other"], { try Files.rename(file, to: other) }),
            ("moved out", ["other"], { try Files.rename(other, to: outside.file("other")) }),
            ("moved in", ["other"], { try Files.rename(outside.file("other"), to: other) }),
            ("removed", ["other"], { try Files.remove(other) }),
            ("directory made", ["folder"], { try Files.createDirectory(directory.file("folder")) }),
            ("made deeper", [], { try Files.touch(directory.file("folder/x")) }),
            ("written outside", [], { try Files.touch(outside.file("x")) }),
        ]
        for (what, names, body) in rows {
            try body()
            #expect(try watch.changes() == names, "\(what)")
            #expect(try Polling.waitReadable([watch.rawDescriptor], timeoutNanoseconds: 0) == [false], "\(what)")
        }
    }

    @Test
    func `After more changes than the kernel keeps, the caller has to look itself; later changes are named again`()
        throws
    {
        let text = String(decoding: try Files.read("/proc/sys/fs/inotify/max_queued_events"), as: UTF8.self)
        let most = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let files = try ["a", "b"].map { try FileDescriptor.open(directory.file($0), flags: O_WRONLY | O_CREAT) }
        #expect(try watch.changes() == ["a", "b"])
        let byte = Data([0])
        // Two files in turn, because the kernel keeps equal changes in a row only once.
        for number in 0...most { try files[number % 2].writeAll(byte, at: 0) }
        #expect(try watch.changes() == nil)
        #expect(try watch.changes() == [])
        try files[0].writeAll(byte, at: 0)
        #expect(try watch.changes() == ["a"])
    }

    @Test func `A directory that does not exist cannot be watched`() {
        let path = directory.file("none")
        #expect(throws: SystemError(call: "inotify_add_watch", errno: ENOENT, path: path)) {
            try DirectoryWatch(path)
        }
    }
}
