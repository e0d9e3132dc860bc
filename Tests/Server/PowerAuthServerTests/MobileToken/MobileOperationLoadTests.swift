// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabControl
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Many operations and many devices", .endsInTime)
struct MobileOperationLoadTests {
    @Test func `A list is the newest hundred`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let app = try await client.mobileApp()
            for _ in 0..<101 {
                client.clock.advance(milliseconds: 1)
                _ = try await client.operation("login")
            }
            let newest = try await client.operation("login")
            let listed = try await app.list()
            #expect(listed.count == 100)
            #expect(listed[0]["id"]?.stringValue == newest)
        }
    }

    @Test(.verifies("mobile-token.md", "B-53"))
    func `A page takes the same queries, however many operations and applications it has`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            _ = try await client.backOffice("application/create", ["applicationId": "other"])
            func queries() throws -> Int {
                try fixture.server.services.context.read { database in
                    var count = 0
                    database.trace { _ in count += 1 }
                    let found = try OperationStore.list(
                        database,
                        .init(userId: "alice", applications: ApplicationStore.all(database), offset: 0, limit: 100))
                    _ = try UITemplates.of(found.map(\.operationType), database)
                    database.trace()
                    return count
                }
            }
            _ = try await client.operation("login")
            let few = try queries()
            for template in ["login", "login_1fa", "payment", "login"] {
                _ = try await client.operation(template, ["applications": ["lab", "other"]])
            }
            #expect(try queries() == few)
        }
    }

    @Test
    func `Neither the pending operations of a user nor the history are sorted: they are stored in the order of both`()
        throws
    {
        let fixture = try ServerFixture.mobileToken()
        try fixture.server.services.context.read { database in
            for isPendingOnly in [true, false] {
                var statements: [String] = []
                database.trace { event in
                    if case .statement(let statement) = event { statements.append(statement.expandedSQL) }
                }
                _ = try OperationStore.list(
                    database,
                    .init(
                        userId: "alice", applications: ApplicationStore.all(database), activationId: "1", flags: [],
                        isPendingOnly: isPendingOnly, offset: 0, limit: 100))
                database.trace()
                let list = try #require(statements.first { $0.contains("ORDER BY t_created") })
                let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(list)").map { $0["detail"] as String }
                #expect(!plan.isEmpty && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            }
        }
    }

    @Test func `When sixteen devices approve at once, exactly one succeeds`() async throws {
        let fixture = try ServerFixture.mobileToken { $0.workerThreads = 16 }
        try await fixture.run { client in
            var apps: [MobileApp] = []
            for _ in 0..<16 { apps.append(try await client.mobileApp()) }
            let id = try await client.operation("login")
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for app in apps {
                    group.addTask {
                        var app = app
                        return try await app.authorize(id, "A2")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            let late: Set<String?> = ["OPERATION_ALREADY_FINISHED", "INVALID_OPERATION"]
            #expect(answers.filter { late.contains($0.code) }.count == 15)
            let operation = try await client.detail(id)
            #expect(operation.text("status") == "APPROVED" && operation.number("failureCount") == 0)
        }
    }
}
