import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("lab steps", .endsInTime)
struct VocabularyReferenceTests {
    @Test("A command is listed once for all actors that share its meaning")
    func oneCommand() throws {
        let text = try VocabularyReference.text(of: "sendMessage")
        #expect(text.hasPrefix("A command of an app and a watch app\n\n  sendMessage  "))
        #expect(text.contains("    reply: true or false, default true."))

        // A process is killed, and a server, and a device.
        let kill = try VocabularyReference.text(of: "kill")
        #expect(kill.matches(of: #/A command of /#).count > 1)
        #expect(kill.matches(of: #/\n  kill  /#).count == kill.matches(of: #/A command of /#).count)
    }

    @Test("JSON contains only the command")
    func json() throws {
        let commands = try VocabularyReference.json(of: "sendMessage")["commands"]?.arrayValue
        #expect(commands?.map { $0["name"] } == ["sendMessage"])
    }

    @Test("An unknown command is refused with the nearest one")
    func unknown() {
        let sentence = "no command is called `sendMesage`; did you mean `sendMessage`?"
        let text = #expect(throws: BadUsage.self) { try VocabularyReference.text(of: "sendMesage") }
        let json = #expect(throws: BadUsage.self) { try VocabularyReference.json(of: "sendMesage") }
        #expect([text, json].map { $0?.description } == [sentence, sentence])
    }
}
