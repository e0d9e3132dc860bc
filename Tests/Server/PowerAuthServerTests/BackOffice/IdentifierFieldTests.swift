// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every field of the description that names a row, tried with texts that some layer might take for the name of another
/// row: SQLite reads a text up to its first NUL, and Swift takes two forms of one letter for the same.
@Suite("Fields that name rows", .endsInTime)
struct IdentifierFieldTests {
    /// The endpoints with such fields, by the first components of their paths: what shares one, shares a server.
    private static let groups = Set(EndpointTable.all.map(group)).sorted()

    private static func group(_ table: EndpointTable) -> String {
        String(table.path.dropFirst().prefix { $0 != "/" })
    }

    /// Control characters of both ranges, and the two in between.
    private static let controls = ["\u{0}", "\u{0}a", "\u{1}", "\n", "\t", "\u{1B}[0m", "\u{7F}", "\u{85}"]

    /// The described fields of a request object.
    private static func fields(_ table: EndpointTable, of document: JSONValue) -> [String: JSONValue] {
        let schema = document["paths"]?["/rest/v3\(table.path)"]?["post"]?["requestBody"]?["content"]?[
            "application/json"]?["schema"]
        return schema?["properties"]?["requestObject"]?["properties"]?.objectValue ?? [:]
    }

    private static func isIdentifier(_ schema: JSONValue) -> Bool {
        schema["pattern"] == Identifier.pattern
            || schema["allOf"]?.arrayValue?.contains(["pattern": Identifier.pattern]) == true
    }

    private static func namesRow(_ schema: JSONValue) -> Bool {
        isIdentifier(schema) || schema["items"].map(isIdentifier) == true
    }

    @Test(.verifies("security.md", "control-characters"))
    func `The description calls every text an identifier that names something`() async throws {
        let document = try await World.description
        var count = 0
        for table in EndpointTable.all {
            for (name, schema) in Self.fields(table, of: document) {
                guard name.contains(/(Id|Ids|^id|applicationKey|Flags?|Roles|^applications|templateName|Code)$/)
                else { continue }
                let types = schema["type"].map { $0.arrayValue ?? [$0] } ?? []
                // The numbers of rows, and of recovery codes, are no texts.
                let isNumber =
                    types.contains("integer") || schema["items"]?["type"]?.arrayValue?.contains("integer") == true
                guard !isNumber, name != "riskFlags", schema["enum"] == nil else { continue }
                count += 1
                #expect(Self.namesRow(schema), "\(table.path) \(name): \(schema)")
            }
        }
        #expect(count > 100)
    }

    @Test(.verifies("security.md", "control-characters"), arguments: groups)
    func `A name with a control character is refused before anything is read or changed`(group: String) async throws {
        try await World.run { world in
            let document = try await World.description
            for table in EndpointTable.all where Self.group(table) == group {
                let fields = Self.fields(table, of: document).filter { Self.namesRow($0.value) }
                guard !fields.isEmpty else { continue }
                let sample = try await table.sample(world)
                let before = try dump(world)
                for name in fields.keys.sorted() {
                    guard let value = sample[name] else { continue }
                    for control in Self.controls {
                        let answer = try await ask(world, table, sample, name, Self.varied(value) { $0 + control })
                        let text = String(decoding: answer.body, as: UTF8.self)
                        #expect(
                            answer.status == 400, "\(table.path) took \(name) with \(control.unicodeScalars): \(text)")
                        #expect(
                            ["ERR0024", "ERROR_HTTP_REQUEST"].contains(answer.code), "\(table.path) \(name): \(text)")
                    }
                }
                #expect(try dump(world) == before, "\(table.path) has changed something")
            }
        }
    }

    @Test(.verifies("security.md", "look-alike-names"), arguments: groups)
    func `A name in another case, with blanks or in another form of Unicode names another row`(group: String)
        async throws
    {
        let others: [@Sendable (String) -> String] = [
            { $0 + " " }, { " " + $0 }, { $0 + "\u{301}" },
            { $0.uppercased() == $0 ? $0.lowercased() : $0.uppercased() },
            { text in
                String(
                    String.UnicodeScalarView(
                        text.unicodeScalars.map { scalar in
                            // The full-width form, which compatibility takes for the same.
                            (0x21...0x7E).contains(scalar.value)
                                ? Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar : scalar
                        }))
            },
        ]
        try await World.run { world in
            let document = try await World.description
            for table in EndpointTable.all where Self.group(table) == group && !Self.makesRows(table.path) {
                for (name, schema) in Self.fields(table, of: document) where Self.namesRow(schema) {
                    guard let sample = Optional(try await table.sample(world)), let value = sample[name] else {
                        continue
                    }
                    let unknown = try await ask(
                        world, table, sample, name, Self.varied(value) { _ in "unknown-\(UUID())" })
                    // Such a field decides about nothing, as the name of an operator.
                    guard unknown.status != 200 else { continue }
                    for other in others {
                        let fresh = try await table.sample(world)
                        guard let value = fresh[name], Self.differs(value, by: other) else { continue }
                        let answer = try await ask(world, table, fresh, name, Self.varied(value, other))
                        #expect(
                            answer.status == unknown.status && answer.code == unknown.code,
                            "\(table.path) took \(name) = \(Self.varied(value, other)): \(String(decoding: answer.body, as: UTF8.self))"
                        )
                    }
                }
            }
        }
    }

    /// Resources that make a row of the name: for them each name is a new one.
    private static func makesRows(_ path: String) -> Bool {
        ["/application/create", "/application/version/create"].contains(path)
    }

    private static func differs(_ value: any Sendable, by change: (String) -> String) -> Bool {
        if let text = value as? String { return !change(text).utf8.elementsEqual(text.utf8) }
        if let texts = value as? [String] { return texts.contains { !change($0).utf8.elementsEqual($0.utf8) } }
        return false
    }

    private static func varied(_ value: any Sendable, _ change: (String) -> String) -> any Sendable {
        if let text = value as? String { return change(text) }
        if let texts = value as? [String] { return texts.map(change) }
        return value
    }

    private func ask(
        _ world: World, _ table: EndpointTable, _ sample: Fields, _ name: String, _ value: any Sendable
    ) async throws -> Answer {
        try await world.client.backOffice(String(table.path.dropFirst()), sample.merging([name: value]) { $1 })
    }

    /// Everything that is stored.
    private func dump(_ world: World) throws -> [String] {
        try world.fixture.server.services.context.read { database in
            try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
            ).map { table in
                "\(table): \(try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\""))"
            }
        }
    }
}
