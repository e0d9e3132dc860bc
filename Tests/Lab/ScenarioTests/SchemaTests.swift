// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("The schemas for editors accept what the lab accepts, and reject what a schema can reject", .endsInTime)
struct SchemaTests {
    /// Made once: it takes a second, and each test case has an instance of this type.
    private static let schemas = (
        scenario: ScenarioSchema.json(of: .scenario), include: ScenarioSchema.json(of: .include),
        lab: ScenarioSchema.json(of: .lab)
    )
    private let scenario = DraftSeven(schemas.scenario)
    private let include = DraftSeven(schemas.include)
    private let lab = DraftSeven(schemas.lab)

    /// What is in the folder of the catalogue, each a test case: a file is compared with all commands.
    private static let places = (try? Files.list(Project.path("Scenarios"))) ?? []

    @Test(arguments: places)
    func `Every file of the catalogue is valid`(place: String) throws {
        let root = Project.path("Scenarios")
        let below = FileManager.default.enumerator(atPath: "\(root)/\(place)")?.compactMap { $0 as? String } ?? []
        let names = [place] + below.sorted().map { "\(place)/\($0)" }
        for name in names where name.hasSuffix(".yaml") {
            let file = try SourceFile.read("\(root)/\(name)").get()
            let schema = name.hasSuffix("lab.yaml") ? lab : ScenarioReader.isIncludedFile(file) ? include : scenario
            #expect(try schema.complaints(about: try Self.document(file)) == [], "\(name)")
        }
    }

    @Test func `lab.yaml is valid`() throws {
        #expect(Self.places.count > 10)
        for path in [
            "lab.yaml", "Tests/Lab/ScenarioTests/Golden/lab.yaml", "Tests/Lab/ScenarioTests/Failures/lab.yaml",
        ] {
            let file = try SourceFile.read(Project.path(path)).get()
            #expect(try lab.complaints(about: try Self.document(file)) == [], "\(path)")
        }
    }

    @Test(arguments: TestFiles.cases(in: "Failures"))
    func `Files that fail only at run time are valid`(name: String) throws {
        let file = try SourceFile.read("\(TestFiles.directory)/Failures/\(name)/scenario.yaml").get()
        #expect(try scenario.complaints(about: try Self.document(file)) == [])
    }

    /// The golden errors that only the lab can detect: they depend on the topology, other files, the environment, the
    /// scopes of variables, or features of YAML and regular expressions that a schema lacks.
    private static let beyondSchemas: Set<String> = [
        "duplicate-key", "empty-file", "fault-misfits", "include-circle", "include-clash", "include-outside",
        "include-twice", "key-is-not-text", "long-line", "malformed-pattern", "malformed-reference", "malformed-table",
        "malformed-yaml",
        "malformed-yaml-colon", "misfit-include", "mismatched-reference", "missing-file",
        "nested-absurdly", "nested-too-deeply", "not-utf8", "out-of-range-values", "overwritten-variable",
        "quote-closed-too-late", "reserved-name", "rows",
        "several-documents", "tab-indentation", "text-after-quote", "too-many-nodes", "topology-mistakes",
        "unclosed-quote", "undefined-variable", "unknown-actor",
        "unknown-name", "unknown-result-field", "unknown-topology", "unreachable-capture", "unread-capture",
        "unquoted-reference", "unusable-program",
        "unreadable-file", "unset-environment-variable",
    ]

    @Test(arguments: TestFiles.cases(in: "Golden"))
    func `An error that a schema can detect is rejected`(name: String) throws {
        let file = try? SourceFile.read("\(TestFiles.directory)/Golden/\(name)/scenario.yaml").get()
        guard let document = file.flatMap({ try? Self.document($0) }) else {
            #expect(Self.beyondSchemas.contains(name))
            return
        }
        let complaints = try scenario.complaints(about: document)
        #expect(complaints.isEmpty == Self.beyondSchemas.contains(name), "\(complaints)")
    }

    @Test func `A step has exactly one actor, with any other keys beside it`() throws {
        func complaints(_ step: String) throws -> [String] {
            let file = SourceFile(path: "a.yaml", text: "name: A\nsteps:\n  - { \(step) }\n")
            return try scenario.complaints(about: try Self.document(file))
        }
        #expect(try complaints("main: hasValidActivation, expect: true, as: a, note: n, within: 1s") == [])
        #expect(try complaints(#"main: "${row.command}", with: "${row.with}""#) == [])
        #expect(try complaints(#"server: "${row.command}""#) == [])
        #expect(try complaints("main: hasValidActivation, wallet: hasValidActivation") != [])
        #expect(try complaints("main: hasValidActivation, wallet: hasValidActivation, as: a, note: n") != [])
        #expect(try complaints("server: initActivation, main: hasValidActivation") != [])
        #expect(try complaints("note: nobody, expect: true") != [])
        #expect(try complaints("race: [[main: kill], [wallet: kill]], main: kill") != [])
    }

