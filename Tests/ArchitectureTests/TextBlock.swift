import Foundation

/// Lines of a file that belong together (a paragraph, or the lines of a comment), joined by spaces.
struct TextBlock {
    /// Where it begins, counted from 1.
    let line: Int
    var text: String

    /// Where it names sections, but not of an RFC or another standard.
    var bareReferences: [(text: String, section: String, at: String.Index)] {
        text.matches(of: #/(?:\b[Ss]ections? |§§? ?)(\d+(?:\.\d+)*)/#).compactMap { match in
            let before = text[..<match.range.lowerBound].suffix(40)
            if before.contains(#/(?:RFC \d+|OpenID Connect Core 1\.0),? $/#) { return nil }
            return (String(match.0), String(match.1), match.range.lowerBound)
        }
    }
}

extension SourceText {
    /// The blocks that may hold citations, without the marks of comments.
    var blocks: [TextBlock] {
        guard Self.mayCite(text) else { return [] }
        var blocks: [TextBlock] = []
        var endsBlock = true
        var wasComment = false
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let bare = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let unmarked = bare.drop { "/#*".utf8.contains($0) }
            // A mark is followed by a space: `*text*` and `#if` are none.
            let isMarked = unmarked.first.map { $0 == UInt8(ascii: " ") } ?? true
            let isComment = isMarked && unmarked.startIndex != bare.startIndex
            let content = isComment ? unmarked.dropFirst() : bare
            defer { wasComment = isComment }
            if content.isEmpty {
                endsBlock = true
            } else if endsBlock || wasComment != isComment {
                blocks.append(TextBlock(line: index + 1, text: String(Substring(content))))
                endsBlock = false
            } else {
                blocks[blocks.count - 1].text += " " + Substring(content)
            }
        }
        return blocks.filter { Self.mayCite($0.text) }
    }

    /// Whether a text has one of the words that citations are made of. Bytes, because characters take a while.
    private static func mayCite(_ text: String) -> Bool {
        let bytes = Data(text.utf8)
        return [".md", "ection", "§"].contains { bytes.range(of: Data($0.utf8)) != nil }
    }
}
