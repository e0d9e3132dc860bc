import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("Texts and schemas that are made from declarations", .endsInTime)
struct ReferenceTextTests {
    @Test("The list of explanations has every name under its subject, once")
    func names() {
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

    @Test("The schema of an object has its members and no others, each with type and meaning")
    func object() throws {
        let command = try #require(Vocabulary.lab.command(named: "initActivation", of: .server))
        guard case .object(let members) = command.result else {
            Issue.record("\(command.name) does not answer an object")
            return
        }
        let schema = ValueSchema.value(of: command.result).json["anyOf"]?[0]
        #expect(schema?["type"] == "object" && schema?["additionalProperties"] == false)
        #expect(schema?["properties"]?.objectValue.map { $0.keys.sorted() } == members.map(\.name).sorted())
        for member in members {
            let description = schema?["properties"]?[member.name]?["description"]
            #expect(description == .string(ValueSchema.meaning(of: member)), "\(member.name)")
        }
    }
}
