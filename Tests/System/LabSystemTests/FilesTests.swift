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
        "The directory and the name of a path are read off its text, also off one character",
        arguments: [
            ("a/b/c", "a/b", "c"), ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("/", "/", ""),
            ("", ".", ""),
            ("a/b/", "a", "b"), ("./a", ".", "a"), ("ž", ".", "ž"),
        ])
    func partsOfAPath(path: String, directory: String, name: String) {
        #expect(Files.directory(of: path) == directory)
        #expect(Files.name(of: path) == name)
    }

    @Test("Writing replaces the whole content and leaves no temporary file")
    func writingReplacesTheWholeContentAndLeavesNoTemporaryFile() throws {
        try Files.write(Data("first, and longer".utf8), to: directory.file("a"))
        try Files.write(Data("second".utf8), to: directory.file("a"))
        #expect(try Files.read(directory.file("a")) == Data("second".utf8))
        #expect(try Files.list(directory.path) == ["a"])
    }

    @Test("Written files are private")
    func writtenFilesArePrivate() throws {
        try Files.write(Data(), to: directory.file("a"))
        var status = stat()
        #expect(stat(directory.file("a"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("A tree is removed without following links")
    func aTreeIsRemovedWithoutFollowingLinks() throws {
        try Files.createDirectory(directory.file("tree/a/b/c"))
        try Files.touch(directory.file("tree/a/b/c/file"))
        try Files.touch(directory.file("outside"))
        try Files.symlink(directory.file("tree/a/link"), to: directory.path)
        try Files.removeTree(directory.file("tree"))
        #expect(try Files.list(directory.path) == ["outside"])
    }

    @Test("Removing a missing file is accepted")
    func removingWhatIsNotThereIsAccepted() throws {
        try Files.remove(directory.file("nothing"))
        try Files.removeTree(directory.file("nothing"))
    }

    @Test("A link is replaced in one step")
    func aLinkIsReplacedInOneStep() throws {
        try Files.symlink(directory.file("latest"), to: "one")
        try Files.symlink(directory.file("latest"), to: "two")
        #expect(try Files.readLink(directory.file("latest")) == "two")
    }

    @Test("An exclusive rename does not replace")
    func anExclusiveRenameDoesNotReplace() throws {
        try Files.createDirectory(directory.file("a"))
        try Files.createDirectory(directory.file("b"))
        let error = #expect(throws: SystemError.self) {
            try Files.renameExclusively(directory.file("a"), to: directory.file("b"))
        }
        #expect(error?.errno == EEXIST)
    }

    @Test("A directory open to others is not private")
    func aDirectoryOpenToOthersIsNotPrivate() throws {
        #expect(try Files.isPrivateDirectory(directory.path))
        for mode in [0o755, 0o750, 0o701] as [mode_t] {
            chmod(directory.path, mode)
            #expect(try !Files.isPrivateDirectory(directory.path))
        }
    }

    @Test("A directory watch names what changed")
    func aDirectoryWatchNamesWhatChanged() throws {
        let watch = try DirectoryWatch(directory.path)
        #expect(try watch.changes() == [])
        try Files.touch(directory.file("new"))
        #expect(try Polling.waitReadable([watch.rawDescriptor], timeoutNanoseconds: 5_000_000_000) == [true])
        #expect(try watch.changes() == ["new"])
    }
}
