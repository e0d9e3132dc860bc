import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Release of an unused server", .endsInTime) struct LifetimeTests {
    /// The remaining objects of a server.
    private struct ServerRemains: LeakTracker, @unchecked Sendable {
        // Safe: weak references are read atomically, and nothing is written after the initialiser.
        weak var server: LabServer?
        weak var workers: WorkerThreads?

        var left: [String] {
            [("server", server != nil), ("workers", workers != nil)].filter(\.1).map(\.0)
        }
    }

    @Test("A released server that has answered requests ends with its threads")
    func forgotten() async throws {
        let remains = try await Self.asked()
        let left = try await onThread { remains.leftAfterWaiting() }
        #expect(left == [])
    }

    private static func asked() async throws -> ServerRemains {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        let remains = ServerRemains(server: fixture.server, workers: fixture.server.workers)
        try await fixture.run { client in _ = try await client.backOffice("application/list", [:]) }
        return remains
    }

    @Test("A released server without requests ends, too")
    func unused() async throws {
        let remains = try Self.never()
        let left = try await onThread { remains.leftAfterWaiting() }
        #expect(left == [])
    }

    private static func never() throws -> ServerRemains {
        let fixture = try ServerFixture()
        return ServerRemains(server: fixture.server, workers: fixture.server.workers)
    }

    @Test("A server that is stopped before it runs ends without listening, and says that it has stopped")
    func stoppedBefore() async throws {
        let fixture = try ServerFixture()
        fixture.server.stop()
        try await fixture.server.run { _ in Issue.record("the server listens") }
        fixture.server.noteStop()
        let stops = fixture.journal.events.count { if case .stopped = $0.event { true } else { false } }
        #expect(stops == 1)
    }
}
