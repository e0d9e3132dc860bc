public import LabKit

/// The JSON Schema of scenario files, made from the vocabulary.
///
/// A step is one object with the language's words as properties; every other property is an actor whose value
/// is one of the commands. That keeps the schema small and editors from offering things twice.
public enum ScenarioSchema {
    /// The schema (draft 2020-12).
    public static func json() -> JSONValue {
        .object([
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "PowerAuth Lab scenario",
            "type": "object",
            "required": ["name", "steps"],
            "additionalProperties": false,
            "properties": .object([
                "name": text("Title in reports."),
                "about": text("What the scenario is about."),
                "tags": list(of: text("Word to select by.")),
                "quarantine": text("Why the scenario is known not to pass."),
                "lab": .object([
                    "description": "A topology of lab.yaml, with parts replaced, or actors of its own.",
                    "type": ["string", "object"],
                ]),
                "values": .object([
                    "description": "Constants, generated values, secrets, values from the environment.",
                    "type": "object",
                ]),
                "rows": list(of: .object(["type": "object"])),
                "steps": list(of: reference("step")),
                "tearDown": list(of: reference("step")),
            ]),
            "$defs": .object(["step": step, "duration": duration, "command": command, "parameters": parameters]),
        ])
    }

    private static func text(_ description: String) -> JSONValue {
        .object(["type": "string", "description": .string(description)])
    }

    private static func list(of element: JSONValue) -> JSONValue {
        .object(["type": "array", "items": element])
    }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/$defs/\(name)")])
    }

    private static let duration: JSONValue = .object([
        "type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)?(ms|us|ns|s|m|h|d)$",
    ])

    /// Every command, by name; the actor decides at run time which of them it understands.
    private static var command: JSONValue {
        var summaries: [String: [String]] = [:]
        for command in Vocabulary.lab.commands { summaries[command.name, default: []].append(command.summary) }
        return .object([
            "oneOf": .array(
                summaries.sorted { $0.key < $1.key }.map { name, texts in
                    .object(["const": .string(name), "description": .string(texts.joined(separator: " / "))])
                })
        ])
    }

    /// Every parameter of every command; which of them a command has is checked by `lab run`.
    private static var parameters: JSONValue {
        var properties: [String: [String]] = [:]
        for command in Vocabulary.lab.commands {
            for field in command.fields {
                let meaning = "\(command.name): \(field.meaning)"
                if properties[field.name]?.contains(meaning) != true {
                    properties[field.name, default: []].append(meaning)
                }
            }
        }
        return .object([
            "type": "object",
            "properties": .object(
                properties.mapValues { .object(["description": .string($0.joined(separator: "\n"))]) }),
        ])
    }

    private static var step: JSONValue {
        let nested = list(of: reference("step"))
        let branches = list(of: .object(["anyOf": .array([reference("step"), nested])]))
        let block: JSONValue = .object(["type": ["string", "integer", "object"]])
        return .object([
            "type": "object",
            "minProperties": 1,
            "properties": .object([
                "with": reference("parameters"),
                "expect": .object(["description": "What the result must be like."]),
                "fails": .object(["description": "What the error must be like."]),
                "as": text("The variable that keeps the answer."),
                "note": text("A remark."),
                "within": reference("duration"),
                "eventually": .object([
                    "description": "Tries the step, or `steps`, until it holds, at most this long.",
                    "type": ["string", "object"],
                ]),
                "steps": nested,
                "race": branches,
                "parallel": branches,
                "repeat": block,
                "each": .object(["type": "object"]),
                "advance": reference("duration"),
                "waitFor": .object(["type": "object"]),
                "check": .object(["description": "A value to be judged by `expect`."]),
                "include": text("A file with steps."),
            ]),
            "additionalProperties": reference("command"),
        ])
    }
}
