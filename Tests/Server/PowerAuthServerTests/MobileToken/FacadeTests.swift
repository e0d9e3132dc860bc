// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabControl
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The back end of the vendor's tests", .endsInTime)
struct FacadeTests {
    @Test func `A registration is made, activated and committed`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let registration = try await client.plain(
                "/v2/registrations", ["userId": "bob", "flags": ["VIP"], "appId": "lab"]
            ).json
            let id = try #require(registration["registrationId"]?.stringValue)
            let code = try #require(registration["activationQrCodeData"]?.stringValue)
            let parts = code.split(separator: "#").map(String.init)
            #expect(parts.count == 2)
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: parts[0]).status == 200)
            let committed = try await client.plain("/v2/registrations/\(id)/commit", ["externalUserId": "operator"])
            #expect(committed.json == ["status": "ACTIVE"])
            let status = try await client.activationStatus(id)
            #expect(status.text("userId") == "bob" && status.value("activationFlags") as? [String] == ["VIP"])
        }
    }

    @Test func `An operation is created, read and taken back with a reason`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let created = try await client.plain(
                "/v2/operations", ["template": "login", "proximityCheckEnabled": true, "parameters": [:]]
            ).json
            let id = try #require(created["operationId"]?.stringValue)
            #expect(created["userId"] == nil && created["status"] == "PENDING" && created["operationType"] == "login")
            #expect(created["failureCount"] == 0 && created["maxFailureCount"] == 5)
            #expect(created["timestampCreated"] == 1_728_380_000_000)
            #expect(created["timestampExpires"] == 1_728_380_300_000)
            #expect(created["proximityOtp"]?.stringValue?.count == 8)
            #expect(try await client.plain("/v2/operations/\(id)", method: .get).json == created)
            let canceled = try await client.plain("/v2/operations/\(id)?statusReason=TOO_LATE", method: .delete)
            #expect(canceled.json == ["status": "CANCELED"])
            #expect(try await client.detail(id).text("statusReason") == "TOO_LATE")
            #expect(try await client.plain("/v2/operations", ["template": "none"]).status == 400)
        }
    }

    @Test func `A restricted back office is closed here, too`() async throws {
        let fixture = try ServerFixture.mobileToken { $0.policy.isBackOfficeRestricted = true }
        let credentials = try #require(fixture.server.credentials)
        let endpoint = try #require(fixture.server.endpoints.first { $0.path == "/v2/operations" })
        func answer(_ headers: HTTPFields) async -> ServerResponse {
            await endpoint.respond(
                to: ServerRequest(
                    method: "POST", path: "/v2/operations", query: nil, headers: headers,
                    body: Data(#"{"template":"login"}"#.utf8)), journal: nil)
        }
        let json: HTTPFields = [.contentType: "application/json"]
        #expect(await answer(json).status == 401)
        #expect(await answer(json).challenge != nil)
        let header = HTTPBasic.header(userName: credentials.userName, password: credentials.password)
        #expect(await answer([.contentType: "application/json", .authorization: header]).status == 200)
    }
}
