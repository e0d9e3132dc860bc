import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("Deprecated words of the vocabulary", .endsInTime)
struct OldSpellingTests {
    @Test("Each maps to a current word, and is not a current word in its own place", arguments: OldSpelling.all)
    func leadsToNewWord(spelling: OldSpelling) throws {
        switch spelling.place {
        case .command(let kind):
            let names = Vocabulary.lab.commands.filter { $0.actors.contains(kind) }.map(\.name)
            #expect(names.contains(spelling.new))
            #expect(!names.contains(spelling.old))
            #expect(OldSpelling.command(spelling.old, of: kind) == spelling)
        case .parameter(let command):
            let fields = try #require(Vocabulary.lab.commands.first { $0.name == command }).fields.map { $0.name }
            #expect(fields.contains(spelling.new))
            #expect(!fields.contains(spelling.old))
            #expect(OldSpelling.parameters(of: command).contains(spelling))
        case .value(let command, let parameter):
            let declared = try #require(Vocabulary.lab.commands.first { $0.name == command })
            #expect(declared.fields.contains { $0.name == parameter })
            #expect(FaultPoint(rawValue: spelling.new) != nil && FaultPoint(rawValue: spelling.old) == nil)
            #expect(OldSpelling.values(of: parameter, command).contains(spelling))
        }
    }

    @Test("None is past its last version: remove those that are", arguments: OldSpelling.all)
    func leavesInTime(spelling: OldSpelling) throws {
        let current = try #require(OldSpelling.Version(LabVersion.current))
        #expect(spelling.deprecatedFrom <= current)
        #expect(current < spelling.refusedFrom)
        #expect(spelling.deprecatedFrom < spelling.refusedFrom)
    }

    @Test("Versions are compared by their numbers")
    func versions() throws {
        let version = try #require(OldSpelling.Version("0.10.3-dev"))
        #expect(version.description == "0.10")
        #expect(try #require(OldSpelling.Version("0.9")) < version)
        #expect(try version < #require(OldSpelling.Version("1.0")))
        #expect(OldSpelling.Version("1") == nil)
    }
}
