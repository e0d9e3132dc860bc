// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// A caller with many short requests makes no long answer: what is stored has a length, and so has what is made of it.
@Suite("Lengths of texts", .endsInTime)
struct TextLimitTests {
    @Test func `A template with many placeholders makes no text that is longer than others`() {
        let text = PlaceholderText(text: String(repeating: "${x}", count: 3_000))
        #expect(text.filled(upTo: .produced) { _ in String(repeating: "y", count: 900_000) } == nil)
        #expect(text.filled(upTo: .produced) { _ in "12345" }?.count == 15_000)
        #expect(text.filled(upTo: .produced) { _ in "123456" } == nil)
    }

    @Test(
        arguments: [
            ("a${x}b${x}", "a1b1"), ("${y}", "${y}"), ("${y:-d}", "d"), ("${x:-d}", "1"), ("${y:-}", ""),
            ("${y:-a:-b}", "a:-b"), ("$${x}", "${x}"), ("$$${x}", "$${x}"), ("$ {x}", "$ {x}"), ("${x", "${x"),
            ("${x}${x", "1${x"), ("${}", "${}"), ("${x:-${y}}", "1}"), ("${z}", "${x}"), ("", ""), ("x}", "x}"),
        ])
    func `A placeholder is filled once, has its default or stays, and a doubled dollar stands for itself`(
        text: String, filled: String
    ) {
        let values = ["x": "1", "z": "${x}"]
        #expect(PlaceholderText(text: text).filled(upTo: .line) { values[$0] } == filled, "\(text)")
    }

    @Test(.verifies("security.md", "long-answers"))
    func `An operation whose data would be too long is refused, and a title that would be is shown unfilled`()
        async throws
    {
        try await ServerFixture.mobileToken().run { client in
            try await client.backOffice(
                "operation/template/create",
                ServerClient.template("long").merging([
                    "dataTemplate": String(repeating: "${x}", count: 1_000), "operationType": "long",
                ]) { $1 }
            ).expectOK()
            let long = try await client.createOperation(
                "long", ["parameters": ["x": String(repeating: "y", count: 17)]])
            #expect(long.status == 400 && long.text("message")?.contains("16384") == true, "\(long.json)")
            #expect(try await client.createOperation("long", ["parameters": ["x": "y"]]).status == 200)
            for wrong: [String: String] in [
                ["x": String(repeating: "y", count: 2_049)], [String(repeating: "x", count: 256): "y"],
                Dictionary(uniqueKeysWithValues: (0...64).map { ("p\($0)", "y") }),
            ] {
                #expect(try await client.createOperation("long", ["parameters": wrong]).status == 400)
            }
            try await client.show([
                "placeholder": "login", "language": "en", "title": .string(String(repeating: "${x}", count: 100)),
                "message": "m",
            ])
            _ = try await client.createOperation("login", ["parameters": ["x": String(repeating: "y", count: 1_000)]])
            let app = try await client.mobileApp()
            let shown = try #require(await app.list().first { $0["name"] == "login" })
            #expect(shown["formData"]?["title"]?.stringValue?.count == 400)
        }
    }

    @Test(.verifies("security.md", "long-answers"))
    func `Names, flags, roles and descriptions of devices have length limits`() async throws {
        try await ServerFixture.run { client in
            let long = String(repeating: "n", count: 256)
            let (id, code) = try await client.initiate()
            for (path, fields) in [
                ("activation/init", ["userId": long, "applicationId": "lab"] as Fields),
                ("activation/flags/create", ["activationId": id, "activationFlags": [long]]),
                (
                    "activation/flags/create",
                    ["activationId": id, "activationFlags": (0..<17).map { "\($0)" + long.dropLast(3) }]
                ),
                ("application/roles/create", ["applicationId": "lab", "applicationRoles": [long]]),
                ("integration/create", ["name": long]), ("application/create", ["applicationId": long]),
                ("activation/block", ["activationId": id, "reason": long]),
            ] {
                #expect(try await client.backOffice(path, fields).status == 400, "\(path)")
            }
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code, name: long).status == 400)
            #expect(try await device.activate(code: code, name: String(long.dropLast())).status == 200)
            let renamed = try await client.backOffice(
                "activation/name/update", ["activationId": id, "activationName": long, "externalUserId": "x"])
            #expect(renamed.code == "ERR0024")
        }
    }

    @Test(
        .verifies("security.md", "request-lengths"),
        .verifies("size", "RequestLengths.harmless", "RequestLengths.mostElements", "ServerSettings.languageLength"))
    func `Every text, list and mapping of a request has a limit in the description, which the server holds`()
        async throws
    {
        try await World.run { world in
            let document = try JSONValue.parse(try await world.client.send("/openapi.json", method: .get).body)
            func unlimited(_ schema: JSONValue, _ path: String) -> [String] {
                let types = schema["type"].map { $0.arrayValue ?? [$0] } ?? []
                var found: [String] = []
                if types.contains("string"), schema["enum"] == nil, schema["maxLength"] == nil { found.append(path) }
                if types.contains("array"), schema["maxItems"] == nil { found.append(path) }
                for (name, property) in schema["properties"]?.objectValue ?? [:] {
                    found += unlimited(property, "\(path).\(name)")
                }
                return found + (schema["items"].map { unlimited($0, path + "[]") } ?? [])
            }
            for table in EndpointTable.all {
                guard
                    let schema = document["paths"]?["/rest/v3\(table.path)"]?["post"]?["requestBody"]?["content"]?[
                        "application/json"]?["schema"]
                else { continue }
                #expect(unlimited(schema, table.path) == [])
                let object = schema["properties"]?["requestObject"]?["properties"]?.objectValue ?? [:]
                let sample = try await table.sample(world)
                for (name, field) in object {
                    guard let most = field["maxLength"]?.integerValue, sample[name] is String, field["enum"] == nil
                    else {
                        continue
                    }
                    let answer = try await world.client.backOffice(
                        String(table.path.dropFirst()),
                        sample.merging([name: String(repeating: "x", count: Int(most) + 1)]) { $1 })
                    #expect(answer.status == 400, "\(table.path) took a longer \(name) than it describes")
                }
            }
        }
    }
}
