// SPDX-License-Identifier: Apache-2.0

import ScenarioLanguage

/// Why a snapshot cannot be taken, restored or removed. The instance runs on as it was.
public enum SnapshotError: Error, Hashable, CustomStringConvertible, Sendable {
    /// A text that cannot name a snapshot.
    case invalidName(String)
    /// There is a snapshot of this name already.
    case exists(name: String, directory: String)
    /// There is no snapshot of this name.
    case unknown(name: String, directory: String, known: [String])
    /// The description of a snapshot is missing or damaged.
    case unreadable(path: String)
    /// Another version of the format.
    case otherFormat(directory: String, expected: Int, actual: Int)
    /// Another version of the lab has taken it.
    case otherLab(directory: String, expected: String, actual: String)
    /// The snapshot is of an instance with other actors.
    case otherTopology(directory: String, expected: String, actual: String)
    /// A file of the snapshot is missing, additional or changed.
    case damaged(path: String, expected: String, actual: String)
    /// Another command takes or restores a snapshot of the instance.
    case busy(instance: String)
    /// Two hosts play the instance, and each has a part of its state only.
    case twoHosts(instance: String)

    public var description: String {
        switch self {
        case .invalidName(let name):
            """
            `\(name)` cannot name a snapshot; use 1 to \(SnapshotName.longest) letters, digits, hyphens and dots, and \
            begin without a dot
            """
        case .exists(let name, let directory):
            "there is a snapshot `\(name)` in \(directory) already; use another name, or remove that one first"
        case .unknown(let name, let directory, let known):
            "there is no snapshot `\(name)` in \(directory)\(Self.advice(on: name, known))"
        case .unreadable(let path):
            """
            \(path) is not a description of a snapshot: it is missing, or its content does not match its checksum; \
            remove this snapshot and take another one
            """
        case .otherFormat(let directory, let expected, let actual):
            """
            the snapshot \(directory) has format version \(actual), and this lab reads version \(expected); take it \
            again with this lab
            """
        case .otherLab(let directory, let expected, let actual):
            """
            the snapshot \(directory) was taken by lab \(actual), and this is lab \(expected); take it again with \
            this lab
            """
        case .otherTopology(let directory, let expected, let actual):
            """
            the snapshot \(directory) is of \(actual), and the instance has \(expected); restore it in an instance of \
            the topology that it was taken of\(expected == actual ? ", which was changed since" : "")
            """
        case .damaged(let path, let expected, let actual):
            """
            the snapshot is damaged: \(path) was expected to have \(expected), and has \(actual); remove this snapshot \
            and take another one
            """
        case .busy(let instance):
            "another command takes or restores a snapshot of \(instance); wait until it has ended"
        case .twoHosts(let instance):
            """
            two hosts play the instance \(instance) together, and this one has a part of its state only; take \
            snapshots in an instance of one host
            """
        }
    }

    private static func advice(on name: String, _ known: [String]) -> String {
        guard !known.isEmpty else { return "; `lab snapshot \(name)` takes one" }
        let meant = suggestion(for: name, among: known)
        return meant.isEmpty ? "; there are \(known.joined(separator: ", "))" : meant
    }
}

/// The name of a snapshot, which is the name of its directory: letters, digits, hyphens and dots.
package struct SnapshotName: Hashable, Sendable {
    /// Longest name in characters.
    static let longest = 64

    package let text: String

    /// - Throws: ``SnapshotError/invalidName(_:)``. A name begins without a dot, so that it can be no hidden file.
    package init(_ text: String) throws(SnapshotError) {
        let isUsable = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isUsable, !text.hasPrefix("."), (1...Self.longest).contains(text.utf8.count) else {
            throw .invalidName(text)
        }
        self.text = text
    }
}
