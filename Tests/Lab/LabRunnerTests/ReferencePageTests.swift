import Foundation
import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("The references that the lab prints", .endsInTime)
struct ReferencePageTests {
    @Test("Each page of docs holds its reference", arguments: ["commands", "events", "errors"])
    func page(name: String) throws {
        let reference =
            switch name {
            case "commands": VocabularyReference.text()
            case "events": EventReference.text()
            default: ExplanationReference.text()
            }
        let page = try Project.text(of: "docs/\(name).md")
        let shown = page.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "\n```").first
        #expect(shown == reference, "RECORD=1 swift test --filter DocumentationTests writes the page anew")
    }

    @Test("The list of names has each name with its meaning, below the title of its kind")
    func names() {
        let lines = ExplanationReference.names().split(separator: "\n").map(String.init)
        let expected = Explanation.Subject.allCases.flatMap { subject in
            [subject.title] + Explanation.all.filter { $0.subject == subject }.map { "  \($0.name)  \($0.meaning)" }
        }
        #expect(lines == expected)
        #expect(lines.count > 200)
    }

    @Test("Programs read the same events as people")
    func events() throws {
        let document = EventReference.json()
        #expect(document["version"] == .integer(Int64(EventReference.version)))
        let events = try #require(document["events"]?.arrayValue)
        let lines = events.flatMap { event -> [String] in
            let fields = (event["fields"]?.arrayValue ?? []).map { field in
                let unit = field["unit"]?.stringValue.map { ", in \($0)" } ?? ""
                return "\(Self.text(field["name"])):\(unit). \(Self.text(field["meaning"]))"
            }
            return ["\(Self.text(event["name"]))  \(Self.text(event["summary"]))"] + fields
        }
        // Without the types, which have a form of their own for programs.
        let shown = EventReference.text().split(separator: "\n").map { line in
            String(line.trimmingPrefix("    ")).replacing(#/^(\w+): .*?(, in \w+)?\. /#) { "\($0.1):\($0.2 ?? ""). " }
        }
        #expect(lines == shown)
        let fields = events.flatMap { $0["fields"]?.arrayValue ?? [] }
        #expect(fields.allSatisfy { $0["type"] != nil })
    }

    private static func text(_ value: JSONValue?) -> String { value?.stringValue ?? "" }

    @Test("Programs read the same commands as people, with all kinds of actor")
    func commands() throws {
        let document = try VocabularyReference.json()
        #expect(document["version"] == .integer(Int64(VocabularyReference.version)))
        #expect(document["programs"] == nil)
        let names = document["commands"]?.arrayValue?.map { Self.text($0["name"]) }
        #expect(names == Vocabulary.lab.commands.map(\.name))
        let titles = VocabularyReference.text().matches(of: #/(?m)^Commands of (.+)$/#).map { String($0.1) }
        #expect(titles == ActorKind.allCases.map(\.title))
        #expect(Set(titles).count == titles.count)
    }
}
