// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HTTPTypes
import LabCore
import LabHTTP
import Logging
import NIOSSL
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Test controls of the lab", .endsInTime)
struct TestControlsTests {
    private func fixture() throws -> ServerFixture { try ServerFixture { $0.hasLabPowers = true } }

    private func lab(
        _ client: ServerClient, _ path: String, _ body: JSONValue? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        let answer = try await client.send(
            "/lab/" + path, method: body == nil ? .get : .post, body: body.map { $0.encoded() } ?? Data())
        return (answer.status, try JSONValue.parse(answer.body))
    }

    @Test(.verifies("security.md", "lab-powers")) func `A server that no lab started has no lab powers`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            for path in ["/lab/clock", "/lab/faults", "/lab/traffic", "/lab/snapshots", "/lab/seed"] {
                #expect(try await client.send(path, body: Data("{}".utf8)).status == 404)
            }
        }
    }

    @Test func `A fault rule hits the requests it counts`() async throws {
        try await fixture().run { client in
            let added = try await lab(
                client, "faults", ["path": "/pa/v3/st*", "method": "post", "skip": 1, "times": 2, "status": 503])
            #expect(added.status == 200)
            var statuses: [Int] = []
            for _ in 1...4 {
                statuses.append(try await client.send("/enrollment-server/pa/v3/status", body: Data("{}".utf8)).status)
            }
            #expect(statuses == [200, 503, 503, 200])
            #expect(try await client.send("/rest/v3/status").status == 200)
            let listed = try await lab(client, "faults").json
            #expect(listed["faults"]?[0]?["fired"]?.integerValue == 2)
            let id = try #require(added.json["rule"]?["id"]?.stringValue)
            #expect(try await client.send("/lab/faults/\(id)", method: .delete).status == 200)
            #expect(try await lab(client, "faults").json["faults"] == [])
        }
    }

    @Test(
        arguments: [
            [:], ["status": 99], ["latency": -1], ["drop": "sometimes"], ["skip": 1],
            ["certificate": "none"], ["certificate": "expired", "status": 500],
            ["certificate": "expired", "path": "/pa/v3/status"],
            ["code": "A"], ["status": 500, "code": "A", "body": "b"], ["edit": [:]], ["edit": ["remove": ["a."]]],
            ["edit": ["part": "middle", "remove": ["a"]]], ["status": 500, "edit": ["remove": ["a"]]],
        ] as [JSONValue])
    func `An invalid rule is refused`(rule: JSONValue) async throws {
        try await fixture().run { (client: ServerClient) async throws in
            #expect(try await lab(client, "faults", rule).status == 400)
        }
    }

    @Test func `A corrupt answer does not decrypt`() async throws {
        try await fixture().run { client in
            let device = try await client.activeDevice(.v3_2)
            _ = try await lab(client, "faults", ["path": "/pa/v3/user/info", "corruptBody": true, "times": 1])
            await #expect(throws: (any Error).self) { _ = try await device.encrypted("/pa/v3/user/info", [:]) }
            #expect(try await device.encrypted("/pa/v3/user/info", [:])["sub"]?.stringValue == "alice")
        }
    }

    @Test func `A dropped connection hides whether the server did the work`() async throws {
        let fixture = try fixture()
        try await fixture.listeningConcurrently { port in
            let client = fixture.client(NetworkTransport(port: port))
            for (moment, id) in [("before", "one"), ("after", "two")] {
                let rule = ServerClient.json(
                    ["path": "/rest/v3/application/create", "drop": .string(moment), "id": "cut"])
                try await client.send("/lab/faults", body: rule).expectOK()
                await #expect(throws: OutgoingRequest.Failure.self) {
                    _ = try await client.backOffice("application/create", ["applicationId": id])
                }
            }
            #expect(try fixture.server.services.applications.list().map(\.id) == ["lab", "two"])
        }
    }

    @Test(arguments: [(20_000, 40_000, 1_000), (0, 7, 1)])
    func `Latency and a slow body delay an answer by the server's clock, and change nothing in it`(
        latency: Int, slowBody: Int, step: Int
    ) async throws {
        try await fixture().run { client in
            let plain = try await client.backOffice("error/list")
            _ = try await lab(
                client, "faults",
                [
                    "path": "/rest/v3/error/list", "latency": .integer(Int64(latency)),
                    "slowBody": .integer(Int64(slowBody)),
                ])
            let isAnswered = Mutex(false)
            async let slow = {
                let answer = try await client.backOffice("error/list")
                isAnswered.withLock { $0 = true }
                return answer
            }()
            var passed = 0
            while !isAnswered.withLock({ $0 }) {
                // Others are answered meanwhile.
                #expect(try await client.send("/pa/v3/status", body: Data("{}".utf8)).status == 200)
                client.clock.advance(milliseconds: Int64(step))
                passed += step
            }
            #expect(passed >= latency + slowBody)
            #expect(try await slow.body == plain.body)
        }
    }

    @Test func `A wrong certificate is sent to as many connections as its rule states`() async throws {
        // TLS looks at the machine's clock, so the certificates must be of its time.
        let clock = TestClock()
        clock.advance(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - clock.now().milliseconds)
        let fixture = try ServerFixture(clock: clock) {
            $0.hasLabPowers = true
            $0.certificate = .valid
        }
        try await fixture.whileListening { address in
            let authority = try #require(address.certificateAuthorityPath)
            /// The status of a request on a connection of its own; nil when the certificate is refused.
            @Sendable func status() async -> Int? {
                var request = OutgoingRequest(url: address.baseURL + "/health")
                request.trust = ServerTrust(authoritiesPath: authority)
                return try? await request.send().status
            }
            let rule = TrafficFault(skip: 1, times: 2, certificate: "self-signed")
            let armed = try #require(fixture.server.powers).faults
            _ = try armed.add(rule)
            var statuses: [Int?] = []
            for _ in 1...4 { statuses.append(await status()) }
            #expect(statuses == [200, nil, nil, 200])
            #expect(armed.all.first?.fired == 2)
        }
    }

    @Test func `The traffic journal shows what was encrypted`() async throws {
        try await fixture().run { client in
            let (_, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code, name: "Journalled").status == 200)
            let entries = try await lab(client, "traffic").json["entries"]?.arrayValue ?? []
            let creation = try #require(entries.last)
            #expect(creation["path"]?.stringValue == "/pa/v3/activation/create")
            #expect(creation["status"]?.integerValue == 200)
            let layers = creation["decrypted"]?.arrayValue ?? []
            try #require(layers.count == 2)
            #expect(layers.map { $0["purpose"]?.stringValue } == ["/pa/generic/application", "/pa/activation"])
            #expect(layers[1]["request"]?.stringValue?.contains("Journalled") == true)
            #expect(layers[1]["response"]?.stringValue?.contains(device.activationId) == true)
            let last = try #require(creation["number"]?.integerValue)
            #expect(try await lab(client, "traffic?after=\(last)").json["entries"] == [])
            #expect(try await client.send("/lab/traffic", method: .delete).status == 200)
            #expect(try await lab(client, "traffic").json["entries"] == [])
        }
    }

    @Test func `Simultaneous requests get their own numbers in the traffic journal`() {
        let journal = TrafficJournal(capacity: 20_000)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<2_000 {
                journal.add(
                    TrafficEntry(
                        received: 0, operation: nil, method: "POST", path: "/x", query: nil, headers: [:], body: "",
                        decrypted: [], status: 200, answer: "", fault: nil))
            }
        }
        #expect(journal.entries(after: 0).map(\.number) == Array(1...16_000))
    }

    @Test func `The traffic journal keeps the newest requests, and of large ones fewer`() {
        func numbers(of requests: Int, body: String) -> [Int] {
            let journal = TrafficJournal()
            for _ in 1...requests {
                journal.add(
                    TrafficEntry(
                        received: 0, operation: nil, method: "POST", path: "/x", query: nil, headers: [:], body: body,
                        decrypted: [.init(purpose: "/x", request: body, response: body)], status: 200, answer: body,
                        fault: nil))
            }
            return journal.entries(after: 0).map(\.number)
        }
        #expect(numbers(of: 1_002, body: "{}") == Array(3...1_002))
        let large = String(repeating: "x", count: 1_048_576)
        #expect(numbers(of: 20, body: large) == Array(6...20))
        // Also one that is larger than all that may be kept is seen.
        #expect(numbers(of: 2, body: String(repeating: "x", count: 1 << 25)) == [2])
    }

    @Test func `A snapshot restores its counters`() async throws {
        try await fixture().run { client in
            var device = try await client.activeDevice()
            #expect(try await device.validateSignature() == 200)
            let then = device
            #expect(try await lab(client, "snapshots", ["name": "one"]).json["snapshots"] == ["one"])
            #expect(try await device.validateSignature() == 200)
            #expect(try await device.status()?.counter?.byte == 2)
            #expect(try await lab(client, "snapshots/one/restore", [:]).status == 200)
            #expect(try await device.status()?.counter?.byte == 1)
            var restored = then
            #expect(try await restored.validateSignature() == 200)
            #expect(try await lab(client, "snapshots/none/restore", [:]).status == 400)
            #expect(try await lab(client, "snapshots", ["name": "../evil"]).status == 400)
            #expect(try await client.send("/lab/snapshots/one", method: .delete).status == 200)
        }
    }

    @Test func `A restored snapshot wakes the jobs, which have its deadlines to wait for`() async throws {
        let fixture = try fixture()
        try await fixture.run { client in
            _ = try await client.initiate()
            #expect(try await lab(client, "snapshots", ["name": "one"]).status == 200)
            let alarm = fixture.server.services.context.alarm
            // What has rung until now.
            alarm.wait(milliseconds: 0)
            #expect(try await lab(client, "snapshots/one/restore", [:]).status == 200)
            var hasWaited = false
            alarm.wait(wakingBy: {}) { hasWaited = true }
            #expect(!hasWaited)
        }
    }

    @Test func `Seeding makes activations of any state in bulk`() async throws {
        try await fixture().run { client in
            let seeded =
                try await lab(
                    client, "seed",
                    [
                        "activations": [
                            ["userId": "bulk", "count": 50, "status": "BLOCKED", "blockedReason": "SEEDED"],
                            ["userId": "old", "version": 2, "counter": 7, "failedAttempts": 3],
                        ]
                    ]
                ).json["activations"]?.arrayValue ?? []
            #expect(seeded.count == 51)
            #expect(seeded[49]["userId"]?.stringValue == "bulk-50")
            let blocked = try await client.activationStatus(#require(seeded[0]["activationId"]?.stringValue))
            #expect(blocked.text("blockedReason") == "SEEDED")
            let old = try await client.activationStatus(#require(seeded[50]["activationId"]?.stringValue))
            #expect(old.number("version") == 2)
            #expect(old.number("failedAttempts") == 3)
            #expect(try await lab(client, "seed", ["activations": [["userId": "x", "version": 4]]]).status == 400)
            #expect(try await lab(client, "seed", ["activations": [["userId": "x", "count": 0]]]).status == 400)
        }
    }

    @Test(.verifies("size", "LabEndpoints.longestStep")) func `Only a clock that can be moved is moved`() async throws {
        try await fixture().run { client in
            let read = try await lab(client, "clock").json
            #expect(read["now"]?.integerValue == client.clock.now().milliseconds)
            #expect(read["isAdjustable"]?.boolValue == false)
            #expect(try await lab(client, "clock", ["advance": 1000]).status == 400)
        }
    }
}

extension ServerClient {
    static func json(_ value: JSONValue) -> Data { value.encoded() }
}
