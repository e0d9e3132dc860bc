// SPDX-License-Identifier: Apache-2.0

/// The candidate that a misspelled word most probably meant, or nil when none is close.
///
/// Distance counts insertions, deletions, replacements and exchanges of neighbours; case counts half.
/// The cut-off grows with the length of the word: one error up to 4 characters, two up to 7, then
/// a third of the length. Of equally close candidates the first in alphabetical order wins.
public func nearest(_ word: String, among candidates: some Sequence<String>) -> String? {
    let allowed = word.count <= 4 ? 1.0 : word.count <= 7 ? 2.0 : Double(word.count) / 3
    var best: (distance: Double, word: String)?
    for candidate in candidates.sorted() where abs(candidate.count - word.count) <= Int(allowed) {
        let distance = editDistance(Array(word), Array(candidate))
        if distance <= allowed, distance < (best?.distance ?? .infinity) { best = (distance, candidate) }
    }
    if best == nil, word.count >= 3 {
        // A word cut short or written with a prefix: `activation` for `createActivation`.
        let whole = candidates.filter { $0.count >= 3 && $0.lowercased().contains(word.lowercased()) }
        return whole.min { ($0.count, $0) < ($1.count, $1) }
    }
    return best?.word
}

/// The optimal string alignment distance, where a difference of case counts a half.
private func editDistance(_ left: [Character], _ right: [Character]) -> Double {
    if left.isEmpty || right.isEmpty { return Double(max(left.count, right.count)) }
    var beforeLast: [Double] = []
    var last = (0...right.count).map(Double.init)
    for i in 1...left.count {
        var row = [Double(i)] + Array(repeating: 0, count: right.count)
        for j in 1...right.count {
            let a = left[i - 1]
            let b = right[j - 1]
            let change = a == b ? 0 : a.lowercased() == b.lowercased() ? 0.5 : 1
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change)
            if i > 1, j > 1, a == right[j - 2], left[i - 2] == b { row[j] = min(row[j], beforeLast[j - 2] + 1) }
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}
