// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Every word of the language that can make a scenario red does", .endsInTime, .serialized)
struct RedWordTests {
    static let cases = RedCase.ofFiles + RedCase.ofCommands + RedCase.ofBlocks + RedCase.ofBranches

    /// Words that are only displayed.
    static let shown: Set = [
        "scenario.about", "scenario.quarantine.owner", "file.name", "file.about", "file.parameters.meaning",
        "command.note",
    ]

    @Test func `The table has exactly one row per word`() {
        let words = Self.words
        #expect(words.count > 90)
        let rows = Set(Self.cases.map(\.word))
        #expect(words.subtracting(rows).subtracting(Self.shown).sorted() == [], "a word without a red case")
        #expect(rows.union(Self.shown).subtracting(words).sorted() == [], "a red case for an unknown word")
        #expect(rows.intersection(Self.shown).sorted() == [])
    }

    @Test(arguments: cases) func `The scenario is red because of this word`(_ row: RedCase) async throws {
        let outcome = try await row.play(isRed: true)
        switch (row.kind, outcome) {
        case (.refused(let sentence), .refused(let sentences)):
            #expect(sentences.contains { $0.contains(sentence) }, "\(sentences)")
        case (.red(let reason, let verdict), .played(let results)):
            for result in results {
                #expect(result.verdict == verdict, "\(result.failures.map(\.reason))")
                #expect(result.failures.first?.reason.contains(reason) == true, "\(result.failures.map(\.reason))")
                #expect(result.isHeldAgainstRun)
            }
            #expect(results.isEmpty == false)
            #expect(RunOutcome(results) == (verdict == .failed ? .failed : .inconclusive))
        case (.notPlayed(let remark), .played(let results)):
            #expect(results.map(\.verdict) == [.notRun])
            #expect(results.first?.remark?.contains(remark) == true, "\(results.map(\.remark))")
        case (.setAside, .played(let results)):
            #expect(results.map(\.verdict) == [.failed])
            #expect(RunOutcome(results) == .passed)
            #expect(results.allSatisfy { $0.outcome == .skipped("quarantined: \($0.quarantine ?? "")") })
        default: Issue.record("\(outcome)")
        }
    }

    @Test(arguments: cases.filter(\.hasGreenReality))
    func `The same scenario is green when the answers match it`(_ row: RedCase) async throws {
        guard case .played(let results) = try await row.play(isRed: false) else { throw Unexpected("it was refused") }
        #expect(!results.isEmpty)
        #expect(results.allSatisfy { $0.verdict == .passed }, "\(results.flatMap(\.failures).map(\.reason))")
    }

    // MARK: The words

    /// Every key that the schemas of scenarios and of files of steps have, with those around it.
    static var words: Set<String> {
        var words = keys(of: ScenarioSchema.json(of: .scenario), below: "scenario")
            .union(keys(of: ScenarioSchema.json(of: .include), below: "file"))
        for (word, schema) in StepSchema.words {
            // What every step can have beside its word is a row of commands.
            words.formUnion(
                keys(of: schema.json, below: word).filter { !$0.hasPrefixes("\(word).note", "\(word).when") })
        }
        for (word, schema) in CommandSchema.siblings {
            words.formUnion(["command.\(word)"] + keys(of: schema.json, below: "command.\(word)"))
        }
        let definitions = ScenarioSchema.json(of: .scenario)["definitions"]?.objectValue ?? [:]
        for name in ["event", "way", "value"] { words.formUnion(keys(of: definitions[name] ?? .null, below: name)) }
        return words
    }

    private static func keys(of schema: JSONValue, below path: String) -> Set<String> {
        guard case .object(let members) = schema else { return [] }
        var found: Set<String> = []
        for (keyword, value) in members {
            switch keyword {
            case "properties":
                // A key that is forbidden there does not count.
                for (key, inner) in value.objectValue ?? [:] where inner != false {
                    found.insert("\(path).\(key)")
                    found.formUnion(keys(of: inner, below: "\(path).\(key)"))
                }
            case "then", "else", "items", "additionalProperties": found.formUnion(keys(of: value, below: path))
            case "allOf", "anyOf", "oneOf":
                for part in value.arrayValue ?? [] { found.formUnion(keys(of: part, below: path)) }
            default: break
            }
        }
        return found
    }
}

extension RedCase {
    /// Whether there are answers that make the scenario green.
    var hasGreenReality: Bool {
        guard case .red = kind else { return false }
        return !green.isEmpty || red.isEmpty
    }
}

extension String {
    fileprivate func hasPrefixes(_ prefixes: String...) -> Bool { prefixes.contains(where: hasPrefix) }
}
