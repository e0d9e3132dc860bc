// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabSystem

/// What a device has in its memory beside its apps, written into its directory while its agent does not run: its shared
/// memory, and which of its links are in range.
///
/// An agent that starts on a device with a hibernation continues instead of booting: shared memory is as it was, and the
/// device is as locked as it was. It removes the file when that is done, so an agent that dies before starts over.
public struct Hibernation: Codable, Equatable, Sendable {
    /// Whether the links of a phone are in range, by their names.
    public var linksInRange: [String: Bool]
    /// The contents of shared memory, by the 16 hexadecimal digits at the end of its name on the machine.
    public var memory: [String: Data]

    /// Describes the memory of a device.
    public init(linksInRange: [String: Bool], memory: [String: Data]) {
        self.linksInRange = linksInRange
        self.memory = memory
    }

    /// Copies the memory of a device whose agent was killed: one that ends in order unlinks the shared memory first.
    /// - Throws: `SystemError` for an object that cannot be read.
    public init(of device: String, in layout: InstanceLayout, linksInRange: [String: Bool]) throws {
        self.init(linksInRange: linksInRange, memory: [:])
        let prefix = "\(layout.sharedMemoryPrefix)\(device)-"
        for name in try SharedMemoryObject.list() where name.hasPrefix(prefix) {
            // The boot and the digits; the name of another device may begin with the name of this one and a dash.
            let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, Int(parts[0]) != nil, Self.areDigits(parts[1]) else { continue }
            let size = try SharedMemoryObject.open(name: name).size()
            memory[String(parts[1])] = try SharedMemoryObject.copy(name: name, count: size).bytes
        }
    }

    /// Reads the hibernation of a device; nil without one.
    /// - Throws: `InstanceError.unreadable` for a damaged file.
    public static func read(_ layout: InstanceLayout, device: String) throws -> Hibernation? {
        let path = layout.hibernationPath(device)
        guard Files.exists(path) else { return nil }
        let data = try Files.read(path)
        guard let hibernation = try? JSONDecoder().decode(Hibernation.self, from: data),
            hibernation.memory.keys.allSatisfy({ areDigits($0) })
        else { throw InstanceError.unreadable(path: path, expected: "the memory of a device") }
        return hibernation
    }

    /// Writes the hibernation of a device in one step.
    public func write(_ layout: InstanceLayout, device: String) throws {
        try Files.write(try JSONEncoder().encode(self), to: layout.hibernationPath(device))
    }

    /// Removes the hibernation of a device; one without any is accepted.
    public static func remove(_ layout: InstanceLayout, device: String) throws {
        try Files.remove(layout.hibernationPath(device))
    }

    /// They become a part of a path.
    private static func areDigits(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
