// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// An untidy YAML document: odd indentation, comments, block scalars, anchors, empty lines.
struct OddDocument {
    private var random: SeededGenerator
    private var anchors: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The text of a document of this seed.
    mutating func text() -> String {
        let lines = random.once(in: 5) ? list(depth: 0) : mapping(depth: 0)
        let start = random.once(in: 6) ? ["---   # begins"] : []
        let end = random.once(in: 4) ? ["", "# the end", "", ""] : []
        return (start + lines + end).joined(separator: random.once(in: 10) ? "\r\n" : "\n") + "\n"
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func spaces(_ range: ClosedRange<Int>) -> String {
        String(repeating: " ", count: Int.random(in: range, using: &random))
    }

    private mutating func comment(in count: Int) -> String {
        random.once(in: count) ? spaces(1...3) + pick(["# said", "#said", "#   'said': {", "# - a: b"]) : ""
    }

    /// Empty lines and comments above an entry.
    private mutating func above() -> [String] {
        var lines: [String] = []
        while random.once(in: 3) { lines.append(pick(["", "", "   ", "# above", "   # deeper above"])) }
        return lines
    }

    private func indented(_ lines: [String], by margin: String) -> [String] {
        lines.map { $0.isEmpty ? "" : margin + $0 }
    }

    private mutating func mapping(depth: Int) -> [String] {
        var lines: [String] = []
        for number in 0...Int.random(in: 0...3, using: &random) {
            let key = pick(["key\(number)", "\"key \(number)\"", "'key: \(number)'", "key \(number) # no comment"])
            let name = key.hasSuffix("comment") ? key.replacing(" # no comment", with: "#\(number)") : key
            lines += above() + entry(name + spaces(0...1) + ":", depth: depth, isKey: true)
        }
        return lines
    }

    private mutating func list(depth: Int) -> [String] {
        (0...Int.random(in: 0...2, using: &random)).flatMap { _ in above() + entry("-", depth: depth, isKey: false) }
    }

    /// A key or dash with its value.
    private mutating func entry(_ start: String, depth: Int, isKey: Bool) -> [String] {
        if depth < 4, random.once(in: 2) {
            let isList = random.once(in: 2)
            let inner = isList ? list(depth: depth + 1) : mapping(depth: depth + 1)
            if !isKey, random.once(in: 2) {
                // The first entry beside the dash, the others below it.
                let margin = spaces(1...3)
                let begin =
                    inner.firstIndex { !$0.trimmingPrefix(" ").isEmpty && !$0.trimmingPrefix(" ").hasPrefix("#") } ?? 0
                let rest = indented(Array(inner[(begin + 1)...]), by: margin + " ")
                return ["-\(margin)\(inner[begin])"] + rest
            }
            let margin = isKey && isList && random.once(in: 3) ? "" : spaces(1...5)
            return [start + comment(in: 4)] + indented(inner, by: margin)
        }
        let (first, rest) = value()
        return [first.isEmpty ? start + comment(in: 3) : start + spaces(1...3) + first] + rest
    }

    /// A value beside a key: the part on its line, and the lines below.
    private mutating func value() -> (String, [String]) {
        let margin = spaces(2...6)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return ("", [])
        case 1: return ("plain  text, with: nothing".replacing(":", with: "") + comment(in: 3), [])
        case 2: return ("plain", [margin + "goes on", "", "", margin + "  and on" + comment(in: 3)])
        case 3: return ("'single # ''quoted'' \\", ["", margin + "over   lines'" + comment(in: 3)])
        case 4:
            return (
                "\"double \\\" # quoted \\  ",
                [margin + "\\  over lines  ", "", margin + "end\\", margin + "ed\"" + comment(in: 3)]
            )
        case 5:
            let header = pick(["|", ">", "|-", ">+", "|+", ">-"]) + comment(in: 3)
            return (header, ["", margin + "text:  # no comment  ", margin + "   - more", "  ", "", margin + "end", ""])
        case 6:
            return (pick(["|2", ">2-", "|+2"]), [])
        case 7:
            anchors.append("anchor\(anchors.count)")
            return ("&\(anchors[anchors.count - 1])" + spaces(1...2) + "named" + comment(in: 3), [])
        case 8: return (anchors.isEmpty ? "12:30" : "*\(pick(anchors))" + comment(in: 3), [])
        case 9:
            return (
                "[",
                [
                    margin + "a, # first", "", "", margin + "  { b : 'c', \"d\":e,f: [ ] }  ,", margin + "g h",
                    margin + "i ]" + comment(in: 3),
                ]
            )
        default: return (flow(depth: 0) + comment(in: 3), [])
        }
    }

    private mutating func flow(depth: Int) -> String {
        guard depth < 3, !random.once(in: 3) else { return pick(["a", "'b, }'", "\"c: [\"", "-1", "d e", "http://x"]) }
        let count = Int.random(in: 0...3, using: &random)
        let elements = (0..<count).map { number in (number, spaces(0...2), flow(depth: depth + 1), spaces(0...2)) }
        return random.once(in: 2)
            ? "[" + elements.map { $0.1 + $0.2 + $0.3 }.joined(separator: ",") + "]"
            : "{" + elements.map { "\($0.1)k\($0.0): \($0.2)\($0.3)" }.joined(separator: ",") + "}"
    }
}
