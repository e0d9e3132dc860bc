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

    /// Every resource of the back office and of the lab's powers.
    public static let all = ServerResourceTable.text.split(separator: "\n").map { ServerResource(line: String($0)) }

    /// The resource at a path, with or without a query.
    public static func at(_ path: String) -> ServerResource? {
        let path = path.prefix { $0 != "?" }
        return all.first { $0.path.placeholders(in: path) != nil }
    }

    /// Reads a line of the table: methods, path, and either the fields as `name:type` or `*` for any.
    init(line: String) {
        let words = line.split(separator: " ").map(String.init)
        methods = words[0].split(separator: ",").map(String.init)
        path = ResourcePattern(words[1])
        let fields = words.dropFirst(2)
        request =
            fields.first == "*"
            ? .map
            : .object(
                fields.map { field in
                    let parts = field.split(separator: ":", maxSplits: 1).map(String.init)
                    return FieldDeclaration(
                        name: parts[0], type: Self.type(of: parts[1]), isRequired: false, defaultValue: nil,
                        unit: nil, limit: nil, meaning: "")
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
