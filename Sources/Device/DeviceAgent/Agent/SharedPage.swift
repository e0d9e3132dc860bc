import Foundation
import LabKit
import LabSystem
import PowerAuthProtocol

/// A copy of the memory that apps share.
///
/// Copied by `read` instead of mapped: truncating mapped memory ends the process that reads it.
struct SharedPage {
    /// The name that the apps know.
    let name: String
    /// Size of the memory in bytes; nil if it does not exist.
    let size: Int?
    /// The fields; nil when there are too few bytes.
    private let bytes: Data?

    /// - Parameters:
    ///   - name: the name that the apps know.
    ///   - physicalName: the name that the machine knows.
    init(_ name: String, physicalName: String) throws {
        self.name = name
        do {
            let copy = try SharedMemoryObject.copy(name: physicalName, count: SharedData.size)
            size = copy.size
            bytes = copy.bytes.count == SharedData.size ? copy.bytes : nil
        } catch let error as SystemError where error.errno == ENOENT {
            (size, bytes) = (nil, nil)
        }
    }

    private func withFields<T>(_ body: (SharedData) -> T) -> T? {
        guard let bytes else { return nil }
        // In a buffer of its own: the fields are read as aligned words.
        return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) { buffer in
            buffer.copyBytes(from: bytes)
            return buffer.baseAddress.map { body(SharedData(base: $0)) }
        }
    }

    /// What is reported about the memory.
    ///
    /// - Parameters:
    ///   - instanceHash: the hash that the memory should have.
    ///   - isRecorded: whether the apps have recorded the name.
    func reported(instanceHash: Data, isRecorded: Bool) -> InspectSharing.Memory {
        var memory = InspectSharing.Memory {
            $0.name = name
            $0.isRecorded = isRecorded
            $0.size = size
            $0.state = size == nil ? .missing : .tooShort
        }
        _ = withFields { fields in
            memory.state = Self.state(of: fields, instanceHash: instanceHash)
            memory.magic = Self.text(of: fields.magic)
            memory.version = Self.text(of: Data([fields.version]))
            memory.instanceHash = fields.instanceHash.map { String(format: "%02x", $0) }.joined()
            memory.stateModifyCounter = fields.stateModifyCounter
            memory.tokenModifyCounter = fields.tokenModifyCounter
            memory.operationTicket = fields.operationTicket
        }
        return memory
    }

    private static func state(of fields: SharedData, instanceHash: Data) -> InspectSharing.MemoryState {
        if fields.isUninitialized { return .unfinished }
        if !fields.hasMagic { return .wrongMagic }
        if fields.instanceHash != instanceHash { return .otherInstance }
        return fields.hasKnownVersion ? .usable : .wrongVersion
    }

    /// Printable characters as they are, others in hexadecimal digits.
    private static func text(of bytes: Data) -> String {
        bytes.map { (0x21...0x7E).contains($0) ? String(UnicodeScalar($0)) : String(format: "\\x%02x", $0) }.joined()
    }

    /// The operation that the memory announces; nil for none. Whether its owner lives is left open.
    ///
    /// - Parameter now: the device's time.
    func operation(now: Date) -> InspectSharing.Operation? {
        withFields { fields -> InspectSharing.Operation? in
            guard fields.operationType != 0 else { return nil }
            return InspectSharing.Operation {
                $0.type =
                    switch fields.operationType {
                    case 1: "activation"
                    case 2: "protocolUpgrade"
                    case let other: "\(other)"
                    }
                $0.application = fields.operationApplication
                // Any process that can write the memory can write any number there.
                $0.age = Int(exactly: ((now.timeIntervalSince1970 - fields.operationStart) * 1000).rounded())
                $0.ownerIsAlive = false
            }
        } ?? nil
    }
}
