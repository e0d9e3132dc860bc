// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("File locks", .endsInTime)
struct FileLockTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `Two locks on one path exclude each other`() throws {
        let first = try FileLock(path: directory.file("lock"))
        let second = try FileLock(path: directory.file("lock"))
        try first.lock()
        #expect(try !second.tryLock())
        #expect(try !second.tryLockShared())
        try first.unlock()
        #expect(try second.tryLock())
    }

    @Test func `A body that throws releases the lock`() throws {
        let first = try FileLock(path: directory.file("lock"))
        let second = try FileLock(path: directory.file("lock"))
        #expect(throws: CancellationError.self) { try first.withLock { throw CancellationError() } }
        #expect(try second.tryLock())
    }

    @Test func `Shares coexist and exclude the whole lock`() throws {
        let first = try FileLock(path: directory.file("lock"))
        let second = try FileLock(path: directory.file("lock"))
        #expect(try first.tryLockShared())
        #expect(try second.tryLockShared())
        #expect(try !second.tryLock())
        // Asking for the whole lock gave the second's share up, so the first is alone now.
        #expect(try first.tryLock())
    }

    @Test func `A share is given at once while there are only shares, and does not exclude readers`() throws {
        let locks = try (0..<3).map { _ in try FileLock(path: directory.file("lock")) }
        try locks[0].lockShared()
        try locks[1].lockShared()
        #expect(try !locks[2].tryLock())
        let held = try withExtendedLifetime(locks) { try ProcessTable.heldLocks(by: getpid()) }
            .filter { $0.path?.hasSuffix("\(directoryName)/lock") == true }
        #expect(held.map(\.isExclusive) == [false, false])
        #expect(held.map(\.kind) == [.flock, .flock])
        try locks[0].unlock()
        try locks[1].unlock()
        #expect(try locks[2].tryLock())
        #expect(try locks[2].withLock { 7 } == 7)
        #expect(try locks[0].tryLock(), "its end has released the lock")
    }

    @Test func `A lock of a missing file makes the file only when asked`() throws {
        let path = directory.file("lock")
        #expect(throws: SystemError(call: "open", errno: ENOENT, path: path)) {
            try FileLock(path: path, create: false)
        }
        #expect(!Files.exists(path))
        let lock = try FileLock(path: path)
        #expect(lock.path == path)
        #expect(try lock.descriptor.permissions() == 0o600)
        #expect(try lock.isNamed())
        try Files.remove(path)
        #expect(try !lock.isNamed())
    }

    @Test func `The lock of an open file excludes others of its path`() throws {
        let file = try FileDescriptor.open(directory.file("lock"), flags: O_RDWR | O_CREAT)
        let lock = FileLock(file)
        #expect(lock.path == directory.file("lock"))
        try lock.lock()
        #expect(try !FileLock(path: directory.file("lock")).tryLockShared())
        #expect(FileLock(try FileDescriptor.pipe().reading).path == "")
    }

    @Test func `Waiting ends when the holder releases`() throws {
        let path = directory.file("lock")
        let holder = try FileLock(path: path)
        try holder.lock()
        let started = DispatchSemaphore(value: 0)
        let thread = runOnThread(name: "waiter") {
            started.signal()
            let waiter = try? FileLock(path: path)
            try? waiter?.lock()
        }
        started.wait()
        try holder.unlock()
        thread.join()
    }

    @Test func `The kernel releases the lock of a killed process`() throws {
        let path = directory.file("lock")
        // flock(1) holds the lock while its command runs; the command reports that it runs, then waits for its input.
        let input = try FileDescriptor.pipe()
        let output = try FileDescriptor.pipe()
        let holder = try ChildProcess.spawn(
            executable: "/usr/bin/flock", arguments: ["--close", path, "/bin/sh", "-c", "echo held; exec /bin/cat"],
            standardInput: .file(input.reading), standardOutput: .file(output.writing))
        #expect(try output.reading.read(count: 5) == Data("held\n".utf8))
        let lock = try FileLock(path: path)
        #expect(try !lock.tryLock())
        try holder.signal(SIGKILL)
        try lock.lock()
        #expect(try holder.wait() == .signaled(SIGKILL))
        withExtendedLifetime(input) {}
    }

    @Test func `A removed lock file is noticed`() throws {
        let lock = try FileLock(path: directory.file("lock"))
        #expect(try lock.isCurrent())
        try Files.remove(directory.file("lock"))
        #expect(try !lock.isCurrent())
        _ = try FileLock(path: directory.file("lock"))
        #expect(try !lock.isCurrent())
    }

    @Test func `Held locks of a process are listed with their paths`() throws {
        let lock = try FileLock(path: directory.file("lock"))
        try lock.lock()
        // An optimised build would close the file before.
        let held = try withExtendedLifetime(lock) { try ProcessTable.heldLocks(by: getpid()) }
        let mine = held.first { $0.path?.hasSuffix("/lock") == true && $0.path?.contains(directoryName) == true }
        #expect(mine?.kind == .flock)
        #expect(mine?.isExclusive == true)
    }

    @Test func `Of two open files on two file systems the locked one is listed`() throws {
        let memory = "/dev/shm/lab-test-\(UUID().uuidString)"
        defer { try? Files.remove(memory) }
        let locks = try [directory.file("lock"), memory].map { try FileLock(path: $0) }
        for lock in locks { try lock.lock() }
        let paths = try ProcessTable.heldLocks(by: getpid()).filter { $0.kind == .flock }.compactMap(\.path)
        #expect(paths.contains(memory))
        #expect(paths.contains { $0.hasSuffix("\(directoryName)/lock") })
        try locks[0].unlock()
        let rest = try withExtendedLifetime(locks) { try ProcessTable.heldLocks(by: getpid()).compactMap(\.path) }
        #expect(rest.contains(memory))
        #expect(!rest.contains { $0.hasSuffix("\(directoryName)/lock") })
    }

    @Test func `A process that waits for a lock is listed with the lock's file`() throws {
        let held = try FileLock(path: directory.file("lock"))
        try held.lock()
        let file = try #require(
            ProcessTable.heldLocks(by: getpid()).first { $0.path?.hasSuffix("\(directoryName)/lock") == true }?.file)
        #expect(try !ProcessTable.lockWaiters().contains { $0.file == file })
        let other = try FileLock(path: directory.file("lock"))
        let thread = runOnThread(name: "waiter") { try? other.lock() }
        defer { thread.join() }
        defer { try? held.unlock() }
        // The limit of the suite ends it when the waiter is never listed.
        while try !ProcessTable.lockWaiters().contains(where: { $0.pid == getpid() && $0.file == file }) {
            sched_yield()
        }
    }

    @Test func `A process that has ended holds no locks`() throws {
        #expect(try ProcessTable.heldLocks(by: Int32.max).isEmpty)
    }

    private var directoryName: String { (directory.path as NSString).lastPathComponent }
}
