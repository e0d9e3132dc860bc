import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Shared memory", .endsInTime)
struct SharedMemoryTests {
    private let name = "/labsystemtest-\(UUID().uuidString.prefix(12))"

    @Test("Two mappings show the same bytes")
    func twoMappingsShowTheSameBytes() throws {
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

    @Test("An object detects the removal of its name, and has its size until then")
    func anObjectKnowsWhenItsNameIsGone() throws {
        let object = try SharedMemoryObject.create(name: name, size: 256)
        #expect(try object.sizeIfNamed() == 256)
        try object.truncate(to: 16)
        #expect(try SharedMemoryObject.open(name: name).sizeIfNamed() == 16)
        try SharedMemoryObject.unlink(name: name)
        #expect(try object.sizeIfNamed() == nil)
    }

    @Test("A copy of the first bytes has as many as exist, also after a truncation")
    func copy() throws {
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

    @Test(
        "An object without enough memory is refused and leaves no name, instead of crashing its users",
        .enabled(if: sharedMemoryIsLimited, "the machine's shared memory has no limit"))
    func anObjectWithoutRoomIsRefused() throws {
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

    @Test("Creating twice fails with EEXIST")
    func creatingTwiceFailsWithEEXIST() throws {
        _ = try SharedMemoryObject.create(name: name, size: 256)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let error = #expect(throws: SystemError.self) { try SharedMemoryObject.create(name: name, size: 256) }
        #expect(error?.errno == EEXIST)
        #expect(error?.path == name)
    }

    @Test("Opening a missing name fails with ENOENT")
    func openingAMissingNameFailsWithENOENT() {
        let error = #expect(throws: SystemError.self) { try SharedMemoryObject.open(name: name) }
        #expect(error?.errno == ENOENT)
    }

    @Test("Mapping more than the size fails instead of crashing later")
    func mappingMoreThanThereIsFailsInsteadOfCrashingLater() throws {
        let object = try SharedMemoryObject.create(name: name, size: 100)
        defer { try? SharedMemoryObject.unlink(name: name) }
        let error = #expect(throws: SystemError.self) { try object.map(count: 256) }
        #expect(error?.errno == EOVERFLOW)
    }

    @Test("A mapped file of another size is refused")
    func aMappedFileOfAnotherSizeIsRefused() throws {
        let directory = try TemporaryDirectory()
        _ = try MappedMemory.file(directory.file("page"), size: 4_096, create: true)
        let error = #expect(throws: SystemError.self) {
            try MappedMemory.file(directory.file("page"), size: 8_192, create: false)
        }
        #expect(error?.errno == EOVERFLOW)
    }

    @Test("A futex wakes a waiter and honours its deadline")
    func aFutexWakesAWaiterAndHonoursItsDeadline() throws {
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

    @Test("Concurrent adds lose nothing")
    func concurrentAddsLoseNothing() throws {
        let directory = try TemporaryDirectory()
        let memory = try MappedMemory.file(directory.file("page"), size: 4_096, create: true)
        let word = memory.word32(at: 4)
        let threads = (0..<4).map { _ in
            runOnThread(name: "adder") { for _ in 0..<10_000 { word.add(1) } }
        }
        threads.forEach { $0.join() }
        #expect(word.loadAcquire() == 40_000)
    }
}
