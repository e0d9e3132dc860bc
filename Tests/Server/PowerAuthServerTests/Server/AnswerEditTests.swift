// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import LabVocabulary
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Answers that a fault edits or gives itself", .endsInTime)
struct AnswerEditTests {
    // MARK: An edit

    private static let document: JSONValue = [
        "status": "OK", "list": [["id": 1], ["id": 2]], "empty": [:], "nothing": nil,
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let edit: AnswerEdit
        /// The edited document, or why the edit fails.
        let outcome: Result<JSONValue, AnswerEdit.Mistake>

        init(_ description: String, _ edit: AnswerEdit, _ document: JSONValue) {
            (testDescription, self.edit, outcome) = (description, edit, .success(document))
        }

        init(_ description: String, _ edit: AnswerEdit, fails sentence: String) {
            (testDescription, self.edit) = (description, edit)
            outcome = .failure(AnswerEdit.Mistake(description: sentence))
        }
    }

    static let rows: [Row] = [
        Row(
            "a member is removed", AnswerEdit(remove: ["status"]),
            ["list": [["id": 1], ["id": 2]], "empty": [:], "nothing": nil]),
        Row(
            "elements are removed one after the other", AnswerEdit(remove: ["list.0", "list.0.id"]),
            ["status": "OK", "list": [[:]], "empty": [:], "nothing": nil]),
        Row(
            "values are replaced, also by null, and null by a value",
            AnswerEdit(replace: ["status": nil, "list.1": 7, "nothing": [1]]),
            ["status": nil, "list": [["id": 1], 7], "empty": [:], "nothing": [1]]),
        Row(
            "members and elements are added", AnswerEdit(add: ["empty.new": true, "list.2": 3, "list.0": 0]),
            ["status": "OK", "list": [0, ["id": 1], 3, ["id": 2]], "empty": ["new": true], "nothing": nil]),
        Row(
            "what was removed can be added", AnswerEdit(remove: ["list"], replace: ["empty": 1], add: ["list": [:]]),
            ["status": "OK", "list": [:], "empty": 1, "nothing": nil]),
        Row(
            "a member that is not there is not removed", AnswerEdit(remove: ["list.1.name"]),
            fails: "`list.1.name` is not in the answer; `list.1` has the members id"),
        Row(
            "a member that is not there is not replaced", AnswerEdit(replace: ["state": 1]),
            fails: "`state` is not in the answer; it has the members empty, list, nothing, status"),
        Row(
            "nothing is added to an object that is not there", AnswerEdit(add: ["empty.inner.new": 1]),
            fails: "`empty.inner` is not in the answer; `empty` has no members"),
        Row(
            "a member that is there is not added", AnswerEdit(add: ["nothing": 1]),
            fails: "`nothing` is in the answer already; `replace` gives it another value"),
        Row(
            "an element behind the last one is not removed", AnswerEdit(remove: ["list.2"]),
            fails: "`list.2` is not in the answer; `list` has 2 elements"),
        Row(
            "nothing is added with a gap", AnswerEdit(add: ["list.3": 1]),
            fails: "`list.3` is not in the answer; `list` has 2 elements"),
        Row(
            "nothing is added within the next element", AnswerEdit(add: ["list.2.id": 3]),
            fails: "`list.2` is not in the answer; `list` has 2 elements"),
        Row(
            "an index has one spelling", AnswerEdit(remove: ["list.01"]),
            fails: "`list.01` is not in the answer; `list` has 2 elements"),
        Row(
            "an index has no sign", AnswerEdit(remove: ["list.-1"]),
            fails: "`list.-1` is not in the answer; `list` has 2 elements"),
        Row(
            "a text has no members", AnswerEdit(add: ["status.code": 1]),
            fails: "`status.code` is not in the answer; `status` has no members and no elements"),
    ]

