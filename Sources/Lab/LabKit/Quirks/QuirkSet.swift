/// The quirks a peer has.
public struct QuirkSet: Hashable, Sendable {
    /// The quirks.
    public let quirks: Set<Quirk>

    /// The behaviour the lab recommends: none of the original's defects.
    public static let none = QuirkSet([])
    /// Every known quirk, `fidelity: original`.
    public static let original = QuirkSet(Quirk.all)

    /// Makes a set.
    public init(_ quirks: some Sequence<Quirk>) { self.quirks = Set(quirks) }

    /// Reads ids such as `sharing.D7`; `original` stands for all.
    ///
    /// - Throws: `UnknownQuirk` for the first id that does not exist.
    public init(parsing ids: [String]) throws {
        var quirks: Set<Quirk> = []
        for id in ids {
            if id == "original" {
                quirks.formUnion(Quirk.all)
            } else if let quirk = Quirk(rawValue: id) {
                quirks.insert(quirk)
            } else {
                throw UnknownQuirk(id: id)
            }
        }
        self.quirks = quirks
    }

    /// Whether the peer has a quirk.
    public func contains(_ quirk: Quirk) -> Bool { quirks.contains(quirk) }
}

/// An id that names no quirk.
public struct UnknownQuirk: Error, Hashable, Sendable, CustomStringConvertible {
    /// The id.
    public let id: String

    public var description: String {
        "there is no quirk '\(id)'; known are 'original' (all of them), "
            + Quirk.all.map { "'\($0)'" }.joined(separator: ", ")
    }
}
