// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Server resources for scenarios", .endsInTime)
struct ServerResourceTests {
    private static let table = Project.path("Sources/Lab/LabVocabulary/Commands/ServerResourceTable.swift")

    @Test
    func `The table by which 'call' is checked before the run holds every resource with the fields that it decodes`()
        throws
    {
        let endpoints = try ServerFixture { $0.hasLabPowers = true }.server.endpoints
        // Scenarios call the resources by their names below /rest/v3.
        let named = endpoints.filter { ($0.face == .backOffice || $0.face == .lab) && $0.original == nil }
        let lines = named.map(Self.line).sorted()
        GoldenFile(path: Self.table).check(
            """
            // SPDX-License-Identifier: Apache-2.0

            /// The resources of the back office and of the lab's powers, one a line: methods, path, fields of the
            /// request, and after an arrow the members of the answer.
            ///
            /// Written down from the server by `RECORD=1 swift test --filter ServerResourceTests`.
            enum ServerResourceTable {
                static let text = \"""
            \(lines.map { "        \($0)" }.joined(separator: "\n"))
                    \"""
            }

            """)
        #expect(ServerResource.all.count == lines.count)
    }

    @Test func `A path is found with its placeholders filled and with a query, and by nothing else`() {
        #expect(ServerResource.at("/rest/v3/activation/init")?.methods == ["POST"])
        #expect(ServerResource.at("/health?verbose=1")?.path.text == "/health")
        #expect(ServerResource.at("/rest/v3/activation/initiate") == nil)
        #expect(ResourcePattern("/a/{id}/b").placeholders(in: "/a/x%20y/b") == ["id": "x y"])
        #expect(ResourcePattern("/a/{id}/b").placeholders(in: "/a//b") == nil)
        #expect(ResourcePattern("/a/{id}").placeholders(in: "/a/x/b") == nil)
    }

    private static func line(_ endpoint: Endpoint) -> String {
        let methods = endpoint.methods.sorted().joined(separator: ",")
        guard endpoint.face == .backOffice else { return "\(methods) \(endpoint.path) *" }
        let properties = endpoint.bodies?.request.map { JSONSchema.of($0)["properties"]?.objectValue ?? [:] } ?? [:]
        let fields = properties.sorted { $0.key < $1.key }.map {
            "\($0.key):\(word(for: JSONSchema.present($0.value)))"
        }
        let answer = endpoint.bodies?.response.map { form(of: JSONSchema.of($0)) } ?? ""
        return ([methods, endpoint.path] + fields + (answer.isEmpty ? [] : ["->", answer])).joined(separator: " ")
    }

    /// The members of an answer, as the table has them; empty for any value.
    private static func form(of schema: JSONValue) -> String {
        let schema = JSONSchema.present(schema)
        if schema["type"]?.stringValue == "array" {
            let element = schema["items"].map { form(of: $0) } ?? ""
            return element.isEmpty ? "" : "[\(element)]"
        }
        guard let properties = schema["properties"]?.objectValue, !properties.isEmpty else { return "" }
        let members = properties.sorted { $0.key < $1.key }.map { name, schema in
            let inner = form(of: schema)
            return inner.isEmpty ? name : "\(name):\(inner)"
        }
        return "{\(members.joined(separator: ","))}"
    }

    @Test func `The form of an answer is read with the objects and lists in it`() throws {
        let resource = ServerResource(line: "POST /a b:text -> {id,items:[{name,owner:{id}}],last}")
        guard case .object(let members) = resource.answer else { throw Unexpected("no object") }
        #expect(members.map(\.name) == ["id", "items", "last"] && members.map(\.type.title)[0] == "any value")
        guard case .list(.object(let inner)) = members[1].type else { throw Unexpected("no list of objects") }
        #expect(inner.map(\.type.title) == ["any value", "{ id }"])
        guard case .object(let fields) = resource.request else { throw Unexpected("no fields") }
        #expect(fields.map(\.name) == ["b"])
        #expect(ServerResource(line: "GET /a *").answer == .any)
        #expect(ServerResource(line: "POST /a -> [{id}]").answer.title == "list of { id }")
    }

    private static func word(for schema: JSONValue) -> String {
        if let words = schema["enum"]?.arrayValue { return words.compactMap(\.stringValue).joined(separator: "|") }
        return switch schema["type"]?.stringValue {
        case "string": "text"
        case "integer", "boolean": schema["type"]?.stringValue ?? ""
        case "array": "list"
        case "object": "map"
        default: "any"
        }
    }
}

@Suite("Release of an unused server", .endsInTime) struct LifetimeTests {
    /// The remaining objects of a server.
    private struct Parts: LeakTracker, @unchecked Sendable {
        // Safe: weak references are read atomically, and nothing is written after the initialiser.
        weak var server: LabServer?
        weak var workers: WorkerThreads?

        var left: [String] { [("server", server != nil), ("workers", workers != nil)].filter(\.1).map(\.0) }
    }

    @Test func `A released server that has answered requests ends with its threads`() async throws {
        let parts = try await Self.asked()
        let left = try await onThread { parts.leftAfterWaiting() }
        #expect(left == [])
    }

    private static func asked() async throws -> Parts {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        let parts = Parts(server: fixture.server, workers: fixture.server.workers)
        try await fixture.run { client in _ = try await client.backOffice("application/list", [:]) }
        return parts
    }

    @Test func `A released server without requests ends, too`() async throws {
        let parts = try Self.never()
        let left = try await onThread { parts.leftAfterWaiting() }
        #expect(left == [])
    }

    private static func never() throws -> Parts {
        let fixture = try ServerFixture()
        return Parts(server: fixture.server, workers: fixture.server.workers)
    }

    @Test
    func `A server that is stopped before it runs ends without listening, and says that it has stopped`() async throws {
        let fixture = try ServerFixture()
        fixture.server.stop()
        try await fixture.server.run { _ in Issue.record("the server listens") }
        fixture.server.noteStop()
        let stops = fixture.journal.events.count { if case .stopped = $0.event { true } else { false } }
        #expect(stops == 1)
    }
}
