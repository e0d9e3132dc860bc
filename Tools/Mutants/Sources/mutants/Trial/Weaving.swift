// SPDX-License-Identifier: Apache-2.0

/// Puts mistakes into the text of a source file.
struct Weaving {
    /// A mistake at one place of a file, under the name that switches it on.
    struct Thread {
        let name: String
        let edit: Edit
    }

    /// The text with every mistake beside the right code.
    private(set) var text: String
    /// The lines of ``text`` that each mistake takes, from 1.
    private(set) var lines: [String: [ClosedRange<Int>]] = [:]

    /// Weaves mistakes into a text. One may lie within the right code of another; none may overlap another in part.
    init(_ text: String, with threads: [Thread]) {
        let source = Array(text.utf8)
        // The outer one first, and of two of the same size the one that came first.
        let ordered = threads.enumerated().sorted {
            let one = $0.element.edit.range
            let other = $1.element.edit.range
            return (one.lowerBound, -one.count, $0.offset) < (other.lowerBound, -other.count, $1.offset)
        }
        var rest = ordered.map(\.element)[...]
        self.text = ""
        self.text = Self.woven(source, 0..<source.count, &rest) + Self.chooser(forFileWith: text)
        lines = Self.places(in: self.text, of: Set(threads.map(\.name)))
    }

    private static func woven(_ source: [UInt8], _ range: Range<Int>, _ rest: inout ArraySlice<Thread>) -> String {
        var result = ""
        var position = range.lowerBound
        while let thread = rest.first, thread.edit.range.upperBound <= range.upperBound {
            rest.removeFirst()
            let inner = thread.edit.range
            result += String(decoding: source[position..<inner.lowerBound], as: UTF8.self)
            result += thread.edit.choice(of: thread.name, original: woven(source, inner, &rest))
            position = inner.upperBound
        }
        return result + String(decoding: source[position..<range.upperBound], as: UTF8.self)
    }

    /// Where each name is asked for, and how far its choice reaches: up to the end of its bracket or its branches.
    private static func places(in text: String, of names: Set<String>) -> [String: [ClosedRange<Int>]] {
        var places: [String: [ClosedRange<Int>]] = [:]
        let bytes = Array(text.utf8)
        let mark = Array("mutantIsOn(\"".utf8)
        var line = 1
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            if bytes[index] == mark[0], bytes[index...].starts(with: mark) {
                let name = String(
                    decoding: bytes[(index + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
                if names.contains(name) {
                    places[name, default: []].append(line...(line + reach(of: bytes, from: index)))
                }
            }
            index += 1
        }
        return places
    }

    /// Lines from a name up to the end of what encloses it.
    private static func reach(of bytes: [UInt8], from start: Int) -> Int {
        var depth = 0
        var lines = 0
        for byte in bytes[start...] {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\n"): lines += 1
            default: break
            }
            if depth < 0 { break }
        }
        return lines
    }

    /// What chooses among the names in `LAB_MUTANT`, with blanks between them; read once, because mistakes stand where code is
    /// hot. With `LAB_MUTANT_REACH` each name that is asked
    /// for is written to that file once, so that it is known which tests could notice at all.
    private static func chooser(forFileWith text: String) -> String {
        func imports(_ modules: String) -> Bool {
            text.contains(try! Regex("(?m)^(\\w+ )?import (\(modules))$"))
        }
        return """

            \(imports("Foundation|Glibc") ? "" : "private import Glibc\n")
            \(imports("Synchronization") ? "" : "private import Synchronization\n")
            private let activeMutants = Set(getenv("LAB_MUTANT").map { String(cString: $0).split(separator: " ") } ?? [])
            private let mutantReach = getenv("LAB_MUTANT_REACH").map { String(cString: $0) }
            private let reachedMutants = Mutex<Set<String>>([])

            private func mutantIsOn(_ name: String) -> Bool {
                if let mutantReach, reachedMutants.withLock({ $0.insert(name).inserted }) {
                    let file = open(mutantReach, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
                    let line = name + "\\n"
                    _ = line.withCString { write(file, $0, strlen($0)) }
                    close(file)
                }
                return activeMutants.contains(name[...])
            }

            """
    }
}
