// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Requests of apps that are given turns", .endsInTime)
struct HeldRequestTests {
    private let directory: TemporaryDirectory
    private let table: FaultTable
    private let fixture: ServerFixture

    init() throws {
        directory = try TemporaryDirectory()
        table = try FaultTable.create(directory.file("faults"))
        // One worker: a request that kept it would stop all others.
        fixture = try ServerFixture(faults: ServerFaults(table)) { $0.workerThreads = 1 }
    }

    /// Makes one change.
    /// - Returns: the status of the answer.
    private static func change(_ client: ServerClient, by app: String?) async throws -> Int {
        let body = try JSONEncoder().encode(["requestObject": ["userId": "alice", "applicationId": "lab"]])
        let headers = app.map { [ServerHeader.app: $0] } ?? [:]
        return try await client.send("/rest/v3/activation/init", headers: headers, body: body).status
    }

    /// Waits for an arrival of a process.
    private static func arrival(
        _ number: UInt32, of process: String, _ turns: TurnPage
    ) async throws -> TurnPage.Place {
        try await onThread {
            while true {
                let seen = turns.changes
                let found = turns.place(of: process)
                if found.arrivals >= number { return found.place }
                turns.waitForChange(since: seen, timeout: .minutes(1))
            }
        }
    }

    @Test func `A request arrives for its app at each point, and while it is held no other request waits`()
        async throws
    {
        let turns = table.turns
        try await fixture.run { client in
            try turns.begin(["main"])
            async let held = Self.change(client, by: "main")
            defer { turns.end() }
            let points = FaultPoint.allCases.filter { $0.owners == [.server] }
            #expect(points.count == 4)
            for (index, point) in points.enumerated() {
                let place = try await Self.arrival(UInt32(index + 1), of: "main", turns)
                #expect(place == .held(at: point.rawValue))
                // Of an app that is given no turns, of a name that no app has, and of an operator.
                for other in ["wallet", "server", nil] {
                    #expect(try await Self.change(client, by: other) == 200, "while `main` is held at \(point)")
                }
                turns.grant("main")
            }
            #expect(try await held == 200)
            #expect(turns.place(of: "main").arrivals == 4)
        }
    }

    @Test func `Two apps are held at the same time, and commit in the order of their turns`() async throws {
        let turns = table.turns
        try await fixture.run { client in
            try turns.begin(["main", "wallet"])
            async let first = Self.change(client, by: "main")
            async let second = Self.change(client, by: "wallet")
            defer { turns.end() }
            for number in [UInt32(1), 2] {
                for app in ["main", "wallet"] {
                    _ = try await Self.arrival(number, of: app, turns)
                    if number == 1 { turns.grant(app) }
                }
            }
            for app in ["main", "wallet"] { #expect(turns.place(of: app).place == .held(at: "server.beforeCommit")) }
            turns.grant("wallet")
            #expect(try await Self.arrival(3, of: "wallet", turns) == .held(at: "server.afterCommit"))
            #expect(turns.place(of: "main").place == .held(at: "server.beforeCommit"))
            #expect(try fixture.rows("activation") == 1, "the transaction of `main` has not begun")
            turns.grant("main")
            #expect(try await Self.arrival(3, of: "main", turns) == .held(at: "server.afterCommit"))
            #expect(try fixture.rows("activation") == 2)
            turns.end()
            #expect(try await first == 200)
            #expect(try await second == 200)
        }
    }

    @Test func `The rules of the points are those for the server, for requests of every app`() async throws {
        try await fixture.run { client in
            func arm(_ process: String) throws {
                try table.arm(FaultRule(point: .serverBeforeCommit, process: process, action: .fail("EIO")))
            }
            try arm("main")
            #expect(try await Self.change(client, by: "main") == 200)
            try arm("server")
            #expect(try await Self.change(client, by: "main") == 500)
            try arm("server")
            #expect(try await Self.change(client, by: nil) == 500)
            #expect(try await Self.change(client, by: "main") == 200)
        }
    }
}
