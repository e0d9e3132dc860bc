// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Shared memory", .endsInTime)
struct SharedMemoryTests {
    private let name = "/labsystemtest-\(UUID().uuidString.prefix(12))"

    @Test func `Two mappings show the same bytes`() throws {
        let created = try SharedMemoryObject.create(name: name, size: 256)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let opened = try SharedMemoryObject.open(name: name)
        #expect(try opened.size() == 256)
        let first = try created.map()
        let second = try opened.map(count: 256)
        first.word32(at: 8).storeRelease(0xDEAD_BEEF)
        #expect(second.word32(at: 8).loadAcquire() == 0xDEAD_BEEF)
        #expect(try SharedMemoryObject.list().contains(name))
    }

    @Test func `An object detects the removal of its name, and has its size until then`() throws {
        let object = try SharedMemoryObject.create(name: name, size: 256)
        #expect(try object.sizeIfNamed() == 256)
        try object.truncate(to: 16)
        #expect(try SharedMemoryObject.open(name: name).sizeIfNamed() == 16)
        try SharedMemoryObject.unlink(name: name)
        #expect(try object.sizeIfNamed() == nil)
    }

    @Test func `A copy of the first bytes has as many as exist, also after a truncation`() throws {
        let object = try SharedMemoryObject.create(name: name, size: 256)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let memory = try object.map()
        withExtendedLifetime(memory) { memory.word32(at: 0).storeRelease(0x0403_0201) }
        let whole = try SharedMemoryObject.copy(name: name, count: 128)
        #expect(whole.size == 256 && whole.bytes.count == 128 && whole.bytes.prefix(4) == Data([1, 2, 3, 4]))
        try object.truncate(to: 2)
        let cut = try SharedMemoryObject.copy(name: name, count: 128)
        #expect(cut.size == 2 && cut.bytes == Data([1, 2]))
        try SharedMemoryObject.unlink(name: name)
        #expect(throws: SystemError.self) { try SharedMemoryObject.copy(name: name, count: 128) }
    }

    @Test(.enabled(if: sharedMemoryIsLimited, "the machine's shared memory has no limit"))
    func `An object without enough memory is refused and leaves no name, instead of crashing its users`() throws {
        defer { try? SharedMemoryObject.unlink(name: name) }
        let error = #expect(throws: SystemError.self) { try SharedMemoryObject.create(name: name, size: 1 << 44) }
        #expect(error?.call == "posix_fallocate")
        #expect(error?.errno == ENOSPC)
        #expect(try !SharedMemoryObject.list().contains(name))
    }

    /// More than the whole of a limited file system is refused at once, so nothing is used up.
    private static var sharedMemoryIsLimited: Bool {
        var status = statvfs()
        return statvfs("/dev/shm", &status) == 0 && status.f_blocks > 0 && status.f_blocks < 1 << 30
    }

    @Test func `Creating twice fails with EEXIST`() throws {
        _ = try SharedMemoryObject.create(name: name, size: 256)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let error = #expect(throws: SystemError.self) { try SharedMemoryObject.create(name: name, size: 256) }
        #expect(error?.errno == EEXIST)
        #expect(error?.path == name)
    }

    @Test func `Opening a missing name fails with ENOENT`() {
        let error = #expect(throws: SystemError.self) { try SharedMemoryObject.open(name: name) }
        #expect(error?.errno == ENOENT)
    }

    @Test func `Mapping more than the size fails instead of crashing later`() throws {
        let object = try SharedMemoryObject.create(name: name, size: 100)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let error = #expect(throws: SystemError.self) { try object.map(count: 256) }
        #expect(error?.errno == EOVERFLOW)
    }

