/// A defect of the original that the lab fixes by default and can bring back for a peer, so that a bug seen in
/// the field can be reproduced and its fix be shown.
///
/// The list is closed; each quirk is one decision at one place of the code.
public struct Quirk: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id: chapter and number of the "do better" list of the specification, e.g. `sharing.D7`.
    public let rawValue: String
    /// What a peer with the quirk does, as a sentence.
    public let summary: String

    private init(_ id: String, _ summary: String) {
        rawValue = id
        self.summary = summary
    }

    /// The quirk with an id; nil when there is none.
    public init?(rawValue: String) {
        guard let quirk = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = quirk
    }

    public var description: String { rawValue }

    public static func == (left: Quirk, right: Quirk) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension Quirk {
    /// A dead owner's operation stays pending (sharing.md, section 20, D1).
    public static let staleExternalOperation = Quirk(
        "sharing.D1", "Reports an operation as pending after the app that owned it has died.")
    /// The change counter is raised only after the save (sharing.md, section 20, D7).
    public static let counterAfterSave = Quirk(
        "sharing.D7", "Raises the shared change counter only after the state was saved, and ignores a failed save.")

    /// All quirks, in the order of the specification.
    public static let all: [Quirk] = [staleExternalOperation, counterAfterSave]
}
