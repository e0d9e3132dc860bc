// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import WatchConnectivity

/// Records the calls of a session about files and watches; moves files away on request.
private final class FileDelegate: NSObject, WCSessionDelegate, @unchecked Sendable {
    // Sendable is safe: `lock` guards what changes.
    private let lock = NSLock()
    private var entries: [String] = []
    let target: URL?

    init(movingTo target: URL? = nil) { self.target = target }

    var log: [String] { lock.withLock { entries } }

    private func note(_ entry: String) { lock.withLock { entries.append(entry) } }

    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) { note("activated \(activationState.rawValue)") }
    func sessionDidBecomeInactive(_ session: WCSession) { note("inactive \(session.activationState.rawValue)") }
    func sessionDidDeactivate(_ session: WCSession) { note("deactivated \(session.activationState.rawValue)") }
    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) { note("info") }
    func session(_ session: WCSession, didReceive file: WCSessionFile) {
        let content = (try? Data(contentsOf: file.fileURL)) ?? Data()
        note("file \(file.fileURL.lastPathComponent) \([UInt8](content)) \(file.metadata?["n"] ?? "")")
        if let target { try? FileManager.default.moveItem(at: file.fileURL, to: target) }
    }
    func session(_ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?) {
        let code = (error as? WCError)?.errorCode ?? 0
        note("finished \(fileTransfer.file.fileURL.lastPathComponent) \(code) \(fileTransfer.isTransferring)")
    }
    func session(_ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?) {
        note("finished info \((error as? WCError)?.errorCode ?? 0)")
    }
}

@Suite("WCSession: files, complications, several watches", .endsInTime)
struct WCSessionTransferTests {
    private let reachable = WatchCounterpartState(
        isPaired: true, isCounterpartInstalled: true, isReachable: true, isComplicationEnabled: true,
        remainingComplicationTransfers: 1)

    /// Runs a test with an activated session, and gives the log of its delegate.
    private func log(
        of delegate: FileDelegate = FileDelegate(), isWatch: Bool = false,
        _ body: (WCSession, FakeBackend) throws -> Void
    ) async throws -> [String] {
        let backend = FakeBackend(isWatch: isWatch)
        let session = WCSession(backend: backend)
        session.delegate = delegate
        backend.bring(.activated(reachable, outstanding: []))
        try body(session, backend)
        try await onThread { session.queue.sync {} }
        return Array(delegate.log.dropFirst())
    }