    @Test func `A mapped file of another size is refused`() throws {
        let directory = try TemporaryDirectory()
        _ = try MappedMemory.file(directory.file("page"), size: 4_096, create: true)
        let error = #expect(throws: SystemError.self) {
            try MappedMemory.file(directory.file("page"), size: 8_192, create: false)
        }
        #expect(error?.errno == EOVERFLOW)
    }

    @Test(arguments: [-1, 0, 1] + Sizes.around(100))
    func `A file is mapped up to its end, and from one byte on`(count: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("page")
        let file = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT)
        try file.truncate(to: 100)
        if (1...100).contains(count) {
            let memory = try MappedMemory(file, count: count)
            #expect(memory.count == count && memory.bytes.count == count)
            #expect(memory.bytes.baseAddress == memory.base)
        } else {
            let expected = SystemError(call: "mmap", errno: count < 1 ? EINVAL : EOVERFLOW, path: path)
            #expect(throws: expected) { try MappedMemory(file, count: count) }
        }
        #expect(throws: SystemError(call: "open", errno: EEXIST, path: path)) {
            try MappedMemory.file(path, size: 100, create: true)
        }
        let whole = try? MappedMemory.file(path, size: count, create: false)
        #expect((whole == nil) == (count != 100), "a file of exactly this size")
    }

    @Test func `Words are read and written in every way, and changed only from the expected value`() throws {
        let object = try SharedMemoryObject.create(name: name, size: 64)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let memory = try object.map()
        #expect(memory.count == 64)
        let (word, long) = (memory.word32(at: 60), memory.word64(at: 48))
        #expect(word.add(5) == 0)
        #expect(word.add(.max) == 5)
        #expect(word.loadRelaxed() == 4)
        #expect(!word.compareExchange(expected: 5, desired: 6))
        #expect(word.loadAcquire() == 4)
        #expect(word.compareExchange(expected: 4, desired: 6))
        #expect(word.loadAcquire() == 6)
        word.storeRelaxed(7)
        #expect(memory.bytes[60] == 7)
        long.storeRelease(0x0807_0605_0403_0201)
        #expect(memory.bytes[48..<56].elementsEqual([1, 2, 3, 4, 5, 6, 7, 8]))
        long.storeRelaxed(9)
        #expect(long.loadAcquire() == 9 && long.loadRelaxed() == 9)
        withExtendedLifetime(memory) {}
    }

    @Test func `The last change of an own object is its time; a missing one has none`() throws {
        _ = try SharedMemoryObject.create(name: name, size: 64)
        defer { try? SharedMemoryObject.unlink(name: name) }
        var times = Array(repeating: timeval(tv_sec: 1_700_000_000, tv_usec: 250_000), count: 2)
        try #require(utimes("/dev/shm\(name)", &times) == 0)
        #expect(SharedMemoryObject.changeOfOwn(name: name) == 1_700_000_000_250_000_000)
        #expect(SharedMemoryObject.changeOfOwn(name: name + "x") == nil)
        // Removing what is not there is no failure.
        try SharedMemoryObject.unlink(name: name + "x")
    }

    @Test func `A futex wakes a waiter and honours its deadline`() throws {
        let directory = try TemporaryDirectory()
        let memory = try MappedMemory.file(directory.file("page"), size: 4_096, create: true)
        let word = memory.word32(at: 0)
        let past = Int64(MonotonicClock.nanoseconds())
        #expect(try Futex.wait(word, while: 0, until: past) == .timedOut)
        #expect(try Futex.wait(word, while: 1) == .lookAgain, "the word does not hold 1")
        let waiter = runOnThread(name: "waiter") {
            while word.loadAcquire() == 0 { _ = try? Futex.wait(word, while: 0) }
        }
        word.storeRelease(1)
        Futex.wakeAll(word)
        waiter.join()
    }

    @Test func `Concurrent adds lose nothing`() throws {
        let directory = try TemporaryDirectory()
        let memory = try MappedMemory.file(directory.file("page"), size: 4_096, create: true)
        let word = memory.word32(at: 4)
        let threads = (0..<4).map { _ in runOnThread(name: "adder") { for _ in 0..<10_000 { word.add(1) } } }
        threads.forEach { $0.join() }
        #expect(word.loadAcquire() == 40_000)
    }

    @Test func `Concurrent bits are kept, and an exchange gives each once`() throws {
        let directory = try TemporaryDirectory()
        let memory = try MappedMemory.file(directory.file("page"), size: 4_096, create: true)
        let word = memory.word32(at: 4)
        let threads = (0..<4).map { number in
            runOnThread(name: "setter") { for bit in 0..<8 { word.or(UInt32(1) << UInt32(8 * number + bit)) } }
        }
        threads.forEach { $0.join() }
        #expect(word.exchange(7) == .max)
        #expect(word.exchange(0) == 7)
        word.or(0)
        #expect(word.loadAcquire() == 0)
    }
}
