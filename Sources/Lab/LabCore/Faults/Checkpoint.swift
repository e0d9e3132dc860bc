// SPDX-License-Identifier: Apache-2.0

/// A place in the code of a user's own app at which an order of turns can hold the app: `checkpoint.NAME`.
///
/// No fault can be armed there.
public struct Checkpoint: Hashable, Sendable {
    /// How many characters a name can have.
    public static let lengths = 1...60
    /// What a name consists of, for messages and for editors.
    public static let rule = "letters, digits, dots and hyphens, 1 to 60 characters"
    /// What the places of all checkpoints begin with.
    public static let prefix = "checkpoint."
    /// A regular expression that the places of all checkpoints match.
    public static let pattern = #"^checkpoint\.[A-Za-z0-9.-]{1,60}$"#

    /// The name that the app gives.
    public let name: String

    /// The checkpoint with a name; nil for a name that does not keep the ``rule``.
    public init?(_ name: String) {
        // Each character that is accepted has one byte.
        guard Self.lengths.contains(name.utf8.count), name.utf8.allSatisfy(Self.accepts) else { return nil }
        self.name = name
    }

    /// The checkpoint at a place of an order; nil for a place that is not a checkpoint.
    public init?(place: String) {
        guard place.hasPrefix(Self.prefix) else { return nil }
        self.init(String(place.dropFirst(Self.prefix.count)))
    }

    /// How orders name it.
    public var place: String { Self.prefix + name }

    private static func accepts(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
