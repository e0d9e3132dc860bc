// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

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
        // The first of the line looks for any place: who waits at one may wait for a test that itself waits for this one.
        let line = try FileLock(path: "\(directory)/line")
        try line.lock()
        defer { try? line.unlock() }
        while true {
            for lock in locks where try lock.tryLock() {
                self.lock = lock
                return
            }
            MonotonicClock.pause(nanoseconds: 2_000_000)
        }
    }

    /// Gives the place back.
    func leave() {
        try? lock.unlock()
    }
}
