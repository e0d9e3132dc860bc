// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

/// Foreign tests compare answers as texts, so their members stand in the order of the vendor's classes, which the
/// examples of the specification show (server.md, section 2.3).
@Suite("Order of members in answers", .endsInTime)
struct MemberOrderTests {
    /// The back-office resources whose answers have an example in a section of their own.
    private static let sections = [
        "5.1": "/status", "6.1": "/application/detail", "7.1": "/activation/init", "7.7": "/activation/status",
        "8.1": "/signature/verify", "9.2": "/token/validate", "18.2": "/operation/create",
    ]

    /// The examples of server.md by the path of their resource: the names of the response object's members.
    private static func examples() throws -> [String: [String]] {
        var (examples, section): ([String: [String]], String) = ([:], "")
        for line in try Project.text(of: "docs/spec/server.md").split(separator: "\n") {
            if let heading = line.prefixMatch(of: /#{2,3} ([0-9.]+?)\.?\s/) { section = String(heading.1) }
            if line.hasPrefix(#"{"status":"OK""#), let path = sections[section], examples[path] == nil {
                examples[path] = names(in: line).filter { $0.hasPrefix("responseObject.") }
            } else if let row = line.wholeMatch(of: /\| `([a-z][a-z\/]+)` \| (?:`[^`]*`|\(none\)) \| `(\{".*\})` \|/) {
                examples["/\(row.1)"] = names(in: row.2).map { "responseObject.\($0)" }
            }
        }
        return examples
    }

    /// The names of all members of a JSON text in their order, each once, behind those of the members around it.
    private static func names(in text: Substring) -> [String] {
        var (names, around, key): ([String], [String], String) = ([], [], "")
        var rest = text
        while let character = rest.popFirst() {
            switch character {
            case "{", "[":
                around.append(key)
                key = ""
            case "}", "]": _ = around.popLast()
            case "\"":
                var word = ""
                while let next = rest.popFirst(), next != "\"" {
                    word.append(next)
                    if next == "\\" { _ = rest.popFirst() }
                }
                guard rest.first == ":" else { continue }
                key = word
                let name = (around + [key]).filter { !$0.isEmpty }.joined(separator: ".")
                if !names.contains(name) { names.append(name) }
            case ",": key = ""
            default: break
            }
        }
        return names
    }

    @Test func `The back office answers in the order of the specification's examples`() async throws {
        let examples = try Self.examples()
        #expect(examples.count >= 18 && Self.sections.values.allSatisfy { examples[$0] != nil })
        try await World.run { world in
            for (path, names) in examples {
                let table = try #require(EndpointTable[path], "\(path)")
                let answer = try await world.client.backOffice(String(path.dropFirst()), table.sample(world))
                let written = Self.names(in: String(decoding: answer.body, as: UTF8.self)[...])
                #expect(written.first == "status" && written.dropFirst().first == "responseObject", "\(path)")
                // The parameters of an operation are the caller's own.
                let expected = names.filter { !$0.hasPrefix("responseObject.parameters.") }
                #expect(written.filter(expected.contains) == expected, "\(path): \(written)")
            }
        }
    }

    @Test func `Errors and plain answers are the texts of the specification`() async throws {
        let texts = try ["docs/spec/server.md", "docs/spec/rest-api.md"].map { try Project.text(of: $0) }
        try await ServerFixture.run { client in
            let unknown = try await client.backOffice("application/detail", ["applicationId": "none"])
            let unreadable = try await client.send("/pa/v3/activation/status", body: Data("{".utf8))
            let status = try await client.send("/pa/v3/status")
            for (answer, text) in [(unknown, texts[0]), (unreadable, texts[1]), (status, texts[1])] {
                let body = String(decoding: answer.body, as: UTF8.self)
                #expect(text.split(separator: "\n").contains { $0 == body }, "\(body)")
            }
        }
    }

    @Test func `An operation of the Mobile Token API and its attributes have the order of the specification's example`()
        async throws
    {
        try await ServerFixture.mobileToken().run { client in
            let app = try await client.mobileApp()
            _ = try await client.send("/lab/payments", body: Data(#"{"userId":"alice"}"#.utf8))
            let answer = try await app.ask("\(MobileApp.root)/list", [:])
            let names = Self.names(in: String(decoding: answer.body, as: UTF8.self)[...])
            #expect(names.first == "status" && names.last == "currentTimestamp", "\(names)")
            let attributes = "responseObject.formData.attributes."
            let own = names.filter { $0.hasPrefix(attributes) }.map { String($0.dropFirst(attributes.count)) }
            #expect(
                Array(own.prefix(8)) == [
                    "type", "id", "label", "amount", "amountFormatted", "currency", "currencyFormatted",
                    "valueFormatted",
                ], "\(own)")
            let operation = names.compactMap { $0.wholeMatch(of: /responseObject\.(\w+)/).map { String($0.1) } }
            let first = Array(operation.prefix(5))
            #expect(first == ["id", "name", "data", "status", "operationCreated"], "\(operation)")
        }
    }
}
