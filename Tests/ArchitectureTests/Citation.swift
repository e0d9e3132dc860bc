// SPDX-License-Identifier: Apache-2.0

/// Where a text names a chapter of the specification, in the one form that CONTRIBUTING.md asks for.
struct Citation {
    /// A part of a chapter.
    enum Place: Equatable {
        case section(String)
        /// An item of the list or table in a section.
        case item(Int, section: String)
        /// What has a name of its own in the chapter, such as `D7`.
        case identifier(String)
    }

    /// The chapter's file name.
    let chapter: String
    let places: [Place]
    /// Whether text follows that looks like a place, but is not written as one.
    let isMalformed: Bool
    /// Its position in the searched text.
    let range: Range<String.Index>

    /// All citations of chapters in a text without line breaks.
    ///
    /// - Parameter isChapter: whether a file name is that of a chapter.
    static func all(in text: String, isChapter: (String) -> Bool) -> [Citation] {
        // An expression costs a hundred times as much, and most texts name no page.
        guard text.contains(".md") else { return [] }
        return text.matches(of: #/[a-z]+(?:-[a-z0-9]+)*\.md/#).compactMap { match in
            isChapter(String(match.0)) && isCitation(match.range, in: text)
                ? Citation(chapter: String(match.0), at: match.range, in: text) : nil
        }
    }

    private init(chapter: String, at name: Range<String.Index>, in text: String) {
        var rest = text[name.upperBound...]
        var places: [Place] = []
        while let (found, end) = Self.places(at: rest) {
            places += found
            rest = text[end...]
        }
        self.chapter = chapter
        self.places = places
        isMalformed = rest.prefixMatch(of: #/`?,? ?(and |to )?(§|\d|(sections?|items?|rows?|steps?) )/#) != nil
        range = name.lowerBound..<rest.startIndex
    }

    /// False for paths, for the targets of links, and for longer names that end like the chapter's.
    private static func isCitation(_ name: Range<String.Index>, in text: String) -> Bool {
        let before = text[..<name.lowerBound]
        if let last = before.last, last.isLetter || last.isNumber || "/.-_".contains(last) { return false }
        if before.hasSuffix("](") { return false }
        guard let next = text[name.upperBound...].first else { return true }
        return !(next.isLetter || next.isNumber || "#_".contains(next))
    }

    /// The places that a text begins with, and where the text continues after them.
    private static func places(at text: Substring) -> ([Place], String.Index)? {
        let separated = #/(?:, and | and |, )/#
        guard let separator = text.prefixMatch(of: separated) else { return nil }
        let rest = text[separator.range.upperBound...]
        // Lists end with "and" or "to": "5.1 and 5.2", "5.1, 5.2 and 5.3", "5.1 and 5.3 to 5.5".
        let section =
            #/
            section\ (\d+(?:\.\d+)*)
            (?:,\ (?:item|step)s?\ (\d+(?:(?:(?:,\ |\ and\ |\ to\ )\d+)*(?:\ and\ |\ to\ )\d+)?))?\b
            /#
        let sections =
            #/
            sections\ (\d+(?:\.\d+)*(?:(?:,\ |\ and\ |\ to\ )\d+(?:\.\d+)*)*(?:\ and\ |\ to\ )\d+(?:\.\d+)*)\b
            /#
        let identifiers = #/[A-Z]-?\d+(?:(?:(?:, | and | to )[A-Z]-?\d+)*(?: and | to )[A-Z]-?\d+)?\b/#
        if let match = rest.prefixMatch(of: section) {
            let section = String(match.1)
            let numbers = match.2.map { $0.matches(of: #/\d+/#).compactMap { Int($0.0) } } ?? []
            let places: [Place] = numbers.isEmpty ? [.section(section)] : numbers.map { .item($0, section: section) }
            return (places, match.range.upperBound)
        }
        if let match = rest.prefixMatch(of: sections) {
            return (match.1.matches(of: #/\d+(?:\.\d+)*/#).map { .section(String($0.0)) }, match.range.upperBound)
        }
        if let match = rest.prefixMatch(of: identifiers) {
            return (match.0.matches(of: #/[A-Z]-?\d+/#).map { .identifier(String($0.0)) }, match.range.upperBound)
        }
        return nil
    }
}
