// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import WatchConnectivity

/// Records the calls of a session, and lets a test wait for them.
private final class Recorder: NSObject, WCSessionDelegate, @unchecked Sendable {
    // Sendable is safe: `lock` guards the list.
    private let lock = NSLock()
    private let news = DispatchSemaphore(value: 0)
    private var entries: [String] = []
    private var look: (@Sendable () -> String)?

    /// Notes what is seen from within the handler of each transfer.
    func whileHandling(_ look: @escaping @Sendable () -> String) { lock.withLock { self.look = look } }

    var log: [String] { lock.withLock { entries } }

    func note(_ entry: String) {
        lock.withLock { entries.append(entry) }
        news.signal()
    }

    /// Waits until `count` entries have come.
    func wait(for count: Int) async throws -> [String] {
        try await onThread { [self] in
            while log.count < count { news.wait() }
            return log
        }
    }

    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) {
        note("activated \(activationState.rawValue) \(error.map { ($0 as NSError).code } ?? 0)")
    }

    func sessionReachabilityDidChange(_ session: WCSession) { note("reachable \(session.isReachable)") }
    func sessionCompanionAppInstalledDidChange(_ session: WCSession) {
        note("companion \(session.isCompanionAppInstalled)")
    }
    func sessionWatchStateDidChange(_ session: WCSession) {
        note("watch \(session.isPaired) \(session.isWatchAppInstalled)")
    }
    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
        note("info \(userInfo["n"] ?? "")")
        if let look = lock.withLock({ look }) { note(look()) }
    }
    func session(_ session: WCSession, didReceiveMessageData messageData: Data) { note("data \([UInt8](messageData))") }
    func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        note("question \([UInt8](messageData))")
        replyHandler(Data([9]))
    }
    func session(_ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?) {
        note("finished \(error.map { ($0 as NSError).code } ?? 0) \(userInfoTransfer.isTransferring)")
    }
}

/// A delegate with no more than it must have.
private final class SilentDelegate: WCSessionDelegate {
    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) {}
}

/// A delegate whose replies are too large.
private final class TalkativeDelegate: WCSessionDelegate {
    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) {}

    func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        replyHandler(Data(count: 65_537))
    }
}

extension WCSession {
    /// Blocks until everything that was brought has gone to the delegate.
    fileprivate func waitForDelegate() { queue.sync {} }
}

