import Foundation
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("A server that nobody needs any more", .endsInTime) struct LifetimeTests {
    @Test("A server that was asked and forgotten is gone, with its threads")
    func forgotten() async throws {
        weak var server: LabServer?
        weak var workers: WorkerThreads?
        do {
            let fixture = try ServerFixture { $0.hasLabPowers = true }
            (server, workers) = (fixture.server, fixture.server.workers)
            try await fixture.run { client in _ = try await client.backOffice("application/list", [:]) }
        }
        #expect(server == nil)
        #expect(workers == nil)
    }

    @Test("A server that was never asked is gone too")
    func unused() throws {
        weak var workers: WorkerThreads?
        do {
            let fixture = try ServerFixture()
            workers = fixture.server.workers
        }
        #expect(workers == nil)
    }
}
