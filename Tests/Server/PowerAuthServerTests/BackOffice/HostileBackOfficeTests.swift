// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import Logging
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What no caller should send: every back-office endpoint answers it with a documented refusal, never with 500.
@Suite("Hostile input to the back office", .ends(withinSeconds: 600))
struct HostileBackOfficeTests {
    /// The endpoints that read a request object.
    private static let reading = EndpointTable.all.filter { !silent.contains($0.path) }
    /// The first components of their paths: what shares one, shares a server.
    private static let groups = Set(reading.map(group)).sorted()
    private static func group(_ table: EndpointTable) -> String {
        String(table.path.dropFirst().prefix { $0 != "/" })
    }
    private static func tables(_ group: String) -> [EndpointTable] { reading.filter { Self.group($0) == group } }

    private static let silent: Set<String> = [
        "/status", "/error/list", "/application/list", "/integration/list", "/operation/template/list",
    ]

    private func post(_ world: World, _ table: EndpointTable, _ body: Data) async throws -> Answer {
        try await world.client.send("/rest/v3\(table.path)", body: body)
    }

    private static let notUTF8: Data = {
        var body = Data(#"{"requestObject":{"a":""#.utf8)
        body.append(contentsOf: [0xFF, 0xFE])
        body.append(contentsOf: Data(#""}}"#.utf8))
        return body
    }()

    private static let deeplyNested: Data = {
        let (open, close) = (String(repeating: "[", count: 100_000), String(repeating: "]", count: 100_000))
        return Data("{\"requestObject\":\(open)\(close)}".utf8)
    }()

    /// Bodies that no endpoint can read.
    private static let unreadable: [(String, Data)] = [
        ("nothing", Data()), ("half an object", Data(#"{"requestObject":{"#.utf8)), ("text", Data("hello".utf8)),
        ("a list", Data("[]".utf8)), ("null", Data("null".utf8)), ("no request object", Data("{}".utf8)),
        ("a null request object", Data(#"{"requestObject":null}"#.utf8)),
        ("a list as request object", Data(#"{"requestObject":[]}"#.utf8)),
        ("a text as request object", Data(#"{"requestObject":"x"}"#.utf8)),
        ("bytes that are no UTF-8", notUTF8),
        ("something behind the object", Data(#"{"requestObject":{}} {}"#.utf8)),
        ("deep nesting", deeplyNested),
        ("bytes of zero", Data(count: 64)),
    ]

    @Test(arguments: groups) func `An unreadable body is a malformed request`(group: String) async throws {
        try await World.run { world in
            for table in Self.tables(group) {
                for (title, body) in Self.unreadable {
                    let answer = try await post(world, table, body)
                    let place: Comment =
                        "\(table.path), \(title): \(String(decoding: answer.body.prefix(300), as: UTF8.self))"
                    #expect(answer.status == 400, place)
                    #expect(answer.code == "ERROR_HTTP_REQUEST", place)
                    #expect(answer.text("message")?.isEmpty == false, place)
                    #expect(answer.text("localizedMessage") == answer.text("message"), place)
                    #expect(answer.number("currentRecoveryPukIndex") == 0, place)
                }
                // Every field is missing, which each endpoint has its own code for, unless it needs none.
                let empty = try await post(world, table, Data(#"{"requestObject":{}}"#.utf8))
                #expect([200, 400].contains(empty.status) && empty.code != "ERROR_HTTP_REQUEST", "\(table.path)")
            }
        }
    }

    /// The described fields of an endpoint's request object.
    private func fields(_ table: EndpointTable, of world: World) throws -> [String: JSONValue] {
        let endpoint = try #require(
            world.fixture.server.services.endpoints.first { $0.path == "/rest/v3\(table.path)" })
        let type = try #require(endpoint.bodies?.request)
        // Every field takes null, which is as good as nothing.
        return try #require(JSONSchema.of(type)["properties"]?.objectValue).mapValues(JSONSchema.present)
    }

    @Test(
        .verifies("server.md", "B-42"),
        arguments: groups)
    func `Every described field is read, and refused when it has the wrong type`(group: String) async throws {
        // Which other types a tolerant server reads, `TolerantReadingTests` have.
        try await World.run({ $0.policy.isJSONStrict = true }) { world in
            for table in Self.tables(group) {
                let fields = try fields(table, of: world)
                let sample = try await table.sample(world)
                for (name, schema) in fields {
                    var wrong: [any Sendable] = [true, [[Int]()], ["x": 1] as Fields, 1.5]
                    if types(schema) == ["boolean"] { wrong[0] = "true" }
                    if types(schema) == ["array"] { wrong[1] = [["x": 1] as Fields] }
                    if types(schema) == ["object"] { wrong[2] = "{}" }
                    for value in wrong {
                        // A mapping of anything takes any object, and only that.
                        let request = sample.merging([name: value]) { $1 }
                        let answer = try await world.client.backOffice(String(table.path.dropFirst()), request)
                        let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
                        if isOpen(schema, value) {
                            #expect(answer.status < 500, "\(table.path), \(name) = \(value): \(text)")
                        } else {
                            #expect(
                                answer.status == 400 && answer.code == "ERROR_HTTP_REQUEST",
                                "\(table.path), \(name) = \(value): \(text)")
                            #expect(answer.text("message")?.contains(name) == true, "\(table.path), \(name): \(text)")
                        }
                    }
                }
            }
        }
    }

    /// Whether the description leaves open what such a value is.
    private func isOpen(_ schema: JSONValue, _ value: any Sendable) -> Bool {
        let isObject = value is Fields
        if isObject, schema["type"]?.stringValue == "object" { return true }
        return schema["type"]?.stringValue == "array" && schema["items"] == [:] && value is [Any]
    }

    private static let absurdTexts: [any Sendable] = [
        "", " ", "\u{0}", "a\u{0}b", "%", "'; DROP TABLE activation; --", String(repeating: "ž", count: 20_000),
        "\u{202E}\u{FFFF}", "AAAA", "P99999D", "9999-99-99T99:99:99Z", "-1", "9223372036854775807",
    ]
    private static let absurdNumbers: [any Sendable] = [
        -1, 0, Int64.max, Int64.min, 1e300, "1e5", "0x10", "99999999999999999999",
    ]
    private static let absurdObjects: [any Sendable] = [
        [:] as Fields, ["\u{0}": "\u{0}"] as Fields, ["a": [["b": NSNull()] as Fields]] as Fields,
    ]

    /// Values of the right type that make no sense.
    private func absurdValues(_ schema: JSONValue) -> [any Sendable] {
        var values: [any Sendable] = [NSNull()]
        for type in types(schema) {
            switch type {
            case "string": values += Self.absurdTexts
            case "integer": values += Self.absurdNumbers
            case "object": values += Self.absurdObjects
            case "array":
                let holdsTexts = schema["items"]?["type"]?.stringValue == "string"
                values.append([any Sendable]())
                values.append(holdsTexts ? Self.absurdTexts : Self.absurdNumbers)
                values.append([NSNull()])
                values.append(Array(repeating: "x", count: 40_000))
            default: break
            }
        }
        return values
    }

    /// The JSON types that a schema allows.
    private func types(_ schema: JSONValue) -> [String] {
        guard let type = schema["type"] else { return [] }
        return (type.arrayValue ?? [type]).compactMap(\.stringValue)
    }

    @Test(arguments: groups)
    func `Absurd values are taken or refused, by a documented code`(group: String) async throws {
        try await World.run { world in
            for table in Self.tables(group) {
                let contract = try #require(BackOfficeContract.all[table.path])
                let codes = Set(
                    contract.errors.map(\.rawValue) + contract.others.map { $0.code(on: .backOffice) }
                        + ["ERROR_HTTP_REQUEST"])
                let fields = try fields(table, of: world)
                let sample = try await table.sample(world)
                for (name, schema) in fields {
                    for value in absurdValues(schema) {
                        let request = sample.merging([name: value]) { $1 }
                        let answer = try await world.client.backOffice(String(table.path.dropFirst()), request)
                        let place: Comment =
                            "\(table.path), \(name) = \("\(value)".prefix(60)): \(String(decoding: answer.body.prefix(300), as: UTF8.self))"
                        #expect([200, 400].contains(answer.status), place)
                        if let code = answer.code, answer.status == 400 { #expect(codes.contains(code), place) }
                    }
                }
            }
            // The server still answers after all accepted values.
            #expect(try await world.client.backOffice("application/list").status == 200)
        }
    }

    @Test func `A body over the limit is not read, one at the limit is`() async throws {
        try await World.run { world in
            for table in EndpointTable.all {
                let answer = try await post(world, table, Data(repeating: 0x20, count: ServerLimits.bodyBytes + 1))
                #expect(answer.status == 413 && answer.code == "ERR0000", "\(table.path)")
            }
            let table = try #require(EndpointTable["/activation/flags/list"])
            let request = Data(#"{"requestObject":{"activationId":"no"}}"#.utf8)
            let padding = Data(repeating: 0x20, count: ServerLimits.bodyBytes - request.count)
            #expect(try await post(world, table, request + padding).code == "ERR0009")
        }
    }

    @Test func `Other methods and types are refused everywhere`() async throws {
        try await World.run { world in
            for table in EndpointTable.all {
                let path = "/rest/v3\(table.path)"
                for method in [HTTPRequest.Method.get, .put, .delete, .patch, .head, .options] {
                    let answer = try await world.client.send(path, method: method)
                    #expect(answer.status == 405, "\(method) \(path)")
                    if method != .head { #expect(answer.code == "ERR0000", "\(method) \(path)") }
                }
                for type in ["text/plain", "application/xml", "application/jsonx", ""] {
                    let answer = try await world.client.send(path, headers: ["Content-Type": type])
                    #expect(answer.status == 415 && answer.code == "ERR0000", "\(type) \(path)")
                }
                let below = try await world.client.send(path + "/more")
                #expect(below.status == 404 && below.code == "ERROR_NOT_FOUND", "\(path)")
            }
        }
    }

    @Test(
        arguments: [
            nil as String?, "", "Basic", "Basic ", "Basic %", "Basic YQ==", "Basic Og==", "Bearer abc",
            "Basic " + "QUFB",
            "Basic /////w==", "Digest username=\"x\"", "Basic " + String(repeating: "QUFB", count: 1000),
        ])
    func `A restricted back office refuses bad credentials everywhere`(authorization: String?) async throws {
        let fixture = try ServerFixture { $0.policy.isBackOfficeRestricted = true }
        let client = try fixture.client()
        for table in EndpointTable.all {
            let answer = try await client.send(
                "/rest/v3\(table.path)", headers: authorization.map { ["Authorization": $0] } ?? [:],
                body: Data("{}".utf8))
            #expect(answer.status == 401, "\(table.path)")
            #expect(answer.code == "ERR_AUTHENTICATION", "\(table.path)")
            #expect(answer.text("message") == "Authentication failed", "\(table.path)")
            #expect(answer.challenge == "Basic realm=\"PowerAuth\"", "\(table.path)")
        }
    }
}
