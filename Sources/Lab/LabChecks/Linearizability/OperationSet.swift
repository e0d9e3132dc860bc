// SPDX-License-Identifier: Apache-2.0

/// A set of places in a list, as bits.
///
/// A search takes operations almost in the order of the list. So the words at the front are soon full, and are counted
/// instead of stored: the set of the first thousands costs as much as an empty one.
struct OperationSet: Hashable {
    private var fullWords = 0
    /// The words after the full ones; the first one has a gap and the last one has a bit, so equal sets are equal.
    private var words: [UInt64] = []

    private static let width = UInt64.bitWidth

    /// Every place before this one is in the set.
    var start: Int { fullWords * Self.width }

    func contains(_ place: Int) -> Bool {
        let word = place / Self.width - fullWords
        if word < 0 { return true }
        return word < words.count && words[word] & Self.bit(place) != 0
    }

    mutating func insert(_ place: Int) {
        let word = place / Self.width - fullWords
        guard word >= 0 else { return }
        if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
        words[word] |= Self.bit(place)
        let full = words.prefix { $0 == .max }.count
        words.removeFirst(full)
        fullWords += full
    }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place % width) }
}
