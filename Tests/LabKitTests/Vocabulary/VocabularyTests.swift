import LabKit
import Testing

@Suite("Vocabulary")
struct VocabularyTests {
    @Test("Each command's field list is equal to the coding keys of its arguments")
    func fieldsAreTheCodingKeys() throws {
        for command in Vocabulary.all {
            let probe = try keys(of: command)
            let fields = command.fields
            #expect(
                Set(fields.filter(\.required).map(\.name)) == Set(probe.required), "required fields of \(command.name)")
            #expect(
                Set(fields.filter { !$0.required }.map(\.name)) == Set(probe.optional),
                "optional fields of \(command.name)")
            #expect(Set(fields.map(\.name)).count == fields.count, "\(command.name) declares a field twice")
        }
    }

    @Test("No two commands of one actor have the same name")
    func namesAreUnique() {
        #expect(Vocabulary.conflicts == [])
    }

    @Test("Every command says what it does and every field what it means, as sentences")
    func wordsAreSentences() {
        for command in Vocabulary.all {
            #expect(command.summary.hasSuffix("."), "\(command.name): \(command.summary)")
            for field in command.fields {
                #expect(field.meaning.hasSuffix("."), "\(command.name).\(field.name): \(field.meaning)")
            }
        }
    }

    @Test("A command is found by its name and the kind of actor")
    func lookup() {
        #expect(Vocabulary.command(named: "removeActivation", for: .app) is RemoveActivation.Type)
        #expect(Vocabulary.command(named: "removeActivation", for: .server) is RemoveServerActivation.Type)
        #expect(Vocabulary.command(named: "createActivation", for: .watchApp) == nil)
    }

    @Test("A secret shows dots in every description")
    func secretsStayHidden() {
        let arguments = PersistActivation.Arguments(password: "0123")
        var dumped = ""
        dump(arguments, to: &dumped)
        for text in ["\(arguments)", String(reflecting: arguments), dumped] {
            #expect(!text.contains("0123"))
        }
    }

    private func keys<C: Command>(of command: C.Type) throws -> KeyProbe {
        try KeyProbe.keys(of: C.Arguments.self)
    }
}