    @Test func `The bounds of orders have the limits of the reader, as numbers and as texts`() throws {
        func complaints(_ bounds: String) throws -> [String] {
            let race = "race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]"
            let text = "name: A\nsteps:\n  - { \(race), orders: { \(bounds) } }\n"
            return try scenario.complaints(about: try Self.document(SourceFile(path: "a.yaml", text: text)))
        }
        for (key, limits) in [
            ("preemptions", ExploredOrders.preemptionCounts), ("deaths", ExploredOrders.deathCounts),
        ] {
            for count in limits {
                #expect(try complaints("\(key): \(count)") == [])
                #expect(try complaints("\(key): \"\(count)\"") == [])
            }
            for count in [limits.lowerBound - 1, limits.upperBound + 1] {
                #expect(try complaints("\(key): \(count)") != [])
                #expect(try complaints("\(key): \"\(count)\"") != [])
            }
        }
    }

    @Test func `Parameters and answers belong to their command`() throws {
        func complaints(_ step: String) throws -> [String] {
            let file = SourceFile(path: "a.yaml", text: "name: A\nsteps:\n  - { \(step) }\n")
            return try scenario.complaints(about: try Self.document(file))
        }
        #expect(try complaints("main: createActivation, with: { activationCode: 1 }") == [])
        #expect(try complaints("main: createActivation") != [])
        #expect(try complaints("main: createActivation, with: \"${row.with}\"") == [])
        #expect(try complaints("main: createActivation, with: code") != [])
        #expect(try complaints("main: createActivation, with: { activationCode: a, password: b }") != [])
        #expect(try complaints("server: createActivation, with: { activationCode: a }") != [])
        #expect(try complaints("main: hasValidActivation, expect: maybe") != [])
        #expect(try complaints("main: createActivation, with: { activationCode: a }, expect: { finger: 1 }") != [])
        let never = "never: { main: hasValidActivation, expect: true }, steps: [{ clock: freeze }]"
        #expect(try complaints(never) == [])
        #expect(try complaints(never.replacing(" }, steps", with: ", as: a }, steps")) != [])
        #expect(try complaints("waitFor: { event: http.response, where: { status: { atLeast: 500 } } }") == [])
        #expect(try complaints("waitFor: { event: http.response, where: { code: 500 } }") != [])
        #expect(try complaints("include: a.yaml, with: { b: 1 }, as: { c: d }") == [])
        #expect(try complaints("include: a.yaml, with: \"${row.with}\"") == [])
        #expect(try complaints("include: a.yaml, with: b") != [])
        #expect(try complaints("include: a.yaml, as: c") != [])
        #expect(try complaints("main: kill, expect: true") != [])
        #expect(try complaints("main: kill, fails: wrongPasword") != [])
        #expect(try complaints("main: kill, fails: { code: { oneOf: [wrongPasword] } }") != [])
        #expect(try complaints("main: kill, fails: { code: { oneOf: [peerDied, 3] }, more: { any: true } }") == [])
    }

    @Test func `Each meaning is a sentence, and defaults are not`() {
        func check(_ schema: JSONValue, _ path: String) {
            if let meaning = schema["description"]?.stringValue {
                #expect(meaning.hasSuffix(".") && meaning.first?.isUppercase == true, "\(path): \(meaning)")
            }
            if let text = schema["default"]?.stringValue { #expect(!text.hasSuffix("."), "\(path): \(text)") }
            for (key, part) in schema.objectValue ?? [:] { check(part, "\(path)/\(key)") }
            for (index, part) in (schema.arrayValue ?? []).enumerated() { check(part, "\(path)/\(index)") }
        }
        check(Self.schemas.lab, "lab")
    }

    @Test func `Each example is valid in its place`() throws {
        for (schema, least) in [(scenario, 30), (include, 20)] {
            let (count, complaints) = try schema.unfitExamples()
            #expect(complaints == [])
            #expect(count >= least)
        }
    }

    @Test func `Every word of the language has its schema`() {
        #expect(Set(StepSchema.words.keys) == Set(ReservedWords.stepWords))
        #expect(Set(StepSchema.meanings.keys) == Set(ReservedWords.stepWords))
        #expect(Set(CommandSchema.siblings.keys) == Set(ReservedWords.commandSiblings))
        #expect(Set(ExpectationSchema.matchers.keys) == Set(Matcher.words))
    }

    /// A file as an editor reads it: plain scalars have YAML's types.
    private static func document(_ file: SourceFile) throws -> JSONValue {
        let collector = DiagnosticCollector()
        let node = YAMLDocument.parse(file, reporting: collector)
        guard collector.isEmpty, let node else { throw DraftSeven.Unusable(reason: "\(file.path) is no YAML") }
        return value(of: node)
    }

    private static func value(of node: YAMLNode) -> JSONValue {
        switch node.content {
        case .mapping(let entries):
            return .object(Dictionary(entries.map { ($0.key, value(of: $0.value)) }) { _, last in last })
        case .sequence(let elements):
            return .array(elements.map(value))
        case .scalar(let scalar):
            if scalar.isNull { return .null }
            if scalar.isQuoted { return .string(scalar.text) }
            switch scalar.text {
            case "true": return .bool(true)
            case "false": return .bool(false)
            default:
                if let number = Int64(scalar.text) { return .integer(number) }
                if scalar.text.contains(/^-?[0-9]*\.[0-9]+$/), let number = Double(scalar.text) {
                    return .number(number)
                }
                return .string(scalar.text)
            }
        }
    }
}
