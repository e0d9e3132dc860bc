// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary

/// What a fault changes in the JSON of an answer, so that it is that of an older, newer or defective server.
///
/// A path leads to a member by the names of the objects' members, or to an element of a list by its index from 0, with
/// dots between them: `list.0.status`. A name that has a dot itself is reached by what is around it.
struct AnswerEdit: Codable, Sendable {
    /// The JSON that is edited; nil is ``EditAnswers/Part/content``.
    var part: EditAnswers.Part?
    /// The paths of what is removed, in the order of removal.
    var remove: [String]?
    /// New values by the paths of the old ones.
    var replace: [String: JSONValue]?
    /// Values by paths where nothing is yet. An element is inserted at its index, at most behind the last one.
    var add: [String: JSONValue]?

    /// Why an answer could not be edited.
    struct Mistake: Error, Equatable, CustomStringConvertible {
        /// A sentence without a full stop; names of members are in it, no values.
        let description: String
    }

    /// The JSON that is edited.
    var editedPart: EditAnswers.Part { part ?? .content }

    private var paths: [String] {
        var paths = remove ?? []
        if let replace { paths += replace.keys.sorted() }
        if let add { paths += add.keys.sorted() }
        return paths
    }

    /// - Throws: `invalidRequest` for an edit that changes nothing, or a path without a name somewhere.
    func validate() throws {
        guard !paths.isEmpty else {
            throw ServiceError(.invalidRequest, "edit needs a member in one of remove, replace and add")
        }
        for path in paths where Change.names(of: path).contains("") {
            throw ServiceError(
                .invalidRequest,
                "`\(path)` in edit must be names and indices with one dot between two of them, such as list.0.status")
        }
    }

    /// The effect of the edit in words, without the values.
    var summary: String {
        var words: [String] = []
        func say(_ what: String, _ paths: [String]?) {
            guard let paths, !paths.isEmpty else { return }
            words.append("\(what) \(paths.map { "`\($0)`" }.joined(separator: ", "))")
        }
        say("removed", remove)
        say("replaced", replace?.keys.sorted())
        say("added", add?.keys.sorted())
        return "the answer was edited: \(words.joined(separator: "; "))"
    }

    /// The JSON text with all changes. What is left has its place and its spelling, and a new member is the last one.
    /// - Throws: the first change that cannot be made. No text that was edited in part is returned.
    func applied(to text: Data) throws(Mistake) -> Data {
        guard var value = WrittenJSON(text) else { throw Mistake(description: "the answer is not JSON") }
        for change in changes { value = try change.made(in: value) }
        return value.encoded()
    }

    /// All changes in their order.
    private var changes: [Change] {
        var changes = (remove ?? []).map { Change($0, .remove) }
        changes += (replace ?? [:]).sorted { $0.key < $1.key }.map { Change($0.key, .replace(WrittenJSON($0.value))) }
        changes += (add ?? [:]).sorted { $0.key < $1.key }.map { Change($0.key, .add(WrittenJSON($0.value))) }
        return changes
    }
}

/// One change of an edit, at the end of a path.
private struct Change {
    enum Kind {
        case remove
        case replace(WrittenJSON)
        case add(WrittenJSON)
    }

    private let path: [String]
    private let kind: Kind

    init(_ path: String, _ kind: Kind) { (self.path, self.kind) = (Self.names(of: path), kind) }

    /// The names of a path; never empty.
    static func names(of path: String) -> [String] {
        path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The value with the change.
    /// - Parameter depth: how many names of the path lead to the value.
    /// - Throws: why the change cannot be made there.
    func made(in value: WrittenJSON, depth: Int = 0) throws(AnswerEdit.Mistake) -> WrittenJSON {
        let name = path[depth]
        switch value {
        case .object(var members):
            let has = "the members \(members.names.sorted().joined(separator: ", "))"
            members[name] = try changed(members[name], depth, amid: members.names.isEmpty ? "no members" : has)
            return .object(members)
        case .list(var elements):
            let has = "\(elements.count) elements"
            guard let index = Int(name), String(index) == name, (0...elements.count).contains(index) else {
                throw missing(depth, amid: has)
            }
            if isLast(depth), case .add(let new) = kind {
                elements.insert(new, at: index)
            } else if let new = try changed(index < elements.count ? elements[index] : nil, depth, amid: has) {
                elements[index] = new
            } else {
                elements.remove(at: index)
            }
            return .list(elements)
        case .plain, .number: throw missing(depth, amid: "no members and no elements")
        }
    }

    private func isLast(_ depth: Int) -> Bool { depth == path.count - 1 }

    /// The new value of a member or an element; nil when it is removed, which happens only to one that is there.
    /// - Throws: why it cannot be changed so.
    private func changed(
        _ old: WrittenJSON?, _ depth: Int, amid siblings: String
    ) throws(AnswerEdit.Mistake) -> WrittenJSON? {
        guard isLast(depth) else {
            guard let old else { throw missing(depth, amid: siblings) }
            return try made(in: old, depth: depth + 1)
        }
        switch (kind, old) {
        case (.remove, .some): return .none
        case (.replace(let new), .some), (.add(let new), .none): return new
        case (.remove, .none), (.replace, .none): throw missing(depth, amid: siblings)
        case (.add, .some):
            throw AnswerEdit.Mistake(
                description: "`\(text(depth + 1))` is in the answer already; `replace` gives it another value")
        }
    }

    private func missing(_ depth: Int, amid siblings: String) -> AnswerEdit.Mistake {
        let around = depth == 0 ? "it" : "`\(text(depth))`"
        return AnswerEdit.Mistake(
            description: "`\(text(depth + 1))` is not in the answer; \(around) has \(siblings)")
    }

    /// The beginning of the path.
    private func text(_ count: Int) -> String { path.prefix(count).joined(separator: ".") }
}

extension AnswerEdit {
    /// What its fields are like beside their types, by their paths in a fault rule.
    static let limits: [String: FieldLimit] = {
        let path = #"^[^.]+(\.[^.]+)*$"#
        let names: FieldLimit = ["propertyNames": ["pattern": .string(path)]]
        let some: [(String, JSONValue)] = [
            ("remove", ["type": "array", "minItems": 1]), ("replace", ["type": "object", "minProperties": 1]),
            ("add", ["type": "object", "minProperties": 1]),
        ]
        var forms = some.map { field, schema in JSONSchema.object([field: schema], required: [field]) }
        forms.append(["type": "null"])
        return [
            "edit": ["anyOf": .array(forms)], "edit.remove.*": ["pattern": .string(path)],
            "edit.replace": names, "edit.add": names,
        ]
    }()
}

extension EditAnswers.Part: DescribedJSON {
    static var schema: JSONValue { ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })] }
}