    @Test(arguments: rows) func `An edit changes what its paths lead to, and nothing if one leads nowhere`(
        _ row: Row
    ) throws {
        let edited = Result { () throws(AnswerEdit.Mistake) in try row.edit.applied(to: Self.document.encoded()) }
        switch row.outcome {
        case .success(let document): #expect(try JSONValue.parse(edited.get()) == document)
        case .failure(let mistake): #expect(throws: mistake) { try edited.get() }
        }
    }

    @Test func `An answer that is not JSON is not edited`() {
        #expect(throws: AnswerEdit.Mistake(description: "the answer is not JSON")) {
            try AnswerEdit(remove: ["a"]).applied(to: Data("<a/>".utf8))
        }
    }

    @Test func `An edited answer keeps the order of its members and the spelling of its numbers`() throws {
        let text = #"{"z": 1.50, "a": {"y": null, "x": true, "b": "é"}, "m": [1e2, {"d": [], "c": {}}], "k": {"v": 0}}"#
        let edit = AnswerEdit(
            remove: ["m.1.d", "a.x", "k"], replace: ["a.y": ["q": 1, "p": 2.5]], add: ["n": "new", "k": nil])
        let expected = #"{"z":1.50,"a":{"y":{"p":2.5,"q":1},"b":"é"},"m":[1e2,{"c":{}}],"k":null,"n":"new"}"#
        #expect(try String(decoding: edit.applied(to: Data(text.utf8)), as: UTF8.self) == expected)
    }

    @Test func `The summary of an edit names the members and shows no values`() {
        let edit = AnswerEdit(part: .outer, remove: ["a.0", "b"], replace: ["d": "secret", "c": 1], add: ["e": "key"])
        #expect(edit.summary == "the answer was edited: removed `a.0`, `b`; replaced `c`, `d`; added `e`")
    }

    // MARK: In a server

    private func fixture() throws -> ServerFixture { try ServerFixture { $0.hasLabPowers = true } }

    private func arm(_ client: ServerClient, _ rule: JSONValue) async throws {
        try #require(try await client.send("/lab/faults", body: rule.encoded()).status == 200)
    }

    private func armed(_ client: ServerClient) async throws -> JSONValue? {
        try await JSONValue.parse(client.send("/lab/faults", method: .get).body)["faults"]?[0]
    }

    private func lastDecrypted(_ client: ServerClient) async throws -> [JSONValue] {
        let entries = try await JSONValue.parse(client.send("/lab/traffic", method: .get).body)["entries"]
        return try (entries?.arrayValue?.last?["decrypted"]?.arrayValue ?? []).map {
            try JSONValue.parse($0["response"]?.stringValue ?? "null")
        }
    }

    @Test func `An answer is edited before its encryption, as often as the rule says`() async throws {
        let fixture = try fixture()
        try await fixture.run { client in
            let device = try await client.activeDevice()
            let user = "/pa/v3/user/info"
            try await arm(
                client, ["path": .string(user), "times": 1, "edit": ["replace": ["sub": "bob"], "add": ["new": 1]]])
            let edited = try await device.encrypted(user, [:])
            #expect(edited["sub"] == "bob" && edited["new"] == 1)
            #expect(try await lastDecrypted(client) == [edited])
            #expect(try await device.encrypted(user, [:])["sub"] == "alice")
            #expect(try await armed(client)?["fired"] == 1)
            let faults = fixture.journal.events.compactMap { event -> String? in
                if case .requestFaulted(_, let fault, _) = event.event { fault } else { nil }
            }
            #expect(faults == ["the answer was edited: replaced `sub`; added `new`"])
        }
    }

    @Test(arguments: [("content", [false, true]), ("outer", [true, false])])
    func `One of two encrypted layers is edited`(part: String, expected: [Bool]) async throws {
        try await fixture().run { client in
            let (_, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            try await arm(
                client,
                ["path": "/pa/v3/activation/create", "edit": ["part": .string(part), "add": ["newMember": 1]]])
            #expect(try await device.activate(code: code, name: "Edited").status == 200)
            let layers = try await lastDecrypted(client)
            #expect(layers.map { $0["newMember"] != nil } == expected)
        }
    }

    @Test func `The body of an encrypted answer is edited after its encryption`() async throws {
        try await fixture().run { client in
            let device = try await client.activeDevice()
            try await arm(client, ["path": "/pa/v3/user/info", "edit": ["part": "body", "remove": ["mac"]]])
            await #expect(throws: (any Error).self) { _ = try await device.encrypted("/pa/v3/user/info", [:]) }
            #expect(try await armed(client)?["fired"] == 1)
        }
    }

    @Test func `The body of an answer without encryption is edited`() async throws {
        try await fixture().run { client in
            try await arm(
                client, ["path": "/pa/v3/status", "edit": ["replace": ["responseObject.application.version": "0.1"]]])
            let answer = try await client.send("/pa/v3/status", body: Data("{}".utf8))
            #expect(
                answer.status == 200 && answer.text("application.version") == "0.1"
                    && answer.number("serverTime") != nil)
        }
    }

    @Test(
        arguments: [
            (["remove": ["none"]], "`none` is not in the answer; it has the members responseObject, status"),
            (
                ["part": "outer", "add": ["a": 1]],
                "the answer does not have two encrypted layers; leave out `part` to edit its content"
            ),
        ] as [(JSONValue, String)])
    func `An edit that cannot be made leaves the answer unchanged, is not counted, and has a reason`(
        edit: JSONValue, cause: String
    ) async throws {
        let fixture = try fixture()
        try await fixture.run { client in
            let plain = try await client.send("/pa/v3/status", body: Data("{}".utf8))
            try await arm(client, ["path": "/pa/v3/status", "times": 1, "id": "edit", "edit": edit])
            for _ in 1...2 {
                let answer = try await client.send("/pa/v3/status", body: Data("{}".utf8))
                #expect(answer.body == plain.body)
            }
            let rule = try await armed(client)
            #expect(rule?["matched"] == 2 && rule?["fired"] == 0 && rule?["mistake"] == .string(cause))
            let causes = fixture.journal.events.compactMap { event -> String? in
                guard case .editFailed("/pa/v3/status", let cause, "edit") = event.event else { return nil }
                return cause
            }
            #expect(causes == [cause, cause])
        }
    }

    @Test(
        arguments: [
            (["status": 409], ["code": "ERROR_GENERIC"], "application/json"),
            (["status": 409, "code": "TOO_OLD"], ["code": "TOO_OLD"], "application/json"),
            (
                ["status": 200, "message": "Update"], ["code": "ERROR_GENERIC", "message": "Update"], "application/json"
            ),
            (
                ["status": 500, "body": ["a": [1]], "contentType": "application/problem+json"], ["a": [1]],
                "application/problem+json"
            ),
            (["status": 502, "body": "<p>", "contentType": "text/html"], "<p>", "text/html"),
            (["status": 204, "body": ""], "", "application/json"),
        ] as [(JSONValue, JSONValue, String)])
    func `A fault gives status, error, body and media type`(
        rule: JSONValue, expected: JSONValue, contentType: String
    ) async throws {
        try await fixture().run { client in
            try await arm(client, rule)
            let answer = try await client.transport.send("/pa/v3/status", .post, [:], Data("{}".utf8))
            #expect(answer.status == rule["status"]?.integerValue.map { Int($0) })
            #expect(answer.headers[.contentType] == contentType)
            guard case .object(let members) = expected else {
                #expect(String(decoding: answer.body, as: UTF8.self) == expected.stringValue)
                return
            }
            let json = try JSONValue.parse(answer.body)
            let content = json["responseObject"] ?? json
            for (name, value) in members { #expect(content[name] == value, "\(json)") }
        }
    }
}
