// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import PowerAuthShared
import SimulatedDevice

/// Finds the activation identifier in a serialized session, without the core (sharing.md, sections 13 and 18.2).
///
/// The layout of the beginning: `PA`, flags, `P`, data version `3` to `6`, counter (8 bytes in version 3, a counted 16
/// bytes later), counted identifier. Data version `7`, of protocol 4, has a counted older state and a counted suite in place
/// of the counter.
struct ActivationStateReader {
    enum Activation: Equatable {
        /// There is an activation.
        case identifier(String)
        /// A well-formed state without an activation.
        case none
        /// The bytes are not a state that this reader knows.
        case unreadable
    }

    private var bytes: Data

    static func activation(in state: Data) -> Activation {
        var reader = ActivationStateReader(bytes: state)
        return reader.read() ?? .unreadable
    }

    private mutating func read() -> Activation? {
        guard take(2)?.elementsEqual("PA".utf8) == true, let flags = byte() else { return nil }
        guard flags != 0 else { return Activation.none }
        guard flags & 0x02 != 0, byte() == UInt8(ascii: "P"), let version = byte() else { return nil }
        switch version {
        case UInt8(ascii: "3"): guard take(8) != nil else { return nil }
        case UInt8(ascii: "4")...UInt8(ascii: "6"):
            guard let length = byte(), length == 16, take(16) != nil else { return nil }
        case UInt8(ascii: "7"):
            for _ in 1...2 {
                guard let length = count(), take(length) != nil else { return nil }
            }
        default: return nil
        }
        guard let length = count(), let text = take(length), let identifier = String(bytes: text, encoding: .utf8),
            !identifier.isEmpty
        else { return nil }
        return .identifier(identifier)
    }

    private mutating func byte() -> UInt8? { bytes.popFirst() }

    private mutating func take(_ length: Int) -> Data? {
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }

    /// A count in 1, 2 or 4 bytes; the two highest bits of the first one tell which.
    private mutating func count() -> Int? {
        guard let first = byte() else { return nil }
        switch first {
        case 0x00...0x7F: return Int(first)
        case 0x80...0xBF:
            return byte().map { Int(first & 0x3F) << 8 | Int($0) }
        default:
            return take(3)?.reduce(Int(first & 0x3F)) { $0 << 8 | Int($1) }
        }
    }
}

/// What an extension can learn about the activation of its application (sharing.md, section 18.2).
struct ApplicationState: Sendable {
    let instanceId: String
    let keychain: PowerAuthKeychain
    let suiteName: String?
    let sandbox: Sandbox

    private static let missingSuite =
        "Without keychainAttribute_UserDefaultsSuiteName a reinstalled application cannot be recognised."

    /// Logs that the configuration lacks the suite.
    func reportMissingSuite() {
        sandbox.trace(
            .configurationIncomplete,
            [.lack: .text("userDefaultsSuiteMissing"), .consequence: .text(Self.missingSuite)])
    }

    func activation() -> ActivationKnowledge {
        if let suiteName {
            guard sandbox.defaults(suite: suiteName)?.bool(forKey: PowerAuthKeychain_Initialized) == true else {
                // The application has not run since its installation; it will decide what happens to the items.
                return .unknown
            }
        } else {
            PowerAuthLog.write("WARNING: \(Self.missingSuite)")
        }
        var status = errSecSuccess
        guard let data = keychain.data(forKey: instanceId, status: &status) else {
            return status == errSecItemNotFound ? .none : .unknown
        }
        switch ActivationStateReader.activation(in: data) {
        case .identifier(let identifier): return .identifier(identifier)
        case .none: return .none
        case .unreadable: return .unknown
        }
    }
}
