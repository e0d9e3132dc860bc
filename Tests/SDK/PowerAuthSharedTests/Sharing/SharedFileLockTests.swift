// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import PowerAuthShared
import TestSupport
import Testing

@Suite("A lock of the file that is currently at a path", .endsInTime)
struct SharedFileLockTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("group/lock") }

    init() throws { directory = try TemporaryDirectory() }

    /// A lock that makes its directory when it is missing, as an app group container does.
    private func makeLock() throws -> SharedFileLock {
        let path = path
        return try SharedFileLock {
            try? FileManager.default.createDirectory(
                atPath: Files.directory(of: path), withIntermediateDirectories: true)
            return path
        }
    }

    @Test func `Two locks exclude each other, also after their file was removed`() throws {
        let first = try makeLock()
        let second = try makeLock()
        try Files.remove(path)
        #expect(try first.tryLock())
        #expect(try !second.tryLock())
        try first.unlock()
        #expect(try second.tryLock())
    }

    @Test func `They exclude each other after the whole directory was removed`() throws {
        let first = try makeLock()
        let second = try makeLock()
        try Files.removeTree(directory.file("group"))
        try first.lock()
        #expect(try !second.tryLock())
    }

    @Test func `A waiter for the lock of a file that is replaced meanwhile gets the lock of the new one`() throws {
        let holder = try makeLock()
        let waiter = try makeLock()
        try holder.lock()
        let thread = runOnThread(name: "waiter") { try? waiter.lock() }
        try Files.remove(path)
        let newcomer = try makeLock()
        try holder.unlock()
        thread.join()
        #expect(try !newcomer.tryLock(), "the waiter took the lock of a file that is gone")
    }

    @Test func `A held lock stays held, and is taken again on a new file`() throws {
        let lock = try makeLock()
        try lock.lock()
        #expect(try lock.tryLock())
        try Files.remove(path)
        #expect(try lock.tryLock())
        #expect(try !makeLock().tryLock())
    }

    @Test func `A path that cannot be created is the system's error, and leaves no lock behind`() throws {
        let path = directory.file("lock")
        let lock = try SharedFileLock { path }
        let other = try FileLock(path: path)
        try Files.remove(path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { try lock.tryLock() }
        #expect(try other.tryLock(), "the lock of the old file is still held")
    }
}
