import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Requests that fail before or after their work", .endsInTime)
struct FailedRequestTests {
    private struct Injected: Error {}

    /// Where the next request fails.
    private enum Place { case received, sent }

    @Test("A failure before the work prevents it, one after it only changes the answer; both are answered with 500")
    func failures() async throws {
        let place = OnePlace()
        let fixture = try ServerFixture(
            faults: ServerFaults(
                requestReceived: { _ in if place.take(.received) { throw Injected() } },
                responseSent: { _ in if place.take(.sent) { throw Injected() } }))
        try await fixture.run { client in
            for (failing, kept) in [(Place.received, 0), (Place.sent, 1)] {
                let count = fixture.journal.events.count
                place.set(failing)
                let answer = try await client.backOffice("activation/init", ["userId": "a", "applicationId": "lab"])
                #expect(answer.status == 500)
                let events = fixture.journal.events.dropFirst(count).map(\.event)
                let answered = events.filter {
                    if case .requestAnswered(_, _, 500, _) = $0 { true } else { false }
                }
                #expect(answered.count == 1, "\(events)")
                let list = try await client.backOffice("activation/list", ["userId": "a", "applicationId": "lab"])
                #expect(list.status == 200)
                #expect((list.text("activations.0.activationId") == nil) == (kept == 0), "\(failing)")
            }
        }
    }

    /// Any thread.
    private final class OnePlace: Sendable {
        private let next = Mutex<Place?>(nil)

        func set(_ place: Place) { next.withLock { $0 = place } }

        func take(_ place: Place) -> Bool {
            next.withLock { next in
                guard next == place else { return false }
                next = nil
                return true
            }
        }
    }
}
