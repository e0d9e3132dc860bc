// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import Synchronization
import TestSupport
import Testing
import WatchConnectivity

/// A handler that answers every packet of its target with success.
final class TestHandler: WatchPacketHandler {
    let target: String
    private let count = Mutex(0)
    var handled: Int { count.withLock { $0 } }

    init(target: String) { self.target = target }

    func accepts(target: String) -> Bool { target == self.target }

    func respond(to packet: WatchPacket, expectsReply: Bool) -> WatchResponse {
        count.withLock { $0 += 1 }
        return WatchResponse(WatchSuccessPayload())
    }
}

@Suite("The session manager routes and sends packets (watch.md, sections 4 and 12)", .endsInTime)
struct WatchManagerTests {
    private let transport = TestTransport()
    private let manager: PowerAuthWCSessionManager
    private let packet = WatchPacket(target: "session:i", payload: WatchStatusPayload(.get))

    init() { manager = PowerAuthWCSessionManager(transport: transport) }

    /// What the manager replied to data with a reply handler, how often, and whether it consumed them.
    private func receive(_ data: Data) -> (consumed: Bool, replies: [WatchPacket]) {
        var replies: [WatchPacket] = []
        let consumed = manager.processReceivedMessageData(data) { reply in
            if case .packet(let packet) = WatchPacket.read(reply) { replies.append(packet) }
        }
        return (consumed, replies)
    }

    @Test func `W1: messages of other protocols are ignored, and their reply handlers are not called`() {
        let outcome = receive(Data("something else entirely".utf8))
        #expect(!outcome.consumed)
        #expect(outcome.replies.isEmpty)
    }

    @Test func `W2 and W3: PowerAuth messages are consumed and answered exactly once, broken or not`() {
        for (data, text) in [
            (Data("PAwc1{broken json}".utf8), "Wrong packet received."),
            (WatchPacket(target: "*", payload: WatchSuccessPayload()).serialized(), "are not allowed."),
            (packet.serialized(), "Unable to handle request for target 'session:i'."),
        ] {
            let outcome = receive(data)
            #expect(outcome.consumed)
            #expect(outcome.replies.count == 1)
            #expect(outcome.replies.first?.error?.powerAuthErrorCode == .watchConnectivity)
            #expect(outcome.replies.first?.error?.localizedDescription.hasSuffix(text) == true)
            #expect(manager.processReceivedMessageData(data, replyHandler: nil))
        }
        #expect(transport.sent.isEmpty)
    }

    @Test func `W4: user info without our key, or with another type, is left alone`() {
        #expect(!manager.processReceivedUserInfo(["other": Data()]))
        #expect(!manager.processReceivedUserInfo([WatchPacket.userInfoKey: "text"]))
        #expect(!manager.processReceivedUserInfo([WatchPacket.userInfoKey: Data("short".utf8)]))
        #expect(manager.processReceivedUserInfo([WatchPacket.userInfoKey: packet.serialized()]))
    }

    @Test func `W8: the oldest live handler of a target answers; a dead one is forgotten`() {
        var first: TestHandler? = TestHandler(target: "session:i")
        let second = TestHandler(target: "session:i")
        manager.register(TestHandler(target: "session:i"))
        if let first { manager.register(first) }
        manager.register(second)
        #expect(manager.handlerCount == 2)
        #expect(receive(packet.serialized()).replies.first?.payload() == WatchSuccessPayload())
        #expect(first?.handled == 1)
        first = nil
        _ = receive(packet.serialized())
        #expect(second.handled == 1)
        #expect(manager.handlerCount == 1)
    }

    @Test func `W9: nothing is sent through a session that cannot be used`() async {
        transport.isUsable = false
        #expect(!manager.send(packet))
        #expect(transport.sent.isEmpty)
        #expect(PowerAuthWCSessionManager(transport: nil).send(packet) == false)
        let error = await sendAndWait()
        #expect(error?.localizedDescription == WatchError.sessionNotAvailable.message)
    }

    @Test func `W10: unreachable means one guaranteed transfer`() {
        transport.isReachable = false
        #expect(manager.send(packet))
        #expect(transport.sent == [.userInfo(packet.serialized())])
    }

    @Test func `Own transfers that wait are not overtaken`() {
        transport.hasOutstandingTransfers = true
        #expect(manager.send(packet))
        #expect(transport.sent == [.userInfo(packet.serialized())])
    }

    @Test func `W11: reachable means one message; after a final error nothing follows, after another one a transfer`() {
        let message = TestTransport.Sent.message(packet.serialized(), expectsReply: false)
        #expect(manager.send(packet))
        #expect(transport.sent == [message])
        for code in [7002, 7004, 7005, 7006] {
            let transport = TestTransport()
            transport.fail(domain: WCErrorDomain, code: code)
            PowerAuthWCSessionManager(transport: transport).send(packet)
            #expect(transport.sent == [message])
        }
        transport.fail(domain: WCErrorDomain, code: 7014)
        manager.send(packet)
        #expect(transport.sent == [message, message, .userInfo(packet.serialized())])
    }

    /// Sends a request that expects success, and gives its error.
    private func sendAndWait() async -> NSError? {
        await callback { done in
            manager.send(packet, expecting: WatchSuccessPayload.self) { result in
                if case .failure(let error) = result { done(error) } else { done(nil) }
            }
        }
    }

    @Test func `W12: a request needs a reachable counterpart and never becomes a transfer`() async {
        transport.isReachable = false
        #expect(await sendAndWait()?.localizedDescription == WatchError.notReachable.message)
        #expect(transport.sent.isEmpty)
    }

    @Test func `W13: errors of the session and of the counterpart are passed on unchanged`() async {
        transport.answer(with: WatchPacket(error: NSError(domain: "D", code: 3)).serialized())
        let remote = await sendAndWait()
        #expect(remote?.domain == "D")
        #expect(remote?.code == 3)
        transport.fail(domain: WCErrorDomain, code: 7012)
        let local = await sendAndWait()
        #expect(local?.domain == WCErrorDomain)
        #expect(local?.code == 7012)
    }

    @Test(
        arguments: [
            ("", WatchError.unknownResponseFormat.message),
            ("PAwc1 this is not json", WatchError.cannotProcessResponse.message),
            (
                "PAwc1{\"target\":\"*\",\"successCode\":\"1\"}",
                WatchError.unexpectedPayload(type: "PA2WCSessionPacket_Success").message
            ),
        ])
    func `W14 and W15: an unusable reply has an error of its own`(reply: String, message: String) async {
        transport.answer(with: Data(reply.utf8))
        #expect(await sendAndWait()?.localizedDescription == message)
    }
}
