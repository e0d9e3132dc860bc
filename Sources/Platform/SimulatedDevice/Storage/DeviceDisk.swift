// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabPoints
import LabSystem

/// The room that the storage of a device has left for what apps write, and for what they send and receive over a watch link.
///
/// It lives in a page that all processes of the device map, so that a change is seen at once. Writes of the system
/// itself, such as the confirmation of a transfer, always succeed. Thread rule: any thread; nothing blocks.
public final class DeviceDisk: Sendable {
    /// Why nothing was written.
    public enum Refusal: String, Error, CustomStringConvertible {
        /// The storage is full.
        case full = "ENOSPC"
        /// Nothing may be written at all.
        case readOnly = "EROFS"

        public var description: String {
            switch self {
            case .full: "No space left on device (ENOSPC)"
            case .readOnly: "Read-only file system (EROFS)"
            }
        }
    }

    private enum State: UInt32 { case roomy, full, readOnly }

    // Four words: the state, the bytes left, the number of the fault, and how many writes it has refused.
    private static let size = 16

    private let page: MappedMemory
    private var state: MappedWord32 { page.word32(at: 0) }
    private var bytesLeft: MappedWord32 { page.word32(at: 4) }
    private var number: MappedWord32 { page.word32(at: 8) }
    private var refusals: MappedWord32 { page.word32(at: 12) }

    /// Opens the storage of a device.
    public init(layout: InstanceLayout, device: String) throws {
        let path = layout.deviceDirectory(device) + "/disk"
        if !Files.exists(path) {
            try Files.createDirectory(layout.deviceDirectory(device))
            // One process makes the page; the others map that one, and never an empty one.
            try FileLock(path: path + ".lock").withLock {
                guard !Files.exists(path) else { return }
                try Files.write(Data(count: Self.size), to: path)
            }
        }
        page = try MappedMemory.file(path, size: Self.size, create: false)
    }

    /// Takes the room for a write; a deletion needs none.
    public func take(bytes: Int) throws(Refusal) {
        switch State(rawValue: state.loadAcquire()) ?? .roomy {
        case .roomy: return
        case .readOnly: throw refuse(.readOnly)
        case .full:
            while true {
                let left = bytesLeft.loadRelaxed()
                guard bytes <= Int(left) else { throw refuse(.full) }
                if bytesLeft.compareExchange(expected: left, desired: left - UInt32(bytes)) { return }
            }
        }
    }

    private func refuse(_ refusal: Refusal) -> Refusal {
        refusals.add(1)
        return refusal
    }

    /// Leaves so much room. For the system of the device.
    /// - Returns: The number of the fault.
    public func fill(leaving bytes: Int) -> Int { begin(.full, leaving: bytes) }

    /// Refuses every write. For the system of the device.
    /// - Returns: The number of the fault.
    public func makeReadOnly() -> Int { begin(.readOnly, leaving: 0) }

    private func begin(_ fault: State, leaving bytes: Int) -> Int {
        free()
        bytesLeft.storeRelaxed(UInt32(clamping: bytes))
        refusals.storeRelaxed(0)
        let before = number.add(1)
        state.storeRelease(fault.rawValue)
        return Int(before) + 1
    }

    /// Has room for everything again. For the system of the device.
    public func free() { state.storeRelease(State.roomy.rawValue) }

    /// The present fault and how many writes it has refused; nil while there is room.
    public var fault: (number: Int, refusals: Int)? {
        guard state.loadAcquire() != State.roomy.rawValue else { return nil }
        return (Int(number.loadRelaxed()), Int(refusals.loadRelaxed()))
    }
}

/// The device's storage as one app writes to it; refusals are traced. Thread rule: any thread.
struct AppStorage: Sendable {
    let disk: DeviceDisk
    let trace: TraceWriter?
    /// Called before a write that changes how much room is left for other apps.
    let changesRoom: @Sendable () -> Void

    /// Takes the room for a write.
    /// - Parameter what: What is written, in a word.
    func takeRoom(_ bytes: Int, for what: String) throws(DeviceDisk.Refusal) {
        if disk.fault != nil { changesRoom() }
        do {
            try disk.take(bytes: bytes)
        } catch {
            trace?.emit(
                .diskRefused,
                ["what": .string(what), "bytes": .integer(Int64(bytes)), "error": .string(error.rawValue)])
            throw error
        }
    }

    /// Replaces a file in one step.
    func write(_ data: Data, to path: String, for what: String) throws {
        try takeRoom(data.count, for: what)
        try Files.write(data, to: path)
    }
}
