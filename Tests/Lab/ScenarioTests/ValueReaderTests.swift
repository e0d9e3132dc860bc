// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("Values and expectations are read by the declared type", .endsInTime)
struct ValueReaderTests {
    private static let types: [FieldType] = [
        .text, .integer, .number, .boolean, .duration, .choice(["on", "off"]), .any,
    ]

    /// A scalar, and how each of ``types`` reads it: as JSON, or not at all (`-`).
    private static let scalars: [(String, [String])] = [
        ("5", [#""5""#, "5", "5", "-", "-", "-", "5"]),
        ("'5'", [#""5""#, "5", "5", "-", "-", "-", #""5""#]),
        ("-5", [#""-5""#, "-5", "-5", "-", "-", "-", "-5"]),
        ("+1", [#""+1""#, "1", "1", "-", "-", "-", #""+1""#]),
        ("0123", [#""0123""#, "123", "123", "-", "-", "-", #""0123""#]),
        ("1.5", [#""1.5""#, "-", "1.5", "-", "-", "-", "1.5"]),
        ("-0.5", [#""-0.5""#, "-", "-0.5", "-", "-", "-", "-0.5"]),
        ("00.5", [#""00.5""#, "-", "0.5", "-", "-", "-", #""00.5""#]),
        ("1e3", [#""1e3""#, "-", "1000.0", "-", "-", "-", #""1e3""#]),
        ("inf", [#""inf""#, "-", "-", "-", "-", "-", #""inf""#]),
        (
            "18446744073709551615",
            [
                #""18446744073709551615""#, "18446744073709551615", "1.8446744073709552e+19", "-", "-", "-",
                #""18446744073709551615""#,
            ]
        ),
        ("true", [#""true""#, "-", "-", "true", "-", "-", "true"]),
        ("'false'", [#""false""#, "-", "-", "false", "-", "-", #""false""#]),
        ("yes", [#""yes""#, "-", "-", "-", "-", "-", #""yes""#]),
        ("2s", [#""2s""#, "-", "-", "-", #""2s""#, "-", #""2s""#]),
        ("-1.5m", [#""-1.5m""#, "-", "-", "-", #""-1.5m""#, "-", #""-1.5m""#]),
        ("on", [#""on""#, "-", "-", "-", "-", #""on""#, #""on""#]),
        ("~", ["-", "-", "-", "-", "-", "-", "null"]),
        ("'~'", [#""~""#, "-", "-", "-", "-", "-", #""~""#]),
        ("''", ["\"\"", "-", "-", "-", "-", "-", "\"\""]),
    ]

    private func read(_ text: String, as type: FieldType) throws -> (template: Template?, mistakes: [String]) {
        let collector = DiagnosticCollector()
        let node = try #require(
            YAMLDocument.parse(SourceFile(path: "value", text: text), reporting: collector),
            "\(DiagnosticRenderer().render(collector.diagnostics))")
        let reader = ValueReader(scope: Scope(parent: nil), collector: collector, secrets: SecretTexts())
        let template = reader.read(node, as: type, what: "it")
        return (template, collector.diagnostics.map(\.kind.identifier))
    }

    @Test(arguments: scalars)
    func `A scalar is what its type makes of it, or a mistake`(text: String, expected: [String]) throws {
        for (type, json) in zip(Self.types, expected) {
            for type in [type, .optional(type)] {
                if text == "~", type != .any, case .optional = type { continue }
                let (template, mistakes) = try read(text, as: type)
                if case .literal(let value)? = template {
                    #expect(value.description == json && mistakes == [], "\(type.title)")
                } else {
                    #expect(template == nil && json == "-" && mistakes.count == 1, "\(type.title)")
                }
            }
        }
    }

    @Test func `Nothing is a value of an optional type only, and a list or a mapping of no scalar's type`() throws {
        for type in Self.types {
            guard case .literal(.null)? = try read("~", as: .optional(type)).template else {
                Issue.record("\(type.title)")
                continue
            }
            if type == .any { continue }
            #expect(try read("[1]", as: type).mistakes == ["wrongShape"])
            #expect(try read("{ a: 1 }", as: type).mistakes == ["wrongShape"])
        }
        #expect(try read("1", as: .list(.integer)).mistakes == ["wrongShape"])
        #expect(try read("{ a: 1 }", as: .list(.integer)).mistakes == ["wrongShape"])
        #expect(try read("[1, a, 2, b]", as: .list(.integer)).mistakes == ["wrongType", "wrongType"])
        #expect(try read("[1]", as: .map).mistakes == ["wrongShape"])
        let object = try read("{ name: a, nam: b, length: c }", as: Sample.fieldType)
        #expect(object.mistakes == ["unknownKey", "wrongType"])
    }

    @Test func `A secret is read as text, and known as a secret from then on`() throws {
        let collector = DiagnosticCollector()
        let file = SourceFile(path: "value", text: "hunter22 # said")
        let node = try #require(YAMLDocument.parse(file, reporting: collector))
        let secrets = SecretTexts()
        let reader = ValueReader(scope: Scope(parent: nil), collector: collector, secrets: secrets)
        guard case .literal("hunter22")? = reader.read(node, as: .optional(.secret), what: "it")
        else { throw Unexpected("it was not read") }
        #expect(secrets.texts == ["hunter22"])
        #expect(collector.secretRanges.masked(line: 1, of: file) == "•••••••• # said")
    }

    /// A secret that cannot be read, and what is printed about it.
    private static let refusedSecrets: [(String, String)] = [
        ("\"hunt${er22\"", "`${` is not a complete reference\n 1 | ••••••••••••\n"),
        ("\"hunt${er 22}\"", "`${` is not a complete reference\n 1 | ••••••••• ••••\n"),
        ("[hunter22]", "it must be a single value, but here is a list\n 1 | •••••••••"),
        ("{ hunter: hunter22 }", "it must be a single value, but here is a mapping\n 1 | • ••••••• ••••••••"),
    ]

    @Test(arguments: refusedSecrets)
    func `A secret that cannot be read is hidden like one that can`(text: String, shown: String) throws {
        for type: FieldType in [.secret, .optional(.secret)] {
            let collector = DiagnosticCollector()
            let node = try #require(YAMLDocument.parse(SourceFile(path: "value", text: text), reporting: collector))
            let reader = ValueReader(scope: Scope(parent: nil), collector: collector, secrets: SecretTexts())
            #expect(reader.read(node, as: type, what: "it") == nil)
            let printed = DiagnosticRenderer(secrets: collector.secretRanges).render(collector.diagnostics)
            #expect(printed.contains(shown), "\(printed)")
            #expect(!printed.contains("er22") && !printed.contains("er 22") && !printed.contains("hunt"), "\(printed)")
        }
    }

    private static let everyType: [FieldType] =
        types + [.secret, .list(.text), .map, Sample.fieldType, .optional(.text)]

    /// The types, by their titles, for which a matcher makes sense; of the others any type.
    private static func fit(_ word: String) -> Set<String> {
        let texts: [FieldType] = [.text, .secret, .choice(["on", "off"]), .optional(.text), .any]
        let types: [FieldType] =
            switch word {
            case "matches", "startsWith", "endsWith": texts + [.duration]
            case "atLeast", "atMost", "between", "near": [.integer, .number, .duration, .any]
            case "each": [.list(.text), .any]
            case "contains", "length": texts + [.list(.text), .map, Sample.fieldType]
            default: everyType
            }
        return Set(types.map(\.title))
    }

    @Test(arguments: Matcher.words)
    func `A matcher is refused for a value of which it can make nothing`(word: String) throws {
        var accepted: Set<String> = []
        for type in Self.everyType {
            let collector = DiagnosticCollector()
            let file = SourceFile(path: "expectation", text: "{ \(word): 1 }")
            let node = try #require(YAMLDocument.parse(file, reporting: collector))
            let values = ValueReader(scope: Scope(parent: nil), collector: collector, secrets: SecretTexts())
            _ = ExpectationReader(values: values).read(node, of: type, what: "it")
            // Whether the argument fits is another question.
            let kinds = collector.diagnostics.map(\.kind.identifier)
            if !kinds.contains("matcherForOtherType") { accepted.insert(type.title) }
        }
        #expect(accepted == Self.fit(word))
    }
}

private struct Sample: FieldObject {
    @Field("A name.") var name: String
    @Field("A size.") var length: Int?
}
