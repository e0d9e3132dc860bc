// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LabCore
@testable import LabVocabulary

@Suite("The vocabulary of a custom app", .endsInTime)
struct AppVocabularyTests {
    private static let whole = AppVocabulary(
        kind: .app, sdk: .full, answersBuiltIn: true,
        commands: [
            CommandDeclaration(
                name: "transfer", actors: [.app], summary: "Sends money.",
                fields: [
                    FieldDeclaration(
                        name: "amount", type: .integer, isRequired: true, defaultValue: nil, unit: "cents",
                        limit: .atLeast(1), meaning: "Amount."),
                    FieldDeclaration(
                        name: "currency", type: .choice(["EUR", "CZK"]), isRequired: false, defaultValue: "EUR",
                        unit: nil, limit: nil, meaning: "Currency."),
                    FieldDeclaration(
                        name: "pin", type: .secret, isRequired: false, defaultValue: nil, unit: nil,
                        limit: "4 digits", meaning: "PIN."),
                ],
                result: .list(
                    .object([
                        FieldDeclaration(
                            name: "id", type: .text, isRequired: true, defaultValue: nil, unit: nil, limit: nil,
                            meaning: "Number.")
                    ])))
        ], errors: ["noMoney"])

    @Test func `The lab reads what a program prints`() throws {
        let read = try AppVocabulary(json: JSONValue.parse(Self.whole.json.encoded()))
        #expect(read == Self.whole)
        #expect(try JSONValue(encoding: Self.whole).decode(AppVocabulary.self) == Self.whole, "as in instance.json")
        #expect(Self.whole.mistakes == [])
    }

    @Test(arguments: Vocabulary.lab.commands)
    func `The lab's own commands survive a JSON round trip`(_ command: CommandDeclaration) throws {
        let read = try CommandDeclaration(DeclarationForm(value: command.json, path: ""), of: .app)
        #expect(read.name == command.name && read.summary == command.summary)
        #expect(read.result.json == command.result.json)
        #expect(read.fields.map(\.json) == command.fields.map(\.json))
        for (before, after) in zip(command.fields, read.fields) {
            #expect(before.type == after.type, "\(command.name) \(before.name)")
            #expect(before.isRequired == after.isRequired, "\(command.name) \(before.name)")
            #expect(before.limit?.description == after.limit?.description, "\(command.name) \(before.name)")
        }
    }

    @Test(
        arguments: [
            (#"[]"#, "`the vocabulary` must be an object, not []"),
            (#"{}"#, "`version` must be 1, but it is missing"),
            (#"{"version": 2}"#, "`version` must be 1, not 2"),
            (
                #"{"version": 1, "kind": "phone"}"#,
                "`kind` must be one of `app`, `extension`, `watchApp`, not \"phone\""
            ),
            (
                #"{"version": 1, "kind": "app"}"#,
                "`sdk` must be one of `full`, `2.0`, `extensions`, `watch`, but it is missing"
            ),
            (#"{"version": 1, "kind": "app", "sdk": "full", "commands": {}}"#, "`commands` must be a list, not {}"),
            (
                #"{"version": 1, "kind": "app", "sdk": "full", "commands": [{}]}"#,
                "`commands[0].name` must be a text, but it is missing"
            ),
            (
                #"{"version": 1, "kind": "app", "sdk": "full", "commands": [{"name": "a", "summary": "b", "parameters": [{"name": "c", "type": "txt"}]}]}"#,
                "`commands[0].parameters[0].type` must be one of the types text, secret, integer, number, boolean, duration, map, any, nothing, choice, list, object, optional, not `txt`"
            ),
            (
                #"{"version": 1, "kind": "app", "sdk": "full", "commands": [{"name": "a", "summary": "b", "parameters": [{"name": "c", "type": "integer", "default": "x"}]}]}"#,
                "`commands[0].parameters[0].default` must be integer, not \"x\""
            ),
            (#"{"version": 1, "kind": "app", "sdk": "full", "errors": [1]}"#, "`errors[0]` must be a text, not 1"),
        ])
    func `A malformed place is named with the expected form`(_ text: String, _ expected: String) throws {
        let json = try JSONValue.parse(text)
        let error = #expect(throws: DeclarationFormError.self) { try AppVocabulary(json: json) }
        #expect(error?.description == expected)
    }

    @Test(
        arguments: [
            ("createActivation", "`createActivation` is a command of the lab; call it something else"),
            ("suspend", "`suspend` is a command of the lab; call it something else"),
            ("ping", "`ping` is a command of the lab; call it something else"),
            ("transfer", "`transfer` is declared twice"),
            (
                "show balance",
                "`show balance` cannot be the name of a command: letters, digits, `-` and `_`, beginning with a letter, at most 64"
            ),
        ])
    func `A name that is already in use, or that no step could use, is an error`(_ name: String, _ expected: String) {
        var vocabulary = Self.whole
        vocabulary.commands.append(
            CommandDeclaration(name: name, actors: [.app], summary: "Does it.", fields: [], result: .nothing))
        #expect(vocabulary.mistakes == [expected])
    }

    @Test(arguments: Sizes.around(64))
    func `A name has up to 64 letters, digits and plain signs, and begins with a letter`(count: Int) {
        func mistakes(_ name: String) -> Int {
            let field = FieldDeclaration(
                name: name, type: .text, isRequired: true, defaultValue: nil, unit: nil, limit: nil, meaning: "F.")
            let command = CommandDeclaration(
                name: name, actors: [.app], summary: "Does it.", fields: [field, field], result: .nothing)
            return AppVocabulary(
                kind: .app, sdk: .full, answersBuiltIn: false, commands: [command], errors: [name]
            ).mistakes.count
        }
        // The second of two parameters of one name is a mistake in any case.
        #expect(mistakes(String(repeating: "x", count: count)) == (count <= 64 ? 1 : 4))
        for name in ["a", "Z", "a-b_c0"] { #expect(mistakes(name) == 1, "\(name)") }
        for name in ["", "0a", "-a", "_a", "a b", "a.b", "é", "aé"] { #expect(mistakes(name) == 4, "\(name)") }
    }

    @Test func `An app without the lab's commands accepts only its own`() {
        var vocabulary = Self.whole
        #expect(ActorKind.app.command(named: "createActivation", of: vocabulary) != nil)
        #expect(ActorKind.app.commands(of: vocabulary).count > 50)
        vocabulary.answersBuiltIn = false
        #expect(ActorKind.app.command(named: "createActivation", of: vocabulary) == nil)
        #expect(ActorKind.app.commands(of: vocabulary).map(\.name) == ["transfer"])
        #expect(ActorKind.app.command(named: "transfer", of: nil) == nil)
    }
}
