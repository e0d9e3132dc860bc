import LabKit
import TestSupport
import Testing

@Suite("Commands that only their declaration describes", .endsInTime)
struct DeclaredCommandTests {
    private struct Refused: Error {}

    private static let declared = CommandDeclaration(
        name: "greet", actors: [.app], summary: "Greets.", fields: Sample.fields, result: .any)

    /// What a command with this text ends with.
    private func outcome(_ text: String) -> Result<JSONValue, ControlError> {
        var table = CommandDispatcher<String>(of: .app) { error in
            error is Refused ? ControlError(domain: "test", name: "refused", message: "no") : .failed(error)
        }
        table.start(Self.declared) { arguments, target, reply in
            switch arguments["text"]?.stringValue {
            case "throws": throw Refused()
            case "fails": reply(.failure(Refused()))
            case "lab": throw ControlError.badArgument("it is the handler's")
            default: reply(.success([.string(target), arguments["number"] ?? .null, arguments["word"] ?? .null]))
            }
        }
        let arguments: JSONValue = ["text": .string(text), "secret": "1234"]
        return table.perform(ControlRequest(command: "greet", arguments: arguments), on: "main")
    }

    @Test("Its handler gets completed arguments, and any of its errors becomes the one that travels")
    func handler() {
        let refused = ControlError(domain: "test", name: "refused", message: "no")
        #expect(outcome("hello") == .success(["main", 7, "first"]))
        #expect(outcome("throws") == .failure(refused) && outcome("fails") == .failure(refused))
        #expect(outcome("lab") == .failure(.badArgument("it is the handler's")))
    }

    @Test("A parameter that is like none of a command is refused with those that it has")
    func unlikeAny() {
        let error = #expect(throws: ControlError.self) { try Self.declared.checked(["zzzzzzzz": 1]) }
        let known = "`text`, `secret`, `number`, `word`, `time`, `extras`"
        #expect(error?.message == "`greet` has no parameter `zzzzzzzz`; it takes \(known).")
        let bare = CommandDeclaration(name: "bare", actors: [.app], summary: "Bare.", fields: [], result: .nothing)
        let none = #expect(throws: ControlError.self) { try bare.checked(["x": 1]) }
        #expect(none?.message == "`bare` has no parameter `x`; it takes no parameters.")
    }
}
