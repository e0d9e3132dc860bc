import Foundation
import LabKit
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Server resources for scenarios", .endsInTime)
struct ServerResourceTests {
    private static let table = Project.path("Sources/Lab/LabKit/Vocabulary/ServerResourceTable.swift")

    @Test("The table by which `call` is checked before the run holds every resource with the fields that it decodes")
    func theTableIsWhatTheServerServes() throws {
        let endpoints = try ServerFixture { $0.hasLabPowers = true }.server.endpoints
        let lines = endpoints.filter { $0.face == .backOffice || $0.face == .lab }.map(Self.line).sorted()
        GoldenFile(path: Self.table).check(
            """
            /// The resources of the back office and of the lab's powers, one a line: methods, path, fields of the request.
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

    @Test("A path is found with its placeholders filled and with a query, and by nothing else")
    func paths() {
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
        return ([methods, endpoint.path] + fields).joined(separator: " ")
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
