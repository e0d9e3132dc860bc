extension YAMLNode {
    /// This node with another one laid over it: mappings are merged key by key, everything else is
    /// replaced. Every part keeps the place it was written at, so a complaint about the result points
    /// into the right file.
    public func overlaid(by other: YAMLNode) -> YAMLNode {
        guard let base = entries, let over = other.entries else { return other }
        var merged = base.map { entry in
            guard let replacement = over.first(where: { $0.key == entry.key }) else { return entry }
            return YAMLEntry(
                key: entry.key, keyPlace: replacement.keyPlace, value: entry.value.overlaid(by: replacement.value))
        }
        merged += over.filter { entry in !base.contains { $0.key == entry.key } }
        return YAMLNode(.mapping(merged), at: other.place)
    }
}
