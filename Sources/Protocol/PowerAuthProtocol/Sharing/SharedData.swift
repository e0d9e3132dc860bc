// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The 256 bytes that sharing applications see at the same time (sharing.md, section 7.2).
///
/// Fields live at fixed offsets in native byte order (little-endian on every target); Swift's own layout plays
/// no part. Thread rule: every access to mapped memory happens under the status lock of the session interface.
package struct SharedData {
    /// Size of the memory in bytes.
    package static let size = 256
    /// Bytes that an application identifier may have; one more is its terminating zero.
    package static let applicationIdentifierLimit = 127

    private static let magic = Data("MPS".utf8)
    private static let version = UInt8(ascii: "1")

    private enum Offset {
        static let magic = 0
        static let version = 3
        static let stateModifyCounter = 8
        static let tokenModifyCounter = 16
        static let operationType = 72
        static let operationStart = 80
        static let operationTicket = 88
        static let operationApplication = 96
        static let instanceHash = 224
    }

    private let base: UnsafeMutableRawPointer

    /// - Parameter base: start of at least ``size`` mapped bytes, aligned to 8, which outlive this value.
    package init(base: UnsafeMutableRawPointer) { self.base = base }

    /// Number of state changes that were saved, from 1.
    package var stateModifyCounter: UInt64 {
        get { base.load(fromByteOffset: Offset.stateModifyCounter, as: UInt64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.stateModifyCounter, as: UInt64.self) }
    }

    /// Number of accesses that changed tokens, from 1.
    package var tokenModifyCounter: UInt64 {
        get { base.load(fromByteOffset: Offset.tokenModifyCounter, as: UInt64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.tokenModifyCounter, as: UInt64.self) }
    }

    /// Raw value of the external operation, 0 for none.
    package var operationType: Int64 {
        get { base.load(fromByteOffset: Offset.operationType, as: Int64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.operationType, as: Int64.self) }
    }

    /// Seconds since 1970 of the owner's last sign of life, 0 for none.
    package var operationStart: Double {
        get { base.load(fromByteOffset: Offset.operationStart, as: Double.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.operationStart, as: Double.self) }
    }

    /// Number of operations ever started, from 1; never reset.
    package var operationTicket: UInt64 {
        get { base.load(fromByteOffset: Offset.operationTicket, as: UInt64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: Offset.operationTicket, as: UInt64.self) }
    }

    /// Identifier of the application that owns the operation, up to the first zero byte; nil when the bytes are not
    /// UTF-8. A setter writes the bytes and one zero: the rest of a longer name stays.
    package var operationApplication: String? {
        get {
            let field = UnsafeRawBufferPointer(
                start: base + Offset.operationApplication, count: Self.applicationIdentifierLimit + 1)
            return String(validating: field.prefix { $0 != 0 }, as: UTF8.self)
        }
        nonmutating set {
            let bytes = Data((newValue ?? "").utf8.prefix(Self.applicationIdentifierLimit)) + [0]
            bytes.withUnsafeBytes {
                (base + Offset.operationApplication).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
            }
        }
    }

    /// Counts a saved change of the state.
    package func countStateChange() { stateModifyCounter = Self.successor(of: stateModifyCounter) }
    /// Counts an access that changes tokens.
    package func countTokenChange() { tokenModifyCounter = Self.successor(of: tokenModifyCounter) }

    /// Counts the start of an operation.
    /// - Returns: the ticket of the operation.
    package func countOperation() -> UInt64 {
        operationTicket = Self.successor(of: operationTicket)
        return operationTicket
    }

    /// The successor of any value: a process that can write the memory must not crash the processes that count in it.
    /// Counters are only compared for equality. So the greatest value, which only a foreign process can have written,
    /// is followed by one that no application can be in step with, because all of them began with 1.
    private static func successor(of value: UInt64) -> UInt64 { value == .max ? 1 << 62 : value + 1 }

    /// Clears type, time and application; the ticket keeps its value.
    package func clearOperation() {
        operationType = 0
        operationStart = 0
        (base + Offset.operationApplication).initializeMemory(
            as: UInt8.self, repeating: 0, count: Self.applicationIdentifierLimit + 1)
    }

    /// Fills new memory.
    /// - Parameter instanceHash: 32 bytes.
    package func initialize(instanceHash: Data) {
        base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
        stateModifyCounter = 1
        tokenModifyCounter = 1
        operationTicket = 1
        write(instanceHash, at: Offset.instanceHash)
        base.storeBytes(of: Self.version, toByteOffset: Offset.version, as: UInt8.self)
        // Last: after a crash before this the memory reads as never initialised.
        write(Self.magic, at: Offset.magic)
    }

    /// True if ``initialize(instanceHash:)`` was not finished because its creator died (sharing.md, D11).
    package var isUninitialized: Bool {
        UnsafeRawBufferPointer(start: base + Offset.magic, count: 3).allSatisfy { $0 == 0 }
    }

    /// What three bytes say that every page begins with.
    package var magic: Data { bytes(at: Offset.magic, count: 3) }
    /// True when ``magic`` is that of a page.
    package var hasMagic: Bool { magic == Self.magic }
    /// The version of the layout, an ASCII digit.
    package var version: UInt8 { base.load(fromByteOffset: Offset.version, as: UInt8.self) }
    /// True when the page has the layout of this structure.
    package var hasKnownVersion: Bool { version == Self.version }
    /// SHA-256 of the instance identifier that the page belongs to, 32 bytes.
    package var instanceHash: Data { bytes(at: Offset.instanceHash, count: 32) }

    private func bytes(at offset: Int, count: Int) -> Data { Data(bytes: base + offset, count: count) }

    private func write(_ data: Data, at offset: Int) {
        data.withUnsafeBytes { source in
            // An empty value has no address; nothing is written then.
            guard let start = source.baseAddress else { return }
            (base + offset).copyMemory(from: start, byteCount: source.count)
        }
    }
}

/// The names that applications derive from the instance identifier to find what they share (sharing.md, section 3.4).
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
            default: false
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
