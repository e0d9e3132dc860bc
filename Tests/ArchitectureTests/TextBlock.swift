// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lines of a file that belong together (a paragraph, or the lines of a comment), joined by spaces.
struct TextBlock {
    /// Where it begins, counted from 1.
    let line: Int
    let text: String

    /// Where it names sections, but not of an RFC or another standard.
    var bareReferences: [(text: String, section: String, at: String.Index)] {
        guard text.contains("ection") || text.contains("§") else { return [] }
        return text.matches(of: #/(?:\b[Ss]ections? |§§? ?)(\d+(?:\.\d+)*)/#).compactMap { match in
            let before = text[..<match.range.lowerBound].suffix(40)
            if before.contains(#/(?:RFC \d+|OpenID Connect Core 1\.0),? $/#) { return nil }
            return (String(match.0), String(match.1), match.range.lowerBound)
        }
    }
}

extension SourceText {
    /// The blocks that may hold citations, without the marks of comments.
    var blocks: [TextBlock] {
        let bytes = Data(text.utf8)
        let candidates = Self.candidates(in: bytes)
        guard !candidates.isEmpty else { return [] }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var blocks: [TextBlock] = []
        var end = 0
        var next = 0
        for (index, line) in lines.enumerated() {
            let isCandidate = next < candidates.count && candidates[next] < line.endIndex
            while next < candidates.count, candidates[next] < line.endIndex { next += 1 }
            guard isCandidate, index >= end else { continue }
            let isComment = Self.content(of: line).isComment
            let belongs = { (other: Data) in
                let (content, isOther) = Self.content(of: other)
                return !content.isEmpty && isOther == isComment
            }
            var first = index
            while first > 0, belongs(lines[first - 1]) { first -= 1 }
            end = index + 1
            while end < lines.count, belongs(lines[end]) { end += 1 }
            let contents = lines[first..<end].map { String(decoding: Self.content(of: $0).text, as: UTF8.self) }
            blocks.append(TextBlock(line: first + 1, text: contents.joined(separator: " ")))
        }
        return blocks
    }

    /// Where the words stand that citations are made of, in order. Bytes, because characters take a while.
    private static func candidates(in bytes: Data) -> [Data.Index] {
        let all = [".md", "ection", "§"].flatMap { word in
            var found: [Data.Index] = []
            while let range = bytes.range(of: Data(word.utf8), in: (found.last.map { $0 + 1 } ?? 0)..<bytes.endIndex) {
                found.append(range.lowerBound)
            }
            return found
        }
        return all.sorted()
    }

    /// A line without indentation and without the mark of a comment, which a space follows: `*text*` and `#if` are none.
    private static func content(of line: Data) -> (text: Data, isComment: Bool) {
        let bare = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let unmarked = bare.drop { "/#*".utf8.contains($0) }
        let isMarked = unmarked.first.map { $0 == UInt8(ascii: " ") } ?? true
        let isComment = isMarked && unmarked.startIndex != bare.startIndex
        return (isComment ? unmarked.dropFirst() : bare, isComment)
    }
}
