// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabVocabulary
import TestSupport
import Testing

@Suite("Fields", .endsInTime)
struct FieldTests {
    private func field(_ name: String) throws -> FieldDeclaration {
        try #require(CommandDeclaration(Sample.self).field(named: name))
    }

    @Test func `Fields are declared by their properties, in their order`() {
        #expect(Sample.fields.map(\.name) == ["text", "secret", "number", "word", "time", "extras"])
        #expect(Sample.fields.filter(\.isRequired).map(\.name) == ["text", "secret"])
    }

    @Test func `The type of a property decides the type of its field`() throws {
        #expect(try field("text").type == .text)
        #expect(try field("secret").isSecret)
        #expect(try field("word").type == .choice(["first", "second"]))
        #expect(try field("time").type == .duration)
        #expect(try field("extras").type == .map)
        #expect(
            CommandDeclaration(Sample.self).result
                == .object([
                    try #require(Sample.Result.fields.first { $0.name == "list" }),
                    try #require(Sample.Result.fields.first { $0.name == "note" }),
                ]))
        #expect(Sample.Result.fields[0].memberType == .list(.object(Sample.Part.fields)))
        #expect(Sample.Result.fields[1].memberType == .optional(.text))
    }

    @Test func `Default, unit, limit and meaning are declared with the property`() throws {
        #expect(try field("number").defaultValue == 7)
        #expect(try field("number").unit == "bytes")
        #expect(try field("number").limit?.description == "1 to 100")
        #expect(try field("number").meaning == "Number.")
        #expect(try field("word").defaultValue == "first")
        #expect(try field("time").defaultValue == nil)
    }

    @Test func `A limit accepts exactly its range`() {
        #expect(Limit.between(1, 3).admits(3) && !Limit.between(1, 3).admits(4))
        #expect(Limit.atLeast(0).admits(0) && !Limit.atLeast(0).admits(-1))
        for share in [0.001, 1] as [JSONValue] { #expect(Limit.share.admits(share)) }
        for share in [0, -0.5, 1.001, 20] as [JSONValue] { #expect(!Limit.share.admits(share)) }
        #expect(Limit.length.admits("0s") && Limit.length.admits("2s") && !Limit.length.admits("-2s"))
        for amount in ["250.50", "1", "0", "1710.1"] as [JSONValue] { #expect(Limit.decimal.admits(amount)) }
        for amount in ["", "abc", "1.", ".5", "1.2.3", "-1", "1e3", "1,50", "1 "] as [JSONValue] {
            #expect(!Limit.decimal.admits(amount), "\(amount)")
        }
        #expect(Limit.currency.admits("EUR") && !Limit.currency.admits("EURO") && !Limit.currency.admits("E1R"))
    }

    @Test func `A value is sent as the values of its fields; nil optionals are left out`() throws {
        let command = Sample {
            $0.text = "0123"
            $0.secret = "s3cret"
            $0.time = .seconds(2)
        }
        let expected: JSONValue = ["text": "0123", "secret": "s3cret", "number": 7, "word": "first", "time": "2s"]
        #expect(try JSONValue(encoding: command) == expected)
        let read: Sample = try expected.decode()
        #expect(read.text == "0123")
        #expect(read.time == .seconds(2))
        #expect(read.extras == nil)
    }

    @Test func `Copies are independent of each other`() {
        let first = Sample { $0.number = 1 }
        var second = first
        second.number = 2
        #expect(first.number == 1)
    }

    @Test func `A missing required argument is named`() {
        let error = #expect(throws: ControlError.self) { try Sample { $0.text = "x" }.arguments() }
        #expect(error?.name == "badArgument")
        #expect(error?.message == "`sample` needs `secret`.")
    }
}

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

    @Test func `Its handler gets completed arguments, and any of its errors becomes the one that travels`() {
        let refused = ControlError(domain: "test", name: "refused", message: "no")
        #expect(outcome("hello") == .success(["main", 7, "first"]))
        #expect(outcome("throws") == .failure(refused) && outcome("fails") == .failure(refused))
        #expect(outcome("lab") == .failure(.badArgument("it is the handler's")))
    }

    @Test func `A parameter that is like none of a command is refused with those that it has`() {
        let error = #expect(throws: ControlError.self) { try Self.declared.checked(["zzzzzzzz": 1]) }
        let known = "`text`, `secret`, `number`, `word`, `time`, `extras`"
        #expect(error?.message == "`greet` has no parameter `zzzzzzzz`; it takes \(known).")
        let bare = CommandDeclaration(name: "bare", actors: [.app], summary: "Bare.", fields: [], result: .nothing)
        let none = #expect(throws: ControlError.self) { try bare.checked(["x": 1]) }
        #expect(none?.message == "`bare` has no parameter `x`; it takes no parameters.")
    }
}

/// A command as a user would declare it, with every kind of field.
struct Sample: Command {
    static let info = CommandInfo("sample", of: .app, "Shows every kind of field.")
    @Field("Text.") var text: String
    @Field("Secret.", limit: "at least 4 bytes") var secret: Secret
    @Field("Number.", unit: "bytes", limit: .between(1, 100)) var number: Int = 7
    @Field("Word.") var word: Word = .first
    @Field("Time.") var time: LabDuration?
    @Field("Anything.") var extras: [String: JSONValue]?

    enum Word: String, Choice {
        case first, second
    }

    struct Result: FieldObject {
        @Field("List.") var list: [Part]
        @Field("Note.") var note: String?
    }

    struct Part: FieldObject {
        @Field("Secret.") var secret: Secret
    }
}
