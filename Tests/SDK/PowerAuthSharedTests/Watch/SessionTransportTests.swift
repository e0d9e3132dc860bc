// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import SimulatedDevice
import Synchronization
import TestSupport
import Testing
import WatchConnectivity

@testable import PowerAuthShared

/// watch.md, section 4.2.
@Suite("The session of the process as a transport", .endsInTime)
struct SessionTransportTests {
    /// A device with a counterpart that takes everything and answers with what it was asked.
    private final class Device: WatchSessionBackend {
        let isSupported = true
        let isWatch: Bool
        private let receiver = HandlerSlot<WatchSessionEvent>()

        init(isWatch: Bool) { self.isWatch = isWatch }

        func bring(_ event: WatchSessionEvent) { receiver(event) }
        func setReceiver(_ receiver: @escaping @Sendable (WatchSessionEvent) -> Void) { self.receiver.set(receiver) }
        func send(_ message: LiveMessage) {
            bring(.reply(messageId: message.messageId, body: message.body, isPropertyList: false))
        }
        func activate() {}
        func reply(to messageId: UUID, body: Data, isPropertyList: Bool) {}
        func acknowledge(_ messageId: UUID) {}
        func refuse(_ messageId: UUID, code: Int) {}
        func queueTransfer(_ transferId: UUID, _ content: TransferContent) -> Int? { nil }
        func cancelTransfer(_ transferId: UUID) {}
        func told(_ transferId: UUID) {}
        func delivered(_ transferId: UUID) {}
        func contextTold(_ news: UUID) {}
        func updateContext(_ body: Data) -> Int? { nil }
    }

    private final class Delegate: WCSessionDelegate {
        func session(
            _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
            error: (any Error)?
        ) {}
    }

    @Test func `A session is valid once it is activated, on a phone only with a watch that has the app`() {
        let counterparts: [(WatchCounterpartState, onPhone: Bool)] = [
            (WatchCounterpartState(), false), (WatchCounterpartState(isPaired: true), false),
            (WatchCounterpartState(isPaired: true, isCounterpartInstalled: true), true),
        ]
        for (state, onPhone) in counterparts {
            for isWatch in [false, true] {
                let device = Device(isWatch: isWatch)
                let session = WCSession(backend: device)
                let manager = PowerAuthWCSessionManager(
                    transport: WCSessionTransport(session: session, isWatch: isWatch))
                #expect(manager.validSession == nil, "it is not activated")
                device.bring(.activated(state, outstanding: []))
                #expect((manager.validSession === session) == (isWatch || onPhone))
            }
        }
        #expect(PowerAuthWCSessionManager(transport: nil).validSession == nil)
        #expect(PowerAuthWCSessionManager(transport: TestTransport()).validSession == nil)
    }

    @Test func `Messages and transfers go through the session, and what waits is outstanding`() async {
        let device = Device(isWatch: false)
        let (session, delegate) = (WCSession(backend: device), Delegate())
        let transport = WCSessionTransport(session: session, isWatch: false)
        session.delegate = delegate
        let early: Int = await callback { report in
            transport.sendMessageData(Data([1]), replyHandler: nil) { report($0.code) }
        }
        #expect(early == WCError.sessionNotActivated.rawValue && !transport.isReachable)
        #expect(!transport.transferUserInfo(["k": Data([1])]) && !transport.hasOutstandingTransfers)
        device.bring(
            .activated(
                WatchCounterpartState(isPaired: true, isCounterpartInstalled: true, isReachable: true),
                outstanding: []))
        #expect(transport.isReachable)
        let reply: Data? = await callback { report in
            transport.sendMessageData(Data([7]), replyHandler: { report($0) }) { _ in report(nil) }
        }
        #expect(reply == Data([7]))
        #expect(transport.transferUserInfo(["k": Data([1])]) && transport.hasOutstandingTransfers)
        withExtendedLifetime(delegate) {}
    }
}
