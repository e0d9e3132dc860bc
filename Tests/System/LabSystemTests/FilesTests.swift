// SPDX-License-Identifier: Apache-2.0

import CDispatch
import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Files", .endsInTime)
struct FilesTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        arguments: [
            ("a/b/c", "a/b", "c"), ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("/", "/", ""),
            ("", ".", ""),
            ("a/b/", "a", "b"), ("./a", ".", "a"), ("ž", ".", "ž"),
        ])
    func `The directory and the name of a path are read off its text, also off one character`(
        path: String, directory: String, name: String
    ) {
        #expect(Files.directory(of: path) == directory)
        #expect(Files.name(of: path) == name)
    }

    @Test func `Writing replaces the whole content and leaves no temporary file`() throws {
        try Files.write(Data("first, and longer".utf8), to: directory.file("a"))
        try Files.write(Data("second".utf8), to: directory.file("a"))
        #expect(try Files.read(directory.file("a")) == Data("second".utf8))
        #expect(try Files.list(directory.path) == ["a"])
    }

    @Test func `Written files are private`() throws {
        try Files.write(Data(), to: directory.file("a"))
        var status = stat()
        #expect(stat(directory.file("a"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `A tree is removed without following links`() throws {
        try Files.createDirectory(directory.file("tree/a/b/c"))
        try Files.touch(directory.file("tree/a/b/c/file"))
        try Files.touch(directory.file("outside"))
        try Files.symlink(directory.file("tree/a/link"), to: directory.path)
        try Files.removeTree(directory.file("tree"))
        #expect(try Files.list(directory.path) == ["outside"])
    }

    @Test func `A copied tree has the files and the links of the other, without pipes and what is left out`() throws {
        try Files.createDirectory(directory.file("tree/a/b"))
        try Files.createDirectory(directory.file("tree/a/cache"))
        try Files.write(Data("one".utf8), to: directory.file("tree/a/b/file"))
        try Files.write(Data("two".utf8), to: directory.file("tree/a/cache/file"))
        try Files.symlink(directory.file("tree/loop"), to: directory.file("tree"))
        #expect(mkfifo(directory.file("tree/pipe"), 0o600) == 0)
        let kinds = try ["a", "a/b/file", "loop", "pipe"].map { try Files.kind(of: directory.file("tree/\($0)")) }
        #expect(kinds == [.directory, .file, .link, .other])
        #expect(throws: SystemError.self) { try Files.kind(of: directory.file("tree/nothing")) }

        let count = try Files.copyTree(directory.file("tree"), to: directory.file("copy")) { $0 == "a/cache" }
        #expect(count == 1)
        #expect(try Files.list(directory.file("copy")) == ["a", "loop"])
        #expect(try Files.list(directory.file("copy/a")) == ["b"])
        #expect(try Files.read(directory.file("copy/a/b/file")) == Data("one".utf8))
        #expect(try Files.readLink(directory.file("copy/loop")) == directory.file("tree"))
        #expect(try Files.copyTree(directory.file("tree"), to: directory.file("copy")) == 2, "into one that is there")
        #expect(throws: SystemError.self) { try Files.copyTree(directory.file("nothing"), to: directory.file("new")) }
        #expect(!Files.exists(directory.file("new")))
    }

    @Test func `Removing a missing file is accepted`() throws {
        try Files.remove(directory.file("nothing"))
        try Files.removeTree(directory.file("nothing"))
    }

    @Test func `A link is replaced in one step`() throws {
        try Files.symlink(directory.file("latest"), to: "one")
        try Files.symlink(directory.file("latest"), to: "two")
        #expect(try Files.readLink(directory.file("latest")) == "two")
    }

    @Test func `An exclusive rename does not replace`() throws {
        try Files.createDirectory(directory.file("a"))
        try Files.createDirectory(directory.file("b"))
        let error = #expect(throws: SystemError.self) {
            try Files.renameExclusively(directory.file("a"), to: directory.file("b"))
        }
        #expect(error?.errno == EEXIST)
    }

    @Test func `A directory open to others is not private`() throws {
        #expect(try Files.isPrivateDirectory(directory.path))
        for mode in [0o755, 0o750, 0o701] as [mode_t] {
            chmod(directory.path, mode)
            #expect(try !Files.isPrivateDirectory(directory.path))
        }
    }

    @Test func `A directory watch names what changed`() throws {
        let watch = try DirectoryWatch(directory.path)
        #expect(try watch.changes() == [])
        try Files.touch(directory.file("new"))
        #expect(try Polling.waitReadable([watch.rawDescriptor], timeoutNanoseconds: 5_000_000_000) == [true])
        #expect(try watch.changes() == ["new"])
    }

    @Test(
        arguments: [
            ("/a/./b/../c", "/a/c"), ("/", "/"), ("/..", "/"), ("/../a", "/a"), ("/a/", "/a"), ("//a//b", "/a/b"),
            ("/a/..", "/"), ("/.a/..b", "/.a/..b"),
        ])
    func `A path from the root has neither dots nor double slashes`(path: String, expected: String) {
        #expect(Files.absolute(path) == expected)
        let here = Files.absolute(FileManager.default.currentDirectoryPath)
        #expect(Files.absolute(".") == here)
        #expect(Files.absolute("x") == Files.absolute("\(here)/x"))
    }

    @Test func `A link counts by its target, and is not a private directory itself`() throws {
        try Files.touch(directory.file("file"))
        try Files.createDirectory(directory.file("folder"))
        try Files.symlink(directory.file("to folder"), to: directory.file("folder"))
        try Files.symlink(directory.file("to nothing"), to: directory.file("nothing"))
        let paths = ["file", "folder", "to folder", "to nothing", "nothing"].map { directory.file($0) }
        #expect(paths.map { Files.exists($0) } == [true, true, true, false, false])
        #expect(paths.map { Files.isDirectory($0) } == [false, true, true, false, false])
        #expect(try paths.prefix(4).map { try Files.isPrivateDirectory($0) } == [false, true, false, false])
        let error = #expect(throws: SystemError.self) { try Files.isPrivateDirectory(paths[4]) }
        #expect(error == SystemError(call: "lstat", errno: ENOENT, path: paths[4]))
    }

    /// The permissions of a file or directory.
    private func mode(_ path: String) throws -> UInt32 { try FileDescriptor.open(path).permissions() }

    @Test
    func `A directory is made private and with its parents, unless that is refused; an existing one is accepted`()
        throws
    {
        let path = directory.file("a/b/c")
        #expect(throws: SystemError(call: "mkdir", errno: ENOENT, path: path)) {
            try Files.createDirectory(path, intermediates: false)
        }
        #expect(try Files.list(directory.path) == [])
        try Files.createDirectory(path)
        for made in ["a", "a/b", "a/b/c"] { #expect(try mode(directory.file(made)) == 0o700, "\(made)") }
        try Files.createDirectory(path)
        try Files.createDirectory(directory.file("other"), mode: 0o500)
        #expect(try mode(directory.file("other")) == 0o500)
        try Files.createNewDirectory(directory.file("new"))
        #expect(try mode(directory.file("new")) == 0o700)
        #expect(throws: SystemError(call: "mkdir", errno: EEXIST, path: path)) { try Files.createNewDirectory(path) }
    }

    @Test func `Everything in a directory is listed, sorted`() throws {
        for name in ["c", ".a", "b", "B"] { try Files.touch(directory.file(name)) }
        #expect(try Files.list(directory.path) == [".a", "B", "b", "c"])
    }

    @Test(arguments: Sizes.ofBatches(262_144))
    func `A copy replaces its target and is the same, in pieces of any number`(size: Int) throws {
        let content = Data(repeating: 1, count: size / 3) + Data(repeating: 2, count: size - size / 3)
        try Files.write(content, to: directory.file("source"))
        try Files.write(Data("old".utf8), to: directory.file("target"))
        try Files.copy(directory.file("source"), to: directory.file("target"), mode: 0o400)
        #expect(try Files.read(directory.file("target")) == content)
        #expect(try mode(directory.file("target")) == 0o400)
        #expect(try Files.list(directory.path) == ["source", "target"])
    }

    @Test func `When its content fails, a file keeps the old one, and no temporary file stays`() throws {
        let path = directory.file("a")
        try Files.write(Data("old".utf8), to: path)
        #expect(throws: CancellationError.self) {
            try Files.write(to: path) { file in
                try file.writeAll(Data("new".utf8))
                throw CancellationError()
            }
        }
        #expect(throws: SystemError(call: "open", errno: ENOENT, path: directory.file("none"))) {
            try Files.copy(directory.file("none"), to: path)
        }
        #expect(try Files.read(path) == Data("old".utf8))
        try Files.touch(path)
        #expect(try Files.read(path) == Data("old".utf8), "touching changes no content")
        // A directory cannot be replaced by a link.
        try Files.createDirectory(directory.file("folder"))
        #expect(throws: SystemError.self) { try Files.symlink(directory.file("folder"), to: "a") }
        #expect(try Files.list(directory.path) == ["a", "folder"])
    }

    @Test func `A refused change names the call, the file and the reason`() throws {
        let (file, folder, none) = (directory.file("file"), directory.file("folder"), directory.file("none"))
        try Files.touch(file)
        try Files.createDirectory(folder)
        let inside = "\(file)/x"
        let rows: [(call: String, errno: Int32, path: String, body: () throws -> Void)] = [
            ("mkdir", EEXIST, file, { try Files.createDirectory(file) }),
            ("mkdir", ENOTDIR, inside, { try Files.createDirectory(inside) }),
            ("open", ENOTDIR, file, { _ = try Files.list(file) }),
            ("rename", ENOENT, none, { try Files.rename(none, to: file) }),
            ("unlink", EISDIR, folder, { try Files.remove(folder) }),
            ("unlink", ENOTDIR, inside, { try Files.removeTree(inside) }),
            ("readlink", EINVAL, file, { _ = try Files.readLink(file) }),
            ("stat", ENOENT, none, { _ = try FileIdentity(of: none) }),
        ]
        for row in rows {
            let error = #expect(throws: SystemError.self, "\(row.call)") { try row.body() }
            #expect(error == SystemError(call: row.call, errno: row.errno, path: row.path))
        }
        #expect(try Files.list(directory.path) == ["file", "folder"])
    }

    @Test func `An exclusive rename to a free name moves, and a tree that is one file is removed`() throws {
        try Files.write(Data("x".utf8), to: directory.file("a"))
        try Files.renameExclusively(directory.file("a"), to: directory.file("b"))
        #expect(try Files.list(directory.path) == ["b"])
        try Files.removeTree(directory.file("b"))
        #expect(try Files.list(directory.path) == [])
    }
}
