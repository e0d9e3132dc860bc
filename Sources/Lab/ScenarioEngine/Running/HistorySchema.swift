// SPDX-License-Identifier: Apache-2.0

package import LabCore
import ScenarioLanguage

extension HistoryEvent {
    /// The JSON Schema (draft-07) of a line of a history, read off the types that decode the lines.
    package static var schema: JSONValue {
        [
            "$schema": "http://json-schema.org/draft-07/schema#", "title": "A line of history.jsonl",
            "oneOf": .array(Kind.allCases.map(\.schema)),
        ]
    }
}

extension HistoryEvent.Kind {
    fileprivate var schema: JSONValue {
        let time: JSONValue = ["type": "integer", "minimum": 0]
        var properties: [String: JSONValue] = [
            key(.kind): ["const": .string(rawValue)], key(.time): time, key(.step): String.schema,
            key(.source): String.schema,
        ]
        var required: Set = [key(.kind), key(.time)]
        for details in details {
            properties.merge(details["properties"]?.objectValue ?? [:]) { _, new in new }
            required.formUnion(details["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        }
        var schema = JSONSchema.object(properties, required: required).objectValue ?? [:]
        schema["additionalProperties"] = false
        return .object(schema)
    }

    /// What a line has beside its kind, its time and its step, as schemas of objects.
    private var details: [JSONValue] {
        let verdict = JSONSchema.object(
            [key(.verdict): ["enum": .array(Verdict.allCases.map { .string($0.rawValue) })]],
            required: [key(.verdict)])
        switch self {
        case .scenarioStarted: return [JSONSchema.of(HistoryEvent.ScenarioStart.self)]
        case .scenarioFinished: return [verdict]
        case .source: return [JSONSchema.of(HistoryEvent.Source.self)]
        case .stepStarted:
            // A step of a Swift test has no place.
            let place = JSONSchema.of(HistoryEvent.SourceLines.self)["properties"]?.objectValue ?? [:]
            return [JSONSchema.of(HistoryEvent.StepStart.self), JSONSchema.object(place)]
        case .stepFinished: return [JSONSchema.object([key(.fine): Bool.schema], required: [key(.fine)])]
        case .stepSkipped: return [JSONSchema.of(HistoryEvent.Skip.self)]
        case .stepNotRun: return [JSONSchema.of(HistoryEvent.StepStart.self)]
        case .command: return [JSONSchema.of(HistoryEvent.Call.self)]
        case .turn: return [JSONSchema.of(HistoryEvent.GivenTurn.self)]
        case .failure: return [verdict, JSONSchema.of(HistoryEvent.Failure.self)]
        }
    }

    private func key(_ key: HistoryEvent.CodingKeys) -> String { key.rawValue }
}
