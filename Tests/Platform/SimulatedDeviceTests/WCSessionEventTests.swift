// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WatchConnectivity

@Suite("WCSession: events of the system", .endsInTime)
struct WCSessionEventTests {
    private let reachable = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true, isReachable: true)

    private func list(_ number: Int) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: ["n": number], format: .binary, options: 0)
    }

    /// A session with its backend and its delegate; the delegate has seen the activation.
    private func activated(
        _ state: WatchCounterpartState? = nil, isWatch: Bool = false
    ) throws -> (session: WCSession, backend: FakeBackend, delegate: EchoDelegate) {
        let backend = FakeBackend(isWatch: isWatch)
        let session = WCSession(backend: backend)
        let delegate = EchoDelegate()
        session.delegate = delegate
        backend.bring(.activated(state ?? reachable, outstanding: []))
        session.queue.sync {}
        _ = delegate.news()
        return (session, backend, delegate)
    }

    @Test(arguments: [false, true], [false, true])
    func `A message that finds no delegate is refused with 7014, and not acknowledged before`(
        isPropertyList: Bool, expectsReply: Bool
    ) throws {
        let backend = FakeBackend()
        let session = WCSession(backend: backend)
        let id = UUID()
        backend.bring(
            .message(
                LiveMessage(
                    messageId: id, body: try list(1), isPropertyList: isPropertyList, expectsReply: expectsReply)))
        session.queue.sync {}
        #expect(backend.log == ["refuse 7014"] && backend.about == [id] && !session.hasContentPending)
    }

    @Test
    func `What finds no delegate is not reported as seen: the end of a transfer, a context, a user info, and a file`()
        throws
    {
        let backend = FakeBackend()
        let session = WCSession(backend: backend)
        backend.bring(.context(try list(1), news: UUID()))
        backend.bring(.transferFinished(transferId: UUID(), content: .userInfo(Data()), code: nil))
        backend.bring(.userInfo(transferId: UUID(), body: try list(2), hasMore: false))
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.bin"
        try Data([9]).write(to: URL(fileURLWithPath: path))
        backend.bring(.file(transferId: UUID(), WatchFile(path: path, size: 1), hasMore: false))
        session.queue.sync {}
        #expect(backend.log.isEmpty && !session.hasContentPending)
        #expect(FileManager.default.fileExists(atPath: path), "the next process gets it")
        #expect(session.receivedApplicationContext["n"] as? Int == 1)
    }

    @Test func `Each form of a message has its own call, and its reply has the same form`() throws {
        let (session, backend, delegate) = try activated()
        let rows: [(isPropertyList: Bool, expectsReply: Bool, call: String)] = [
            (false, false, "data [7]"), (false, true, "data question [7]"), (true, false, "message 7"),
            (true, true, "question 7"),
        ]
        for (isPropertyList, expectsReply, call) in rows {
            let message = LiveMessage(
                messageId: UUID(), body: isPropertyList ? try list(7) : Data([7]), isPropertyList: isPropertyList,
                expectsReply: expectsReply)
            backend.bring(.message(message))
            session.queue.sync {}
            #expect(delegate.news() == [call])
            #expect(backend.about.last == message.messageId && !session.hasContentPending)
            guard expectsReply else { continue }
            #expect(backend.replies.last?.messageId == message.messageId)
            #expect(backend.replies.last?.body == message.body)
            #expect(backend.replies.last?.isPropertyList == isPropertyList)
        }
        #expect(backend.replies.count == 2 && backend.log.count == 6, "each was acknowledged once")
    }

    @Test func `Changes of the counterpart are reported by what has changed, on a phone and on a watch`() throws {
        let base = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true)
        func changed(_ change: (inout WatchCounterpartState) -> Void) -> WatchCounterpartState {
            var state = base
            change(&state)
            return state
        }
        let rows: [(WatchCounterpartState, onPhone: [String], onWatch: [String])] = [
            (base, [], []), (changed { $0.isPaired = false }, ["watch"], []),
            (changed { $0.isCounterpartInstalled = false }, ["watch"], ["companion"]),
            (changed { $0.isReachable = true }, ["reachability"], ["reachability"]),
            (changed { $0.isComplicationEnabled = true }, ["watch"], []),
            (changed { $0.remainingComplicationTransfers = 3 }, [], []),
            (changed { $0.needsUnlock = true }, [], []),
            (
                changed {
                    $0.isReachable = true
                    $0.isCounterpartInstalled = false
                }, ["reachability", "watch"], ["reachability", "companion"]
            ),
        ]
        for (state, onPhone, onWatch) in rows {
            for isWatch in [false, true] {
                let (session, backend, delegate) = try activated(base, isWatch: isWatch)
                backend.bring(.changed(state))
                session.queue.sync {}
                #expect(delegate.news() == (isWatch ? onWatch : onPhone), "\(state)")
                #expect(session.iOSDeviceNeedsUnlockAfterRebootForReachability == state.needsUnlock)
                #expect(session.isReachable == state.isReachable && session.isPaired == state.isPaired)
                #expect(session.isComplicationEnabled == state.isComplicationEnabled)
                #expect(session.remainingComplicationUserInfoTransfers == state.remainingComplicationTransfers)
                backend.bring(.changed(state))
                session.queue.sync {}
                #expect(delegate.news().isEmpty, "nothing has changed")
            }
        }
    }

    @Test func `Without activation a session shows nothing of its counterpart, whatever it knows`() throws {
        var all = reachable
        all.needsUnlock = true
        all.isComplicationEnabled = true
        all.remainingComplicationTransfers = 3
        all.isInactive = true
        let (session, backend, _) = try activated(all)
        #expect(session.activationState == .inactive && !session.isPaired && !session.isWatchAppInstalled)
        #expect(!session.isReachable && !session.isComplicationEnabled && !session.isCompanionAppInstalled)
        #expect(session.remainingComplicationUserInfoTransfers == 0)
        all.isInactive = false
        backend.bring(.activated(all, outstanding: []))
        #expect(session.isPaired && session.isWatchAppInstalled && session.isCompanionAppInstalled)
        #expect(session.isReachable && session.remainingComplicationUserInfoTransfers == 3)
    }

    @Test func `A failed activation is reported with its code, also with one that has no name`() throws {
        let (session, backend, delegate) = try activated()
        for code in [7004, 7999] { backend.bring(.activationFailed(code: code)) }
        session.queue.sync {}
        #expect(delegate.news() == ["activated 2 7004", "activated 2 7999"])
        let unknown = WCError.reported(7999) as NSError
        #expect(unknown.domain == WCErrorDomain && unknown.localizedDescription.contains("unknown reason"))
        #expect(WCError.reported(7007) as? WCError == WCError(.notReachable))
    }

    @Test func `A message without a reply handler is over when it is acknowledged; one with a handler is not`() throws {
        let (session, backend, delegate) = try activated()
        let failures = Mutex<[String]>([])
        func failed(_ name: String) -> (any Error) -> Void { { _ in failures.withLock { $0.append(name) } } }
        session.sendMessageData(Data([1]), replyHandler: nil, errorHandler: failed("statement"))
        session.sendMessageData(Data([2]), replyHandler: { _ in }, errorHandler: failed("question"))
        session.sendMessage(["n": 3], replyHandler: nil, errorHandler: failed("dictionary"))
        #expect(backend.messages.map(\.expectsReply) == [false, true, false])
        #expect(backend.messages.map(\.isPropertyList) == [false, false, true])
        #expect(try backend.messages.map(\.body) == [Data([1]), Data([2]), list(3)])
        for message in backend.messages.prefix(2) { backend.bring(.acknowledged(messageId: message.messageId)) }
        for message in backend.messages { backend.bring(.failed(messageId: message.messageId, code: 7014)) }
        session.queue.sync {}
        #expect(failures.withLock { $0 } == ["question", "dictionary"])
        #expect(delegate.news().isEmpty)
    }

    @Test
    func `A context is the session's own once the system has taken it, and the last one is kept otherwise`() throws {
        let (session, backend, delegate) = try activated()
        try session.updateApplicationContext(["n": 1])
        backend.refuseContexts(code: 7015)
        #expect(throws: WCError(.insufficientSpace)) { try session.updateApplicationContext(["n": 2]) }
        #expect(try backend.contexts == [list(1), list(2)])
        #expect(session.applicationContext["n"] as? Int == 1)
        backend.refuseContexts(code: nil)
        #expect(throws: WCError(.payloadUnsupportedTypes)) {
            try session.updateApplicationContext(["n": NSObject()])
        }
        #expect(backend.contexts.count == 2 && session.applicationContext["n"] as? Int == 1)
        // The session holds it weakly, and without one it refuses everything.
        withExtendedLifetime(delegate) {}
    }

    @Test func `A received context is pending until the delegate has it; with the watch its contexts go`() throws {
        let (session, backend, delegate) = try activated()
        let news = UUID()
        backend.bring(.ownContext(try list(1)))
        backend.bring(.context(try list(2), news: news))
        session.queue.sync {}
        #expect(delegate.news() == ["context 2 true"] && !session.hasContentPending)
        #expect(backend.log == ["context told"] && backend.about == [news])
        backend.bring(.userInfo(transferId: UUID(), body: try list(3), hasMore: true))
        backend.bring(.becameInactive)
        backend.bring(.deactivated)
        session.queue.sync {}
        #expect(delegate.news() == ["info 3", "inactive", "deactivated 0"])
        #expect(session.applicationContext.isEmpty && session.receivedApplicationContext.isEmpty)
        #expect(!session.hasContentPending && session.activationState == .notActivated)
    }

    @Test
    func `Transfers that the system still has come before those of this process, each once, as they were`() throws {
        let (session, backend, delegate) = try activated()
        let own = session.transferUserInfo(["n": 1])
        let (older, file) = (UUID(), UUID())
        backend.bring(
            .activated(
                reachable,
                outstanding: [
                    OwnTransfer(transferId: older, content: .userInfo(try list(7), isComplication: true)),
                    OwnTransfer(transferId: backend.transfers[0], content: .userInfo(try list(1))),
                    OwnTransfer(transferId: file, content: .file(WatchFile(path: "/x/a", size: 9)), sent: 4),
                ]))
        let transfers = session.outstandingUserInfoTransfers
        #expect(transfers.map(\.transferId) == [older, own.transferId] && transfers.last === own)
        #expect(transfers.map(\.isCurrentComplicationInfo) == [true, false])
        #expect(transfers.first?.userInfo["n"] as? Int == 7 && transfers.first?.isTransferring == true)
        let files = session.outstandingFileTransfers
        #expect(files.map(\.transferId) == [file] && files.first?.isTransferring == true)
        #expect(files.first?.progress.totalUnitCount == 9 && files.first?.progress.completedUnitCount == 4)
        #expect(files.first?.file.fileURL.path == "/x/a")
        transfers.first?.cancel()
        files.first?.cancel()
        #expect(backend.log == ["cancel", "cancel"] && backend.about == [older, file])
        withExtendedLifetime(delegate) {}
    }
}