@Suite("WCSession", .endsInTime)
struct WCSessionTests {
    private let reachable = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true, isReachable: true)

    private func activated(
        _ state: WatchCounterpartState, isWatch: Bool = false
    ) async throws -> (WCSession, FakeBackend, Recorder) {
        let backend = FakeBackend(isWatch: isWatch)
        let session = WCSession(backend: backend)
        let recorder = Recorder()
        session.delegate = recorder
        backend.bring(.activated(state, outstanding: []))
        _ = try await recorder.wait(for: state.isReachable ? 2 : 1)
        return (session, backend, recorder)
    }

    /// The code of the error that a data message gets.
    private func code(_ session: WCSession, _ data: Data = Data([1])) async -> Int {
        await withCheckedContinuation { done in
            session.sendMessageData(data, replyHandler: { _ in done.resume(returning: 0) }) { error in
                done.resume(returning: (error as NSError).domain == WCErrorDomain ? (error as NSError).code : -1)
            }
        }
    }

    @Test(
        arguments: [
            (WCError.Code.genericError, "unknown reason"), (.sessionNotSupported, "does not support"),
            (.sessionMissingDelegate, "no delegate"), (.sessionNotActivated, "not activated"),
            (.deviceNotPaired, "No watch is paired"), (.watchAppNotInstalled, "watch app is not installed"),
            (.notReachable, "not reachable"), (.invalidParameter, "parameter"), (.payloadTooLarge, "larger than"),
            (.payloadUnsupportedTypes, "property list cannot hold"), (.messageReplyFailed, "could not reply"),
            (.messageReplyTimedOut, "did not reply in time"), (.fileAccessDenied, "cannot read the file"),
            (.deliveryFailed, "could not be delivered"), (.insufficientSpace, "no room"),
            (.sessionInactive, "is inactive"), (.transferTimedOut, "not acknowledged in time"),
            (.companionAppNotInstalled, "companion app is not installed"), (.watchOnlyApp, "no companion app"),
        ])
    func `Each error has a description`(code: WCError.Code, words: String) {
        #expect(code.localizedDescription.contains(words))
    }

    @Test func `Activation needs a delegate, and is reported before anything else`() async throws {
        let backend = FakeBackend()
        let session = WCSession(backend: backend)
        session.activate()
        #expect(backend.log.isEmpty)
        let recorder = Recorder()
        session.delegate = recorder
        session.activate()
        #expect(backend.log == ["activate"])
        #expect(session.activationState == .notActivated)
        backend.bring(.activated(reachable, outstanding: []))
        #expect(try await recorder.wait(for: 2) == ["activated 2 0", "reachable true"])
        #expect(session.activationState == .activated && session.isPaired && session.isWatchAppInstalled)
    }

    @Test func `The delegate is notified when reachability changes, and only then`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        let absent = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true)
        backend.bring(.changed(absent))
        #expect(try await recorder.wait(for: 3) == ["activated 2 0", "reachable true", "reachable false"])
        #expect(!session.isReachable)
        backend.bring(.changed(absent))
        backend.bring(.changed(reachable))
        #expect(try await recorder.wait(for: 4).dropFirst(3) == ["reachable true"])
    }

    @Test func `Errors come in the documented order, each with its code`() async throws {
        #expect(await code(WCSession(backend: FakeBackend(isSupported: false))) == 7002)
        let session = WCSession(backend: FakeBackend())
        #expect(await code(session) == 7003)
        let recorder = Recorder()
        session.delegate = recorder
        #expect(await code(session) == 7004)
        let forgotten = try await activated(WatchCounterpartState()).0
        // The thread that waited for the delegate's news may be the last to let go of it.
        while forgotten.delegate != nil { await Task.yield() }
        #expect(await code(forgotten) == 7003, "the delegate is held weakly")
        let (unpaired, _, first) = try await activated(WatchCounterpartState())
        #expect(await code(unpaired) == 7005)
        let (missing, _, second) = try await activated(WatchCounterpartState(isPaired: true))
        #expect(await code(missing) == 7006)
        let (watch, _, third) = try await activated(WatchCounterpartState(isPaired: true), isWatch: true)
        #expect(await code(watch) == 7018)
        let absent = WatchCounterpartState(isPaired: true, isCounterpartInstalled: true)
        let (away, _, fourth) = try await activated(absent)
        #expect(await code(away) == 7007)
        #expect(await code(away, Data(count: 65_537)) == 7009, "the content is looked at before the distance")
        let (large, backend, fifth) = try await activated(reachable)
        #expect(await code(large, Data(count: 65_537)) == 7009)
        large.sendMessageData(Data(count: 65_536), replyHandler: nil)
        #expect(backend.messages.count == 1)
        withExtendedLifetime([recorder, first, second, third, fourth, fifth]) {}
    }

    @Test func `A dictionary with values that are not a property list is refused with 7010`() async throws {
        let (session, _, recorder) = try await activated(reachable)
        let code = await withCheckedContinuation { done in
            session.sendMessage(["x": recorder], replyHandler: nil) { done.resume(returning: ($0 as NSError).code) }
        }
        #expect(code == 7010)
    }

    @Test func `An error can be asked for as 'WCError', caught by its name, and read as 'NSError'`() async throws {
        let session = WCSession(backend: FakeBackend(isSupported: false))
        let error = await withCheckedContinuation { (done: CheckedContinuation<any Error, Never>) in
            session.sendMessage([:], replyHandler: nil) { done.resume(returning: $0) }
        }
        #expect((error as? WCError)?.code == .sessionNotSupported)
        #expect((error as NSError).domain == WCErrorDomain && (error as NSError).code == 7002)
        #expect(error.localizedDescription == WCError.Code.sessionNotSupported.localizedDescription)
        do {
            try session.updateApplicationContext([:])
            Issue.record("a device without a session takes no context")
        } catch WCError.notReachable {
            Issue.record("the wrong name matches")
        } catch WCError.sessionNotSupported {}
    }

    @Test
    func `The watch is notified when the phone's app starts or ends, the phone when the watch or its app does`()
        async throws
    {
        let (watchSession, watch, onWatch) = try await activated(reachable, isWatch: true)
        watch.bring(.changed(WatchCounterpartState(isPaired: true)))
        #expect(try await onWatch.wait(for: 4).dropFirst(2) == ["reachable false", "companion false"])
        let (phoneSession, phone, onPhone) = try await activated(reachable)
        phone.bring(.changed(WatchCounterpartState(isPaired: true)))
        #expect(try await onPhone.wait(for: 4).dropFirst(2) == ["reachable false", "watch true false"])
        // A session without references receives nothing more.
        withExtendedLifetime((watchSession, phoneSession)) {}
    }

    @Test func `A dictionary with a date that is not a number is refused as an invalid property list`() async throws {
        let (session, _, recorder) = try await activated(reachable)
        let code = await withCheckedContinuation { done in
            session.sendMessage(["x": Date(timeIntervalSince1970: .nan)], replyHandler: nil) {
                done.resume(returning: ($0 as NSError).code)
            }
        }
        #expect(code == 7010)
        withExtendedLifetime(recorder) {}
    }

    @Test func `Exactly one of the two handlers runs`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        let answer = await withCheckedContinuation { done in
            session.sendMessageData(Data([1]), replyHandler: { done.resume(returning: $0) }) { _ in
                Issue.record("the error handler ran as well")
            }
            let id = backend.messages[0].messageId
            backend.bring(.reply(messageId: id, body: Data([5]), isPropertyList: false))
            backend.bring(.reply(messageId: id, body: Data([6]), isPropertyList: false))
            backend.bring(.failed(messageId: id, code: 7012))
        }
        #expect(answer == Data([5]))
        withExtendedLifetime(recorder) {}
    }

    @Test func `Messages and transfers reach the delegate in the order in which they arrived`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        func info(_ number: Int) throws -> Data {
            try PropertyListSerialization.data(fromPropertyList: ["n": number], format: .binary, options: 0)
        }
        backend.bring(.userInfo(transferId: UUID(), body: try info(1), hasMore: false))
        let question = LiveMessage(messageId: UUID(), body: Data([2]), isPropertyList: false, expectsReply: true)
        backend.bring(.message(question))
        let statement = LiveMessage(messageId: UUID(), body: Data([3]), isPropertyList: false, expectsReply: false)
        backend.bring(.message(statement))
        #expect(try await recorder.wait(for: 5).suffix(3) == ["info 1", "question [2]", "data [3]"])
        #expect(backend.log.contains("delivered") && backend.log.contains("reply [9]"))
        withExtendedLifetime(session) {}
    }

    @Test
    func `A question that the delegate has no method for is refused with 7014, a reply that is too large with 7009`()
        async throws
    {
        let backend = FakeBackend()
        let session = WCSession(backend: backend)
        let silent = SilentDelegate()
        session.delegate = silent
        backend.bring(.activated(reachable, outstanding: []))
        let question = LiveMessage(messageId: UUID(), body: Data(), isPropertyList: false, expectsReply: true)
        backend.bring(.message(question))
        try await onThread { session.waitForDelegate() }
        #expect(backend.log == ["acknowledge", "refuse 7014"])
        let talkative = TalkativeDelegate()
        session.delegate = talkative
        backend.bring(.message(question))
        try await onThread { session.waitForDelegate() }
        #expect(backend.log.last == "refuse 7009")
        withExtendedLifetime([silent, talkative] as [AnyObject]) {}
    }

    @Test func `Content is pending while more transfers wait, and a context until the delegate has it`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        #expect(!session.hasContentPending)
        backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: true))
        try await onThread { session.waitForDelegate() }
        #expect(session.hasContentPending)
        backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: false))
        try await onThread { session.waitForDelegate() }
        #expect(!session.hasContentPending)
        withExtendedLifetime(recorder) {}
    }

    @Test
    func `A session has its own context and the received one from earlier processes, and reports neither as new`()
        async throws
    {
        let (session, backend, recorder) = try await activated(reachable)
        let body = { (number: Int) in
            try PropertyListSerialization.data(fromPropertyList: ["n": number], format: .binary, options: 0)
        }
        backend.bring(.ownContext(try body(1)))
        backend.bring(.context(try body(2), news: nil))
        try await onThread { session.waitForDelegate() }
        #expect(session.applicationContext["n"] as? Int == 1)
        #expect(session.receivedApplicationContext["n"] as? Int == 2)
        #expect(recorder.log == ["activated 2 0", "reachable true"])
    }

    @Test func `The end of a transfer is confirmed once the delegate has it`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        _ = session.transferUserInfo(["n": 1])
        backend.bring(.transferFinished(transferId: backend.transfers[0], content: .userInfo(Data()), code: nil))
        try await onThread { session.waitForDelegate() }
        #expect(backend.log.last == "told")
        let deaf = FakeBackend()
        let orphan = WCSession(backend: deaf)
        deaf.bring(.transferFinished(transferId: UUID(), content: .userInfo(Data()), code: nil))
        try await onThread { orphan.waitForDelegate() }
        #expect(deaf.log == [], "without a delegate it is not acknowledged")
        withExtendedLifetime(recorder) {}
    }

    @Test func `A transfer is outstanding until its end is reported`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        let transfer = session.transferUserInfo(["n": 1])
        #expect(transfer.isTransferring)
        #expect(session.outstandingUserInfoTransfers == [transfer])
        backend.bring(.transferFinished(transferId: backend.transfers[0], content: .userInfo(Data()), code: nil))
        #expect(try await recorder.wait(for: 3).last == "finished 0 false")
        #expect(session.outstandingUserInfoTransfers.isEmpty)
    }

    @Test
    func `A transfer is confirmed after its handler, so that it is delivered again if the app crashes there`()
        async throws
    {
        let (session, backend, recorder) = try await activated(reachable)
        recorder.whileHandling { backend.log.contains("delivered") ? "confirmed" : "not confirmed" }
        backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: false))
        #expect(try await recorder.wait(for: 4).last == "not confirmed")
        withExtendedLifetime(session) {}
    }

    @Test func `The reply to a question that was acknowledged reaches its handler`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        session.sendMessageData(Data([1]), replyHandler: { recorder.note("reply \([UInt8]($0))") })
        let id = backend.messages[0].messageId
        backend.bring(.acknowledged(messageId: id))
        backend.bring(.reply(messageId: id, body: Data([5]), isPropertyList: false))
        // Comes after the reply, if there is one.
        backend.bring(.userInfo(transferId: UUID(), body: Data(), hasMore: false))
        #expect(try await recorder.wait(for: 3)[2] == "reply [5]")
    }

    @Test func `Another activation lists no transfer twice`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        let transfer = session.transferUserInfo(["n": 1])
        backend.bring(
            .activated(
                reachable, outstanding: [OwnTransfer(transferId: backend.transfers[0], content: .userInfo(Data()))]))
        _ = try await recorder.wait(for: 4)
        #expect(session.outstandingUserInfoTransfers == [transfer])
    }

    @Test func `A refused transfer is returned ended, and the delegate gets the reason`() async throws {
        let (session, backend, recorder) = try await activated(reachable)
        #expect(!session.transferUserInfo(["x": recorder]).isTransferring)
        #expect(try await recorder.wait(for: 3).last == "finished 7010 false")
        backend.refuseTransfers(code: 7006)
        #expect(!session.transferUserInfo(["n": 1]).isTransferring)
        #expect(try await recorder.wait(for: 4).last == "finished 7006 false")
        let missing = try await activated(WatchCounterpartState(isPaired: true)).0
        missing.delegate = recorder
        #expect(!missing.transferUserInfo(["x": recorder]).isTransferring)
        #expect(try await recorder.wait(for: 5).last == "finished 7006 false", "the app is missing, with any content")
        let inactive = WCSession(backend: FakeBackend())
        inactive.delegate = recorder
        #expect(!inactive.transferUserInfo().isTransferring)
        #expect(try await recorder.wait(for: 6).last == "finished 7004 false")
    }
}
