import Foundation
public import LabKit
import LabSystem

/// Whether a device has a network.
///
/// It lives in a page that all processes of the device map, so that a change is seen at once. Thread rule: any thread;
/// nothing blocks.
public final class DeviceConnectivity: Sendable {
    // One word: 0 online, 1 offline.
    private static let size = 4

    /// What a request fails with while the device is offline.
    static var offline: NSError {
        NSError(
            domain: NSURLErrorDomain, code: URLError.Code.notConnectedToInternet.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "The Internet connection appears to be offline."])
    }

    private let page: MappedMemory
    private var word: MappedWord32 { page.word32(at: 0) }

    /// Opens the network of a device, which is online at first.
    public init(layout: InstanceLayout, device: String) throws {
        let path = layout.deviceDirectory(device) + "/offline"
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

    /// Whether anything outside of the device can be reached.
    public var isOnline: Bool { word.loadAcquire() == 0 }

    /// Takes the device off the network or brings it back. For the system of the device.
    public func setOnline(_ isOnline: Bool) { word.storeRelease(isOnline ? 0 : 1) }
}
