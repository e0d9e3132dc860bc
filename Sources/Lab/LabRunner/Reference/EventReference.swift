public import LabKit

/// The events of traces as `lab events` prints them: the events for `waitFor` and `never`, and the fields for `where`.
public enum EventReference {
    /// Version of the JSON form; increased when a member changes its meaning.
    public static let version = 1

    /// The events for people.
    public static func text() -> String {
        TraceEventName.all.map { event in
            let fields = event.fields.map { field in
                var facts = [field.type.title]
                if let unit = field.unit { facts.append("in \(unit)") }
                return "    \(field.name): \(facts.joined(separator: ", ")). \(field.meaning)"
            }
            return (["\(event.rawValue)  \(event.summary)"] + fields).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    /// The events for programs.
    public static func json() -> JSONValue {
        .object([
            "version": .integer(Int64(version)),
            "events": .array(
                TraceEventName.all.map { event in
                    .object([
                        "name": .string(event.rawValue), "summary": .string(event.summary),
                        "fields": .array(event.fields.map(json)),
                    ])
                }),
        ])
    }

    private static func json(_ field: TraceField) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(field.name), "type": field.type.json,
            "meaning": .string(field.meaning),
        ]
        members["unit"] = field.unit.map { .string($0) }
        return .object(members)
    }
}
