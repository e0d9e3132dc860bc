import Dispatch
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import WatchConnectivity

/// What happens to the news of a session whose app handles none of it (watch.md, section 9).
@Suite("WCSession: a delegate without functions of its own", .endsInTime)
struct WCSessionDelegateTests {
    /// A delegate with no more than it must have.
    private final class PlainDelegate: WCSessionDelegate {
        func session(
            _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
            error: (any Error)?
        ) {}
    }

    private func message(_ body: Data, isPropertyList: Bool, expectsReply: Bool) -> WatchSessionEvent {
        .message(
            LiveMessage(messageId: UUID(), body: body, isPropertyList: isPropertyList, expectsReply: expectsReply))
    }

    @Test("Questions are refused with 7014, and everything else counts as seen", arguments: [false, true])
    func defaults(isWatch: Bool) throws {
        let directory = try TemporaryDirectory()
        let file = WatchFile(path: directory.file("a"), size: 1)
        try Data([1]).write(to: URL(fileURLWithPath: file.path))
        let list = try PropertyListSerialization.data(fromPropertyList: ["n": 1], format: .binary, options: 0)
        let known = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true, isReachable: true)
        let rows: [(WatchSessionEvent, log: [String])] = [
            (.activated(known, outstanding: []), []), (.changed(WatchCounterpartState()), []),
            (message(Data([1]), isPropertyList: false, expectsReply: false), ["acknowledge"]),
            (message(Data([1]), isPropertyList: false, expectsReply: true), ["acknowledge", "refuse 7014"]),
            (message(list, isPropertyList: true, expectsReply: false), ["acknowledge"]),
            (message(list, isPropertyList: true, expectsReply: true), ["acknowledge", "refuse 7014"]),
            (.context(list, news: UUID()), ["context told"]),
            (.transferFinished(transferId: UUID(), content: .userInfo(list), code: nil), ["told"]),
            (.transferFinished(transferId: UUID(), content: .file(file), code: 7014), ["told"]),
            (.userInfo(transferId: UUID(), body: list, hasMore: false), ["delivered"]),
            (.file(transferId: UUID(), file, hasMore: false), ["delivered"]), (.becameInactive, []),
            (.deactivated, []),
        ]
        let backend = FakeBackend(isWatch: isWatch)
        let (session, delegate) = (WCSession(backend: backend), PlainDelegate())
        session.delegate = delegate
        for (event, log) in rows {
            let before = backend.log.count
            backend.bring(event)
            session.queue.sync {}
            #expect(Array(backend.log.dropFirst(before)) == log, "\(event)")
        }
        #expect(!FileManager.default.fileExists(atPath: file.path), "a file that is not moved away is deleted")
        withExtendedLifetime(delegate) {}
    }
}
