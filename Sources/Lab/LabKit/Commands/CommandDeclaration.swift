/// A command as data: what its type declares, for checks, help, schema and reference page.
public struct CommandDeclaration: Equatable, Sendable {
    /// Name in scenarios and on the command line.
    public let name: String
    /// Kinds of actor that understand the command.
    public let actors: Set<ActorKind>
    /// One sentence for the reference page.
    public let summary: String
    /// The parameters, in the order in which they are listed.
    public let fields: [FieldDeclaration]
    /// The form of the answer.
    public let result: FieldType
    /// Name of the command that ends the fault which this one arms; nil for a command that arms none.
    public let ending: String?
    /// Name of the command that counts what the faults have hit; nil for a fault that may hit nothing.
    public let counting: String?
    /// Name of the type that declares it, for messages to programmers.
    public let declaredBy: String

    /// Reads a declaration off its type.
    public init<C: Command>(_ command: C.Type) {
        let info = command.info
        name = info.name
        actors = info.actors
        summary = info.summary
        fields = command.fields
        result = C.Result.fieldType
        ending = info.ending.map { $0.name }
        counting = info.counting.map { $0.name }
        declaredBy = String(describing: command)
    }

    /// Declares a command that no type of this program declares: one of a user's own app.
    ///
    /// - Parameters:
    ///   - name: Name in scenarios and on the command line.
    ///   - actors: Kinds of actor that understand it.
    ///   - summary: What it does, in one sentence.
    ///   - fields: Its parameters.
    ///   - result: The form of its answer.
    public init(
        name: String, actors: Set<ActorKind>, summary: String, fields: [FieldDeclaration], result: FieldType
    ) {
        self.name = name
        self.actors = actors
        self.summary = summary
        self.fields = fields
        self.result = result
        ending = nil
        counting = nil
        declaredBy = "its own app"
    }

    /// The parameter with a name.
    public func field(named name: String) -> FieldDeclaration? {
        fields.first { $0.name == name }
    }

    /// Checks arguments and fills in the defaults of those that are left out. The one place that judges what a process
    /// is sent.
    ///
    /// - Throws: `ControlError` named `badArgument`. It never shows a value of a secret parameter.
    public func checked(_ arguments: [String: JSONValue]) throws(ControlError) -> [String: JSONValue] {
        for name in arguments.keys.sorted() where field(named: name) == nil {
            let known = fields.map(\.name)
            let advice = nearest(name, among: known).map { "did you mean `\($0)`?" } ?? "it takes \(Self.list(known))."
            throw .badArgument("`\(self.name)` has no parameter `\(name)`; \(advice)")
        }
        var checked = arguments
        for field in fields {
            switch arguments[field.name] {
            case nil, .null:
                guard !field.isRequired else {
                    throw .badArgument("`\(name)` needs `\(field.name)`: \(field.meaning)")
                }
                checked[field.name] = field.defaultValue
            case let value?:
                let shown = field.isSecret ? "" : ", not \(value)"
                guard field.type.admits(value) else {
                    throw .badArgument("`\(field.name)` of `\(name)` expects \(field.type.title)\(shown).")
                }
                if let limit = field.limit, !limit.admits(value) {
                    throw .badArgument("`\(field.name)` of `\(name)` is \(limit)\(shown).")
                }
            }
        }
        return checked
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "no parameters" : names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
