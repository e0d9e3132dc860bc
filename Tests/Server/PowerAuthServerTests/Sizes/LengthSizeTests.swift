// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What has as many as it may is taken, and what has one more is not.
@Suite("Sizes of texts and lists", .endsInTime)
struct LengthSizeTests {
    /// A field that has a length, and a request with so many in it.
    struct Row: Sendable, CustomTestStringConvertible {
        let path: String
        let field: String
        let allowed: ClosedRange<Int>
        let value: @Sendable (Int) -> any Sendable

        var testDescription: String { "\(path) \(field)" }

        init(
            _ path: String, _ field: String, _ allowed: ClosedRange<Int>,
            _ value: @escaping @Sendable (Int) -> any Sendable
        ) {
            (self.path, self.field, self.allowed, self.value) = (path, field, allowed, value)
        }
    }

    private static let text: @Sendable (Int) -> any Sendable = { String(repeating: "x", count: $0) }

    static let rows = [
        Row("/operation/create", "parameters", 0...OperationService.mostParameters) { count in
            Dictionary(uniqueKeysWithValues: (0..<max(count, 1)).map { ($0 == 0 ? "amount" : "p\($0)", "1") }) as Fields
        },
        Row("/operation/create", "parameters", 0...TextLimit.parameter.characters) { count in
            ["amount": String(repeating: "x", count: count)] as Fields
        },
        // As JSON: {"note":"…"}
        Row("/operation/create", "additionalData", 0...TextLimit.json.characters) { count in
            ["note": String(repeating: "x", count: max(0, count - 11))] as Fields
        },
        Row("/operation/cancel", "statusReason", 0...32, text),
        Row("/activation/init", "userId", 1...255, text),
        Row("/activation/name/update", "activationName", 1...TextLimit.line.characters, text),
        Row("/activation/block", "reason", 0...TextLimit.line.characters, text),
    ]

    @Test(.verifies("size", "OperationService.mostParameters"), arguments: rows)
    func `A field of a request`(row: Row) async throws {
        let table = try #require(EndpointTable[row.path])
        try await World.run { world in
            let bounds = [row.allowed.lowerBound, row.allowed.upperBound].flatMap(Sizes.around)
            for count in Set(bounds).filter({ $0 >= 0 }).sorted() {
                let fields = try await table.sample(world).merging([row.field: row.value(count)]) { $1 }
                let answer = try await world.client.backOffice(String(row.path.dropFirst()), fields)
                #expect((answer.status == 200) == row.allowed.contains(count), "\(count): \(answer.code ?? "taken")")
            }
        }
    }

    @Test(
        .verifies("size", "InboxService.bodyLength", "InboxService.lineLength"),
        arguments: ["subject", "summary", "body"])
    func `The subject, the summary and the body of a message`(field: String) async throws {
        let allowed = field == "body" ? InboxService.bodyLength : InboxService.lineLength
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            for count in [allowed.lowerBound, allowed.upperBound].flatMap(Sizes.around) {
                var message: [String: JSONValue] = [
                    "userId": "alice", "subject": "New statement", "summary": "Your statement", "body": "Open the app",
                    "type": "text",
                ]
                message[field] = .string(String(repeating: "x", count: count))
                let answer = try await client.plain("/v2/inbox/messages", .object(message))
                #expect((answer.status == 200) == allowed.contains(count), "\(count)")
            }
        }
    }

    @Test(
        .verifies("size", "UITemplate.mostAttributes"),
        arguments: Sizes.around(UITemplate.mostAttributes))
    func `The attributes of a template`(count: Int) async throws {
        try await ServerFixture.mobileToken().run { client in
            let attributes = (0..<count).map { number in
                JSONValue.object([
                    "id": .string("a\(number)"), "type": "NOTE", "text": "Note", "params": ["note": "note"],
                ])
            }
            let answer = try await client.plain(
                "/lab/ui-templates",
                ["placeholder": "sizes", "title": "t", "message": "m", "attributes": .array(attributes)])
            #expect((answer.status == 200) == (count <= UITemplate.mostAttributes))
        }
    }
}
