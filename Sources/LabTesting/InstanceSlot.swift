internal import Foundation
internal import LabKit
internal import LabSystem

/// One of the places for instances of tests: at most two run at once on a machine, over all processes of a
/// user, because a test runner would start hundreds together.
///
/// Thread rule: any thread.
final class InstanceSlot: Sendable {
    private static let count = 2
    private let lock: FileLock

    /// Waits until a place is free and takes it.
    init() throws {
        let directory = "\(FileManager.default.temporaryDirectory.path)/palab-slots-\(NSUserName())"
        try Files.createDirectory(directory)
        let locks = try (1...Self.count).map { try FileLock(path: "\(directory)/\($0)") }
        for lock in locks where try lock.tryLock() {
            self.lock = lock
            return
        }
        // All are taken: queue up at one of them, in the kernel.
        let chosen = locks[Int.random(in: 0..<locks.count)]
        try chosen.lock()
        lock = chosen
    }

    /// Gives the place back.
    func leave() {
        try? lock.unlock()
    }
}