    private func metadata() throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: ["n": 7], format: .binary, options: 0)
    }

    @Test
    func `A transfer that has ended before its sender looks was taken, and one that the system refused was not`()
        async throws
    {
        let log = try await log { session, backend in
            let ended = session.transferUserInfo(["n": 1])
            backend.bring(.transferFinished(transferId: backend.transfers[0], content: backend.contents[0], code: nil))
            session.queue.sync {}
            #expect(!ended.isTransferring && ended.wasAccepted)
            backend.refuseTransfers(code: WCError.Code.insufficientSpace.rawValue)
            let refused = session.transferUserInfo(["n": 2])
            #expect(!refused.isTransferring && !refused.wasAccepted)
        }
        #expect(log == ["finished info 0", "finished info \(WCError.Code.insufficientSpace.rawValue)"])
    }

    @Test
    func `A file that has ended before its sender looks was taken, and one that the system refused was not`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/a.bin")
        try Data([1]).write(to: file)
        _ = try await log { session, backend in
            let ended = session.transferFile(file, metadata: nil)
            backend.bring(.transferFinished(transferId: backend.transfers[0], content: backend.contents[0], code: nil))
            session.queue.sync {}
            #expect(!ended.isTransferring && ended.wasAccepted)
            backend.refuseTransfers(code: WCError.Code.insufficientSpace.rawValue)
            let refused = session.transferFile(file, metadata: nil)
            #expect(!refused.isTransferring && !refused.wasAccepted)
        }
    }

    /// A dictionary of a size as a binary property list.
    private func dictionary(of size: Int) throws -> [String: Any] {
        func encoded(_ count: Int) throws -> Int {
            try PropertyListSerialization.data(
                fromPropertyList: ["x": Data(count: count)], format: .binary, options: 0
            ).count
        }
        // The lengths and offsets in the list are as wide as numbers of this size need.
        let frame = try encoded(size - 100) - (size - 100)
        try #require(try encoded(size - frame) == size)
        return ["x": Data(count: size - frame)]
    }

    @Test(.verifies("size", "WatchContent.contextLimit", "WatchContent.messageLimit"), arguments: -1...1)
    func `A transfer, a context and a file of the maximum size are accepted; one byte more is not`(more: Int)
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/a.bin")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(16_777_216 + more))
        try handle.close()
        let message = try dictionary(of: 65_536 + more)
        let context = try dictionary(of: 262_144 + more)
        _ = try await log { session, backend in
            let taken = [
                session.transferUserInfo(message).wasAccepted,
                session.transferCurrentComplicationUserInfo(message).wasAccepted,
                session.transferFile(file, metadata: nil).wasAccepted,
                (try? session.updateApplicationContext(context)) != nil,
            ]
            #expect(taken == Array(repeating: more <= 0, count: 4))
            #expect(backend.contents.count == (more <= 0 ? 3 : 0))
        }
    }

    @Test
    func `A file is described to the system, advances, and is outstanding until its end is reported`() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/a.bin")
        try Data([1, 2, 3]).write(to: file)
        var confirmed: [String] = []
        let log = try await log { session, backend in
            let transfer = session.transferFile(file, metadata: ["n": 7])
            #expect(transfer.isTransferring && session.outstandingFileTransfers == [transfer])
            let described = WatchFile(path: file.path, size: 3, metadata: try metadata())
            #expect(backend.contents == [.file(described)])
            #expect(transfer.progress.totalUnitCount == 3 && transfer.progress.completedUnitCount == 0)
            backend.bring(.transferProgressed(transferId: backend.transfers[0], sent: 2))
            session.queue.sync {}
            #expect(transfer.progress.completedUnitCount == 2)
            transfer.cancel()
            backend.bring(.transferFinished(transferId: backend.transfers[0], content: backend.contents[0], code: nil))
            session.queue.sync {}
            #expect(transfer.progress.completedUnitCount == 3 && session.outstandingFileTransfers.isEmpty)
            confirmed = backend.log
        }
        #expect(log == ["finished a.bin 0 false"])
        #expect(confirmed == ["cancel", "told"])
    }

    @Test
    func `An unreadable file is refused with 7008 or 7013, metadata as any dictionary, and the system may refuse`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/a.bin")
        try Data([1]).write(to: file)
        let web = try #require(URL(string: "https://example.com/a.bin"))
        let log = try await log { session, backend in
            #expect(!session.transferFile(web, metadata: nil).isTransferring)
            session.transferFile(URL(fileURLWithPath: directory.path), metadata: nil)
            session.transferFile(file.appendingPathExtension("missing"), metadata: nil)
            session.transferFile(file, metadata: ["x": NSObject()])
            session.transferFile(file, metadata: ["x": Data(count: 65_537)])
            #expect(backend.contents.isEmpty)
            backend.refuseTransfers(code: 7006)
            #expect(!session.transferFile(file, metadata: nil).isTransferring)
            #expect(session.outstandingFileTransfers.isEmpty)
        }
        #expect(log.map { $0.split(separator: " ")[2] } == ["7008", "7013", "7013", "7010", "7009", "7006"])
    }

    @Test
    func `A file that arrives is there while the delegate looks, and is deleted unless it was moved`() async throws {
        for isMoved in [false, true] {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/a.bin"
            let target = URL(fileURLWithPath: directory.path + "/kept.bin")
            try Data([9]).write(to: URL(fileURLWithPath: path))
            var delivered: [String] = []
            let log = try await log(of: FileDelegate(movingTo: isMoved ? target : nil)) { session, backend in
                let file = WatchFile(path: path, size: 1, metadata: try metadata())
                backend.bring(.file(transferId: UUID(), file, hasMore: false))
                session.queue.sync {}
                delivered = backend.log
            }
            #expect(log == ["file a.bin [9] 7"] && delivered == ["delivered"])
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(FileManager.default.fileExists(atPath: target.path) == isMoved)
        }
    }

    @Test func `There is one current content for the complication, as long as the budget lasts`() async throws {
        _ = try await log { session, backend in
            #expect(session.isComplicationEnabled && session.remainingComplicationUserInfoTransfers == 1)
            let first = session.transferCurrentComplicationUserInfo(["n": 1])
            #expect(first.isCurrentComplicationInfo)
            let second = session.transferCurrentComplicationUserInfo(["n": 2])
            #expect(!first.isCurrentComplicationInfo && second.isCurrentComplicationInfo)
            var spent = reachable
            spent.remainingComplicationTransfers = 0
            backend.bring(.changed(spent))
            let third = session.transferCurrentComplicationUserInfo(["n": 3])
            #expect(!third.isCurrentComplicationInfo && second.isCurrentComplicationInfo)
            let flags = backend.contents.map { content in
                if case .userInfo(_, let isComplication) = content { isComplication } else { false }
            }
            #expect(flags == [true, true, false])
        }
    }

    @Test
    func `Between two watches the session is inactive, gets what is left, is deactivated, and refuses all sends`()
        async throws
    {
        let log = try await log { session, backend in
            session.transferUserInfo(["n": 1])
            backend.bring(.becameInactive)
            #expect(session.activationState == .inactive && !session.isReachable && !session.isPaired)
            backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: false))
            session.transferUserInfo(["n": 2])
            session.queue.sync {}
            backend.bring(.deactivated)
            #expect(session.activationState == .notActivated && session.outstandingUserInfoTransfers.isEmpty)
            session.transferUserInfo(["n": 3])
            session.queue.sync {}
            backend.bring(.activated(reachable, outstanding: []))
        }
        #expect(
            log == [
                "inactive 1", "info", "finished info 7016", "deactivated 0", "finished info 7004", "activated 2",
            ])
    }

    @Test func `An app that starts while data of another watch wait is activated as inactive`() async throws {
        var waiting = reachable
        waiting.isInactive = true
        let backend = FakeBackend()
        let session = WCSession(backend: backend)
        let delegate = FileDelegate()
        session.delegate = delegate
        backend.bring(.activated(waiting, outstanding: []))
        try await onThread { session.queue.sync {} }
        #expect(delegate.log == ["activated 1"] && session.activationState == .inactive)
    }
}

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
        .message(LiveMessage(messageId: UUID(), body: body, isPropertyList: isPropertyList, expectsReply: expectsReply))
    }

    @Test(arguments: [false, true])
    func `Questions are refused with 7014, and everything else counts as seen`(isWatch: Bool) throws {
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
