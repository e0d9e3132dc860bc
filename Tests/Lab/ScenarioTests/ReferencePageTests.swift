// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("The references that the lab prints", .endsInTime)
struct ReferencePageTests {
    @Test(arguments: ["commands", "events", "errors"])
    func `Each page of docs holds its reference`(name: String) throws {
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

    @Test func `Programs read the same events as people`() throws {
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

    @Test func `Programs read the same commands as people, with all kinds of actor`() throws {
        let document = try VocabularyReference.json()
        #expect(document["version"] == .integer(Int64(VocabularyReference.version)))
        #expect(document["programs"] == nil)
        let names = document["commands"]?.arrayValue?.map { Self.text($0["name"]) }
        #expect(names == Vocabulary.lab.commands.map(\.name))
        let titles = VocabularyReference.text().matches(of: #/(?m)^Commands of (.+)$/#).map { String($0.1) }
        #expect(titles == ActorKind.allCases.map(\.title))
        #expect(Set(titles).count == titles.count)
    }

    @Test func `The list of explanations has every name under its subject, once`() {
        let text = ExplanationReference.names()
        var rest = text[...]
        for subject in Explanation.Subject.allCases {
            let lines = Explanation.all.filter { $0.subject == subject }.map { "  \($0.name)  \($0.meaning)\n" }
            let section = "\(subject.title)\n\n\(lines.joined())"
            #expect(rest.hasPrefix(section), "\(subject.title)")
            rest = rest.dropFirst(section.count + 1)
        }
        #expect(rest.isEmpty)
    }

    @Test func `The schema of an object has its members and no others, each with type and meaning`() throws {
        let command = try #require(Vocabulary.lab.command(named: "initActivation", of: .server))
        guard case .object(let members) = command.result
        else { throw Unexpected("\(command.name) does not answer an object") }
        let schema = ValueSchema.value(of: command.result).json["anyOf"]?[0]
        #expect(schema?["type"] == "object" && schema?["additionalProperties"] == false)
        #expect(schema?["properties"]?.objectValue.map { $0.keys.sorted() } == members.map(\.name).sorted())
        for member in members {
            let description = schema?["properties"]?[member.name]?["description"]
            #expect(description == .string(ValueSchema.meaning(of: member)), "\(member.name)")
        }
    }

    @Test func `A command is listed once for all actors that share its meaning`() throws {
        let text = try VocabularyReference.text(of: "sendMessage")
        #expect(text.hasPrefix("A command of an app, an app with SDK 2.0 and a watch app\n\n  sendMessage  "))
        #expect(text.contains("    reply: true or false, default true."))

        // A process is killed, and a server, and a device.
        let kill = try VocabularyReference.text(of: "kill")
        #expect(kill.matches(of: #/A command of /#).count > 1)
        #expect(kill.matches(of: #/\n  kill  /#).count == kill.matches(of: #/A command of /#).count)
    }

    @Test func `JSON contains only the command`() throws {
        let commands = try VocabularyReference.json(of: "sendMessage")["commands"]?.arrayValue
        #expect(commands?.map { $0["name"] } == ["sendMessage"])
    }

    @Test func `An unknown command is refused with the nearest one`() {
        let sentence = "no command is called `sendMesage`; did you mean `sendMessage`?"
        let text = #expect(throws: BadUsage.self) { try VocabularyReference.text(of: "sendMesage") }
        let json = #expect(throws: BadUsage.self) { try VocabularyReference.json(of: "sendMesage") }
        #expect([text, json].map { $0?.description } == [sentence, sentence])
    }
}
