public import Foundation
public import LabKit
import LabSystem

/// The wall clock of a device: the lab's clock plus the device's own deviation.
///
/// The deviation lives in an 8-byte page that all processes of the device map, so that a change is seen at once.
/// Thread rule: any thread; nothing blocks.
public final class DeviceClock: Sendable {
    private let clock: LabClock
    private let page: MappedMemory

    /// Opens the clock of a device; the page is created with `initialSkew` (milliseconds) if it does not exist yet.
    public init(layout: InstanceLayout, device: String, clock: LabClock, initialSkew: Int64) throws {
        self.clock = clock
        let path = layout.deviceDirectory(device) + "/clock-skew"
        if !Files.exists(path) {
            try Files.createDirectory(layout.deviceDirectory(device))
            // One process makes the page; the others map that one, and never an empty one.
            try FileLock(path: path + ".lock").withLock {
                guard !Files.exists(path) else { return }
                try Files.write(withUnsafeBytes(of: initialSkew) { Data($0) }, to: path)
            }
        }
        page = try MappedMemory.file(path, size: MemoryLayout<Int64>.size, create: false)
    }

    /// How far the clock is ahead of the lab's, in milliseconds.
    public var skewMilliseconds: Int64 { Int64(bitPattern: page.word64(at: 0).loadRelaxed()) }

    /// Sets how far the clock is ahead of the lab's, in milliseconds, for all processes of the device.
    public func setSkew(milliseconds: Int64) {
        page.word64(at: 0).storeRelaxed(UInt64(bitPattern: milliseconds))
    }

    /// Milliseconds since 1970 on this device.
    public var currentTimeMillis: Int64 { clock.now().milliseconds + skewMilliseconds }

    /// The date on this device.
    public func now() -> Date {
        Date(timeIntervalSince1970: clock.now().seconds + Double(skewMilliseconds) / 1000)
    }
}
