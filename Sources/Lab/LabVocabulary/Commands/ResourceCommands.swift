// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore

extension Vocabulary {
    static let resourceCommands: [any Command.Type] = [CallResource.self]
}

public struct CallResource: Command {
    public static let info = CommandInfo(
        "call", of: .server,
        "Calls any resource of the back office (`/rest/v3/**`) or of the lab's powers (`/lab/**`), as HTTP would.")
    @Field("Path below the server's root, with its query.") public var path: String
    @Field(.httpMethod) public var method: ResourceMethod = .post
    @Field("The `requestObject` of the back office, or the body of a resource below `/lab`.")
    public var request: [String: JSONValue]?
    public typealias Result = JSONValue
    public init() {}
}

/// A resource that ``CallResource`` reaches, so that a scenario is checked before a server runs.
///
/// The table is written down from the server's own description (`/openapi.json`), and a test compares the two.
public struct ServerResource: Equatable, Sendable {
    /// Where it is, below the server's root.
    public let path: ResourcePattern
    /// The HTTP methods that it answers.
    public let methods: [String]
    /// What may be in ``CallResource/request``; any object where the server does not describe it.
    public let request: FieldType
    /// The members of the answer, and of the objects in it, each with any value; any answer where the server does not
    /// describe it.
    public let answer: FieldType

    /// Every resource of the back office and of the lab's powers.
    public static let all = ServerResourceTable.text.split(separator: "\n").map { ServerResource(line: String($0)) }

    /// The resource at a path, with or without a query.
    public static func at(_ path: String) -> ServerResource? {
        let path = path.prefix { $0 != "?" }
        return all.first { $0.path.placeholders(in: path) != nil }
    }

    /// Reads a line of the table: methods, path, either the fields as `name:type` or `*` for any, and after an arrow the
    /// answer as ``ResourceAnswer`` reads it.
    package init(line: String) {
        let words = line.split(separator: " ").map(String.init)
        methods = words[0].split(separator: ",").map(String.init)
        path = ResourcePattern(words[1])
        let fields = words.dropFirst(2).prefix { $0 != "->" }
        answer = words.firstIndex(of: "->").map { ResourceAnswer.type(of: words[$0 + 1]) } ?? .any
        request =
            fields.first == "*"
            ? .map
            : .object(
                fields.map { field in
                    let parts = field.split(separator: ":", maxSplits: 1).map(String.init)
                    return FieldDeclaration(ofResource: parts[0], type: Self.type(of: parts[1]))
                })
    }

    private static func type(of word: String) -> FieldType {
        switch word {
        case "text": .text
        case "integer": .integer
        case "boolean": .boolean
        case "list": .list(.any)
        case "map": .map
        case "any": .any
        default: .choice(word.split(separator: "|").map(String.init))
        }
    }
}

/// The form of an answer in the table: `{id,tokens:[{name}]}` is an object whose member `tokens` is a list of objects. A
/// member without a form has any value.
private enum ResourceAnswer {
    static func type(of text: String) -> FieldType {
        var rest = text[...]
        return type(&rest)
    }

    private static func type(_ rest: inout Substring) -> FieldType {
        switch rest.first {
        case "[":
            rest.removeFirst()
            let element = type(&rest)
            // The closing bracket.
            rest = rest.dropFirst()
            return .list(element)
        case "{":
            var members: [FieldDeclaration] = []
            repeat {
                // The opening bracket, or the comma.
                rest = rest.dropFirst()
                let name = rest.prefix { !":,{}[]".contains($0) }
                rest = rest.dropFirst(name.count)
                var form = FieldType.any
                if rest.first == ":" {
                    rest = rest.dropFirst()
                    form = type(&rest)
                }
                members.append(FieldDeclaration(ofResource: String(name), type: form))
            } while rest.first == ","
            rest = rest.dropFirst()
            return .object(members)
        default: return .any
        }
    }
}

extension FieldDeclaration {
    /// A field of a resource of the server, which may be left out.
    fileprivate init(ofResource name: String, type: FieldType) {
        self.init(name: name, type: type, isRequired: false, defaultValue: nil, unit: nil, limit: nil, meaning: "")
    }
}

/// A path whose parts may be placeholders, such as `/lab/faults/{id}`.
///
/// An immutable value; any thread.
public struct ResourcePattern: Hashable, Sendable {
    /// The path as it is written.
    public let text: String

    /// Takes a path.
    public init(_ text: String) { self.text = text }

    /// The values of the placeholders in a path, percent-decoded; nil when the path is another one.
    public func placeholders(in path: some StringProtocol) -> [String: String]? {
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = text.split(separator: "/", omittingEmptySubsequences: false)
        guard given.count == wanted.count else { return nil }
        var values: [String: String] = [:]
        for (value, part) in zip(given, wanted) where String(value) != String(part) {
            guard part.hasPrefix("{"), part.hasSuffix("}"), !value.isEmpty else { return nil }
            values[String(part.dropFirst().dropLast())] = String(value).removingPercentEncoding ?? String(value)
        }
        return values
    }
}
