// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Logging
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Integrations", .endsInTime)
struct IntegrationTests {
    @Test(.verifies("security.md", "restricted-back-office"))
    func `A restricted back office is open to integrations only`() async throws {
        let directory = try TemporaryDirectory()
        let credentials = try await ServerFixture(directory: directory).run { client in
            let created = try await client.backOffice("integration/create", ["name": "tools"])
            #expect(try await client.backOffice("integration/create").code == "ERR0024")
            let list = try await client.backOffice("integration/list")
            #expect(list.flag("restrictedAccess") == false)
            #expect(list.text("items.0.clientToken") == created.text("clientToken"))
            return try created.required("clientToken") + ":" + created.required("clientSecret")
        }
        let restricted = try ServerFixture(directory: directory) { $0.policy.isBackOfficeRestricted = true }
        try await restricted.runWithoutConfiguration { client in
            func status(_ credentials: String?) async throws -> Answer {
                let header = credentials.map { ["Authorization": "Basic " + Data($0.utf8).base64EncodedString()] }
                return try await client.send("/rest/v3/status", headers: header ?? [:])
            }
            try await status(credentials).expectOK()
            for wrong in [nil, credentials + "x", "x" + credentials, "no colon"] as [String?] {
                let refused = try await status(wrong)
                #expect(refused.status == 401 && refused.code == "ERR_AUTHENTICATION")
                #expect(refused.text("message") == "Authentication failed")
                #expect(refused.challenge == "Basic realm=\"PowerAuth\"")
            }
            try await client.send("/pa/v3/status", body: Data("{}".utf8)).expectOK()
        }
    }

    @Test func `Reports count users of the period`() async throws {
        try await ServerFixture.run { client in
            _ = try await client.initiate()
            _ = try await client.initiate()
            _ = try await client.initiate(["userId": "bob"])
            func report(_ name: String, _ parameters: [String: any Sendable]) async throws -> Answer {
                try await client.backOffice("telemetry/report", ["name": name, "parameters": parameters])
            }
            let month = try await report("CURRENT_MAU", ["application": "lab", "days": 7])
            #expect(month.number("reportData.users") == 2)
            #expect(month.number("reportData.days") == 30)
            client.clock.advance(milliseconds: 2 * 86_400_000)
            let day = try await report("USERS_IN_PAST_DAYS", ["application": "lab", "days": 1])
            #expect(day.number("reportData.users") == 0)
            #expect(try await report("USERS_IN_PAST_DAYS", ["application": "lab"]).code == "ERROR_TELEMETRY")
            #expect(try await report("OTHER", ["application": "lab"]).code == "ERROR_TELEMETRY")
            #expect(try await client.backOffice("telemetry/report").code == "ERR0024")
        }
    }

    @Test func `A report is about 1 to 365 days, and the first moment of its time counts`() async throws {
        try await ServerFixture.run { client in
            _ = try await client.initiate()
            func users(_ name: String, _ parameters: Fields) async throws -> Int? {
                try await client.backOffice("telemetry/report", ["name": name, "parameters": parameters])
                    .number("reportData.users")
            }
            for (days, isTaken) in [(-1, false), (0, false), (1, true), (365, true), (366, false)] {
                let found = try await users("USERS_IN_PAST_DAYS", ["application": "lab", "days": days])
                #expect(found == (isTaken ? 1 : nil), "\(days)")
            }
            #expect(try await users("CURRENT_MAU", ["application": "other"]) == 0)
            let day: Int64 = 86_400_000
            client.clock.advance(milliseconds: day)
            #expect(try await users("USERS_IN_PAST_DAYS", ["application": "lab", "days": 1]) == 1)
            client.clock.advance(milliseconds: 1)
            #expect(try await users("USERS_IN_PAST_DAYS", ["application": "lab", "days": 1]) == 0)
            client.clock.advance(milliseconds: 29 * day - 1)
            #expect(try await users("CURRENT_MAU", ["application": "lab"]) == 1)
            client.clock.advance(milliseconds: 1)
            #expect(try await users("CURRENT_MAU", ["application": "lab"]) == 0)
        }
    }
}

extension ServerFixture {
    /// Runs a test without asking the back office for anything first.
    fileprivate func runWithoutConfiguration(_ body: @Sendable (ServerClient) async throws -> Void) async throws {
        try await body(ServerClient(transport: try RouterTransport(server), clock: clock))
    }
}
