import Foundation
import LabKit

/// The JSON text of an answer while it is being written, from the first byte to the last.
///
/// An object's members stand in the order in which they were encoded until the object ends; then they are put into the order
/// of their keys. A value ends when the next one around it begins, so containers are used one after the other, as `Codable`
/// does; one that is used after its end is a mistake of the program.
///
/// Thread rule: lives within one call of ``AnswerEncoder``.
final class AnswerText {
    enum Kind {
        case object, array
    }

    /// An object or array that has not ended.
    private struct Open {
        let kind: Kind
        /// The offset of its first byte.
        let start: Int
        /// An object's first one in `members`.
        let firstMember: Int
        var count = 0
    }

    /// A member of an open object, which ends where the next one begins.
    private struct Member {
        let key: String
        /// The offset of the first byte of its key.
        let start: Int
    }

    private(set) var bytes: [UInt8] = []
    private var open: [Open] = []
    private var members: [Member] = []

    init() {
        bytes.reserveCapacity(1024)
    }

    // MARK: Values

    /// Writes a value to its end.
    func write<Value: Encodable>(_ value: Value) throws {
        // The special types of Foundation's encoder. The types are compared first: a cast takes longer than the rest.
        if Value.self == Data.self, let data = value as? Data {
            append(data.base64EncodedString())
        } else if Value.self == Decimal.self, let number = value as? Decimal {
            append(ascii: number.description)
        } else {
            let (start, depth) = (bytes.count, open.count)
            try value.encode(to: AnswerValue(text: self, depth: depth))
            close(to: depth)
            // A value that encodes nothing is an empty object.
            if bytes.count == start { append(word: "{}") }
        }
    }

    func append(word: StaticString) { word.withUTF8Buffer { bytes.append(contentsOf: $0) } }
    func append(_ value: Bool) { append(word: value ? "true" : "false") }
    func append(_ value: String) { JSONValue.append(value, to: &bytes) }
    func append(_ value: some FixedWidthInteger) { append(ascii: String(value)) }

    /// - Throws: `EncodingError` for an infinity or not-a-number.
    func append(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no word for \(value)"))
        }
        append(ascii: Int64(exactly: value)?.description ?? "\(value)")
    }

    private func append(ascii text: String) { bytes.append(contentsOf: text.utf8) }

    // MARK: Containers

    /// Begins an object or array inside of `depth` others, unless it is open already: a class and its superclass write into
    /// the same one.
    func open(_ kind: Kind, at depth: Int) {
        if open.count > depth, open[depth].kind == kind { return close(to: depth + 1) }
        close(to: depth)
        open.append(Open(kind: kind, start: bytes.count, firstMember: members.count))
        append(word: kind == .object ? "{" : "[")
    }

    /// Begins a member of the object that is open inside of `depth - 1` others.
    func beginMember(_ key: String, _ depth: Int) -> AnswerText {
        begin(depth)
        members.append(Member(key: key, start: bytes.count))
        append(key)
        append(word: ":")
        return self
    }

    /// Begins an element of the array that is open inside of `depth - 1` others.
    func beginElement(_ depth: Int) -> AnswerText {
        begin(depth)
        return self
    }

    /// How many elements were begun in the array that is open inside of `depth - 1` others.
    func elements(_ depth: Int) -> Int { open[depth - 1].count }

    private func begin(_ depth: Int) {
        precondition(open.count >= depth, "a container was used after its value had ended")
        close(to: depth)
        if open[depth - 1].count > 0 { append(word: ",") }
        open[depth - 1].count += 1
    }

    /// Ends what is open inside of `depth` others.
    private func close(to depth: Int) {
        while open.count > depth, let last = open.popLast() {
            switch last.kind {
            case .array:
                append(word: "]")
            case .object:
                sortMembers(of: last)
                append(word: "}")
            }
        }
    }

    private func sortMembers(of object: Open) {
        defer { members.removeSubrange(object.firstMember...) }
        let own = object.firstMember..<members.count
        guard own.dropFirst().contains(where: { members[$0].key < members[$0 - 1].key }) else { return }
        let sorted = own.sorted { members[$0].key < members[$1].key }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count - object.start)
        for index in sorted {
            // Each but the last is followed by the comma before the next.
            let end = index + 1 < members.count ? members[index + 1].start - 1 : bytes.count
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: bytes[members[index].start..<end])
        }
        bytes.replaceSubrange((object.start + 1)..., with: text)
    }
}
