// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabVocabulary
import TestSupport
import Testing

@Suite("Command dispatcher", .endsInTime)
struct CommandDispatcherTests {
    private struct Refused: Error {}

    /// A dispatcher that answers `sample` with its arguments.
    private func table(_ body: @escaping @Sendable (Sample) throws -> Void = { _ in }) -> CommandDispatcher<String> {
        var table = CommandDispatcher<String>(of: .app) { error in
            error is Refused ? ControlError(domain: "test", name: "refused", message: "no") : .failed(error)
        }
        table.answer(Sample.self) { arguments, target in
            try body(arguments)
            return Sample.Result {
                $0.list = [Sample.Part { $0.secret = arguments.secret }]
                $0.note = "\(target) \(arguments.number) \(arguments.word.rawValue)"
            }
        }
        return table
    }

    private func outcome(_ arguments: JSONValue, of table: CommandDispatcher<String>) -> Result<JSONValue, ControlError>
    {
        table.perform(ControlRequest(command: "sample", arguments: arguments), on: "main")
    }

    private func message(_ arguments: JSONValue) -> String? {
        guard case .failure(let error) = outcome(arguments, of: table()) else { return nil }
        #expect(error.name == "badArgument")
        return error.message
    }

    @Test func `A handler gets its target and the arguments with their defaults`() throws {
        let answer = try outcome(["text": "x", "secret": "1234"], of: table()).get()
        #expect(answer["note"] == "main 7 first")
        #expect(answer["list"]?[0]?["secret"] == "1234")
    }

    @Test(
        arguments: [
            (["secret": "1"], "`sample` needs `text`: Text."),
            (["text": nil, "secret": "1"], "`sample` needs `text`: Text."),
            (["text": 1, "secret": "1"], "`text` of `sample` expects text, not 1."),
            (["text": "x", "secret": 4711], "`secret` of `sample` expects secret."),
            (["text": "x", "secret": "1", "number": 0], "`number` of `sample` is 1 to 100, not 0."),
            (["text": "x", "secret": "1", "number": 1.5], "`number` of `sample` expects integer, not 1.5."),
            (
                ["text": "x", "secret": "1", "word": "third"],
                "`word` of `sample` expects first | second, not \"third\"."
            ),
            (["text": "x", "secret": "1", "time": "soon"], "`time` of `sample` expects duration, not \"soon\"."),
            (["text": "x", "secret": "1", "txet": "y"], "`sample` has no parameter `txet`; did you mean `text`?"),
        ] as [(JSONValue, String)])
    func `Invalid arguments are refused before the handler runs`(arguments: JSONValue, expected: String) {
        #expect(message(arguments) == expected)
    }

    @Test func `An error thrown by a handler becomes the error of the reply`() {
        let refusing = table { _ in throw Refused() }
        #expect(
            outcome(["text": "x", "secret": "1"], of: refusing)
                == .failure(
                    ControlError(domain: "test", name: "refused", message: "no")))
    }

    @Test func `An unknown command is answered with the nearest one`() throws {
        let outcome = table().perform(ControlRequest(command: "smaple"), on: "main")
        guard case .failure(let error) = outcome else { throw Unexpected("an unknown command was answered") }
        #expect(error.name == "unknownCommand")
        #expect(error.message.contains("sample"))
    }

    @Test func `A dispatcher cannot be used until every command of its kind has a handler`() throws {
        let vocabulary = Vocabulary([Sample.self, HasValidActivation.self])
        let error = #expect(throws: IncompleteCommandTable.self) { try table().checkComplete(vocabulary) }
        #expect(error?.mistakes == ["`hasValidActivation` has no handler"])
        try table().checkComplete(Vocabulary([Sample.self, LockDevice.self]))
    }

    @Test func `A duplicate handler and one for another kind of actor are named`() {
        var table = table()
        table.answer(Sample.self) { _, _ in Sample.Result() }
        table.answer(LockDevice.self) { _, _ in }
        let error = #expect(throws: IncompleteCommandTable.self) { try table.checkComplete(Vocabulary([])) }
        #expect(
            error?.mistakes == [
                "`sample` has two handlers", "`lock` of LockDevice is no command of the kind `app`",
            ])
    }
}
