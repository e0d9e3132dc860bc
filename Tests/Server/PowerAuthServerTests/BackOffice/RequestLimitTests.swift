// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

/// The description of the back office says what its requests are like, and the server holds itself to that.
@Suite("Limits of requests", .endsInTime)
struct RequestLimitTests {
    /// A value just outside of a limit; nil if its type has no such value.
    private static func violating(_ limit: FieldLimit) -> (any Sendable)? {
        let members = limit.members
        if members["enum"] != nil { return "NONE OF THEM" }
        if members["contentEncoding"] != nil { return "%%%" }
        if let most = members["maximum"]?.integerValue, most < 1_000 { return Int(most) + 1 }
        if let least = members["minimum"]?.integerValue { return Int(least) - 1 }
        if members["minItems"] != nil { return [String]() }
        if let most = members["maxLength"]?.integerValue { return String(repeating: "x", count: Int(most) + 1) }
        if members["pattern"]?.stringValue == #"\S"# { return "  " }
        if members["minLength"] != nil { return "" }
        return nil
    }

    @Test(arguments: EndpointTable.all)
    func `A value outside of a limit is refused`(table: EndpointTable) async throws {
        let limits = FieldLimit.of(table.path).filter { !$0.key.contains(/[.*]/) }
        try await World.run { world in
            let sample = try await table.sample(world)
            for (field, limit) in limits {
                guard sample[field] != nil, let wrong = Self.violating(limit) else { continue }
                let answer = try await world.client.backOffice(
                    String(table.path.dropFirst()), sample.merging([field: wrong]) { $1 })
                #expect(answer.status == 400, "\(table.path) took \(field) = \(wrong)")
            }
        }
    }

    @Test func `Every limit stands at a field that the request has`() throws {
        for endpoint in try ServerFixture().server.endpoints {
            guard endpoint.face == .backOffice, let type = endpoint.bodies?.request else { continue }
            let path = endpoint.backOfficePath
            let plain = JSONSchema.of(type)
            for (field, limit) in FieldLimit.own(path) {
                #expect(limit.applied(to: plain, at: field) != plain, "\(path) has no \(field)")
            }
        }
    }

    @Test func `A null is accepted for optional fields, and described so`() async throws {
        try await ServerFixture.run { client in
            let document = try JSONValue.parse(try await client.send("/openapi.json", method: .get).body)
            let request = document["paths"]?["/rest/v3/activation/init"]?["post"]?["requestBody"]
            let fields = request?["content"]?["application/json"]?["schema"]?["properties"]?["requestObject"]?[
                "properties"]
            #expect(fields?["commitPhase"]?["type"] == ["string", "null"])
            #expect(fields?["commitPhase"]?["enum"]?.arrayValue?.contains(.null) == true)
            #expect(fields?["userId"]?["type"] == "string" && fields?["userId"]?["maxLength"] == 255)
            let answer = try await client.send(
                "/rest/v3/activation/init",
                body: Data(
                    #"{"requestObject":{"userId":"a","applicationId":"lab","commitPhase":null,"flags":null}}"#.utf8))
            #expect(answer.status == 200)
        }
    }
}
