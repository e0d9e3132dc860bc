package import Foundation

/// The names that applications derive from the instance identifier to find what they share
/// (sharing.md, section 3.4).
package struct SharedNames: Equatable, Sendable {
    /// Bytes that the system allows in the name of a shared memory, without the terminating NUL.
    package static let memoryNameLimit = 31
    /// Bytes of a computed memory identifier.
    package static let computedIdentifierLength = 4

    /// Last part of the memory's name.
    package let memoryIdentifier: String
    /// Name of the shared memory, without a leading slash.
    package let memoryName: String
    /// File names, in the root of the app group container.
    package let statusLock: String
    package let operationLock: String
    package let queueLock: String
    /// File with the name of the memory that the applications use, beside the locks (sharing.md, D15).
    package let memoryRecord: String
    /// SHA-256 of the instance identifier, 32 bytes.
    package let instanceHash: Data

    /// - Parameters:
    ///   - instanceId: the instance identifier that all sharing applications use.
    ///   - appGroup: the app group.
    ///   - memoryIdentifier: the configured identifier; nil computes it.
    package init(instanceId: String, appGroup: String, memoryIdentifier: String?) {
        let identifier = memoryIdentifier ?? Self.computedMemoryIdentifier(instanceId: instanceId)
        self.memoryIdentifier = identifier
        memoryName = appGroup + "." + identifier
        statusLock = Self.lockFileName("statusLock:", instanceId)
        operationLock = Self.lockFileName("operationLock:", instanceId)
        queueLock = Self.lockFileName("queueLock:", instanceId)
        memoryRecord = "PowerAuthSharedMemory-" + Self.hash("memoryName:" + instanceId)
        instanceHash = Digest.sha256(Data(instanceId.utf8))
    }

    /// First four characters of the name hash.
    package static func computedMemoryIdentifier(instanceId: String) -> String {
        String(hash(instanceId).prefix(computedIdentifierLength))
    }

    /// True for 1 to 4 ASCII letters, digits, `-` or `+`. Compared byte by byte, independent of any locale
    /// (sharing.md, D27).
    package static func isValidMemoryIdentifier(_ identifier: String) -> Bool {
        let bytes = identifier.utf8
        guard (1...4).contains(bytes.count) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"):
                true
            default:
                false
            }
        }
    }

    /// 43 characters of Base64 over SHA-256 that can stand in a file name: `/` becomes `-`, `+` stays.
    package static func hash(_ text: String) -> String {
        let base64 = Digest.sha256(Data(text.utf8)).base64EncodedString()
        return String(base64.replacing("/", with: "-").prefix(43))
    }

    private static func lockFileName(_ purpose: String, _ instanceId: String) -> String {
        "PowerAuthSharedLock-" + hash(purpose + instanceId)
    }
}
