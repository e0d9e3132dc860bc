// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The order of pushes", .endsInTime)
struct PushOrderTests {
    @Test
    func `Devices are notified in the order of the commits, even if the later request is answered first`() async throws
    {
        let gateway = TestGateway()
        let commit = HeldCommit()
        let fixture = try ServerFixture(
            faults: ServerFaults(afterCommit: { commit.pass() }), pushGateway: gateway
        ) { configuration in
            configuration.hasDefaultTemplates = true
            configuration.workerThreads = 4
        }
        try await fixture.run { client in
            let app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            commit.hold()
            async let created = client.operation("login")
            try await onThread { commit.waitUntilHeld() }
            // The operation is stored, but its creator has no reply yet.
            let id = try #require(try await app.list().first?["id"]?.stringValue)
            let canceled = try await client.backOffice("operation/cancel", ["operationId": id])
            #expect(canceled.status == 200)
            commit.release()
            #expect(try await created == id)
            fixture.server.services.context.pushes.settle()
            #expect(
                gateway.sent.map { $0.notification.payload["messageType"] } == [
                    "mtoken.operationInit", "mtoken.operationFinished",
                ])
        }
    }

    @Test func `A change that is rolled back sends no push`() async throws {
        struct Injected: Error {}
        let gateway = TestGateway()
        let isFailing = Mutex(false)
        let fixture = try ServerFixture(
            faults: ServerFaults(beforeCommit: { if isFailing.withLock({ $0 }) { throw Injected() } }),
            pushGateway: gateway
        ) { $0.hasDefaultTemplates = true }
        try await fixture.run { client in
            let app = try await client.mobileApp()
            _ = try await app.registerForPush("AA")
            isFailing.withLock { $0 = true }
            #expect(try await client.createOperation("login").status != 200)
            isFailing.withLock { $0 = false }
            fixture.server.services.context.pushes.settle()
            #expect(gateway.sent.isEmpty)
            _ = try await client.operation("login")
            fixture.server.services.context.pushes.settle()
            #expect(gateway.sent.count == 1)
        }
    }
}
