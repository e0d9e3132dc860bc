// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The inbox", .endsInTime)
struct InboxTests {
    private func message(_ client: ServerClient, _ extra: [String: JSONValue] = [:]) async throws -> String {
        let answer = try await client.plain("/lab/inbox", .object(extra))
        try #require(answer.status == 200, "\(answer.json)")
        return try #require(answer.json["id"]?.stringValue)
    }

    private func list(_ app: MobileApp, _ page: JSONValue = [:]) async throws -> [String] {
        try await app.ask("/api/inbox/message/list", page).object.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }

    private func unread(_ app: MobileApp) async throws -> JSONValue { try await app.ask("/api/inbox/count").object }

    @Test func `Messages are listed newest first, in pages, and read one by one or all at once`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let app = try await client.mobileApp()
            var ids: [String] = []
            for number in 0..<5 {
                client.clock.advance(milliseconds: 1)
                ids.insert(try await message(client, ["subject": .string("Statement \(number)")]), at: 0)
            }
            #expect(try await unread(app) == ["countUnread": 5])
            #expect(try await list(app) == ids)
            #expect(try await list(app, ["page": 1, "size": 2, "onlyUnread": false]) == Array(ids[2...3]))
            #expect(try await list(app, ["page": 3, "size": 2]) == [])
            let page = try await app.ask("/api/inbox/message/list", ["page": 0, "size": 1])
            #expect(page.json["page"] == 0 && page.json["size"] == 1)
            let listed: JSONValue = [
                "id": .string(ids[0]), "type": "text", "subject": "Statement 4", "summary": "Your statement is ready",
                "read": false, "timestampCreated": "2024-10-08T09:33:20+0000",
            ]
            #expect(page.object == [listed])
            let detail = try await app.ask("/api/inbox/message/detail", ["id": .string(ids[0])])
            #expect(
                detail.object.objectValue
                    == listed.objectValue?.merging(["body": "Open the app to see it."]) { $1 })
            #expect(try await unread(app) == ["countUnread": 5])
            for _ in 0..<2 {
                let read = try await app.ask("/api/inbox/message/read", ["id": .string(ids[0])])
                #expect(read.json == ["status": "OK"])
            }
            #expect(try await unread(app) == ["countUnread": 4])
            #expect(try await list(app, ["onlyUnread": true]) == Array(ids[1...]))
            #expect(try await list(app).count == 5)
            let again = try await app.ask("/api/inbox/message/detail", ["id": .string(ids[0])])
            #expect(again.object["read"] == true)
            #expect(try await app.ask("/api/inbox/message/read-all").json == ["status": "OK"])
            #expect(try await unread(app) == ["countUnread": 0])
            #expect(try await list(app, ["onlyUnread": true]).isEmpty)
        }
    }

    @Test func `A user neither sees nor reads messages of another user or application`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let (alice, bob) = (try await client.mobileApp(), try await client.mobileApp(["userId": "bob"]))
            let id = try await message(client)
            _ = try await client.backOffice("application/create", ["applicationId": "other"])
            let elsewhere = try InboxService(context: fixture.server.services.context).create(
                .init(
                    userId: "alice", applicationIds: ["other"], subject: "Elsewhere", summary: "For the other",
                    body: "Not for this app"))
            #expect(try await list(alice) == [id])
            #expect(try await list(bob).isEmpty)
            let failed = "400 INBOX_FAILED: Unable to process inbox request."
            for path in ["/api/inbox/message/detail", "/api/inbox/message/read"] {
                #expect(try await bob.ask(path, ["id": .string(id)]).refusal == failed)
                #expect(try await alice.ask(path, ["id": .string(elsewhere.id.text)]).refusal == failed)
                #expect(try await alice.ask(path, ["id": "none"]).refusal == failed)
                #expect(try await alice.ask(path, [:]).refusal == failed)
                #expect(try await alice.ask(path).refusal == failed)
            }
            _ = try await bob.ask("/api/inbox/message/read-all")
            #expect(try await unread(alice) == ["countUnread": 1])
            for page: JSONValue in [["page": -1], ["size": 0], ["page": 9_223_372_036_854_775_807, "size": 2]] {
                #expect(try await alice.ask("/api/inbox/message/list", page).refusal == failed)
            }
        }
    }

    @Test(.verifies("size", "InboxService.longestPage"))
    func `A page has at most a thousand messages, and a list reads no bodies`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let app = try await client.mobileApp()
            let id = try await message(client)
            #expect(try await list(app, ["size": 1000]) == [id])
            let refused = try await app.ask("/api/inbox/message/list", ["size": 1001])
            #expect(refused.refusal == "400 INBOX_FAILED: Unable to process inbox request.")
            try fixture.server.services.context.read { database in
                let applications = try ApplicationStore.all(database)
                let owner = InboxStore.Owner(userId: "alice", application: try #require(applications.first))
                let listed = try InboxStore.list(database, owner, isUnreadOnly: false, limit: 10, offset: 0)
                #expect(listed.map(\.id.text) == [id] && listed.allSatisfy { $0.body == nil })
                #expect(
                    try InboxStore.find(database, owner, id: Identifier(known: id))?.body == "Open the app to see it.")
            }
        }
    }

    @Test
    func `A message of the vendor's tests is stored, and what is too short or too long is refused`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let wanted: JSONValue = [
                "userId": "alice", "subject": "Subject 1", "summary": "Summary 1", "body": "<p>Body</p>",
                "type": "html", "silent": true,
            ]
            let created = try await client.plain("/v2/inbox/messages", wanted).json
            #expect(created["type"] == "html" && created["read"] == false)
            #expect(created["timestamp"] == 1_728_380_000_000)
            #expect(created["id"]?.stringValue?.isEmpty == false)
            for (field, length) in [
                ("subject", 7), ("subject", 256), ("summary", 7), ("summary", 256), ("body", 7), ("body", 65537),
            ] {
                var wrong = wanted.objectValue ?? [:]
                wrong[field] = .string(String(repeating: "x", count: length))
                #expect(
                    try await client.plain("/v2/inbox/messages", .object(wrong)).status == 400, "\(field) \(length)")
            }
            #expect(try await client.plain("/v2/inbox/messages", ["subject": "Subject 1"]).status == 400)
        }
    }

    @Test func `Devices are notified of a new message, unless it is silent`() async throws {
        let gateway = TestGateway()
        let fixture = try ServerFixture.mobileToken(pushGateway: gateway)
        try await fixture.run { client in
            let app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            _ = try await message(client, ["silent": true])
            let id = try await message(client)
            fixture.server.services.context.pushes.settle()
            #expect(gateway.sent.count == 1)
            #expect(
                gateway.sent.first?.notification.payload == [
                    "aps": [
                        "alert": ["title": "New statement", "body": "Your statement is ready"], "sound": "default",
                    ],
                    "messageType": "mtoken.inboxMessage.new", "inboxId": .string(id),
                ])
        }
    }
}
