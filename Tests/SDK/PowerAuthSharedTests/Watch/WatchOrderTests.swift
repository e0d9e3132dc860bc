// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2ForWatch
import SimulatedDevice
import TestSupport
import Testing

@Suite("An older message of a phone does not undo a newer one (watch.md, section 13)", .endsInTime)
struct WatchOrderTests {
    private let sandbox: Sandbox
    private let storage: WatchStorage
    private let synchronization: WatchSynchronizationService
    private let manager = PowerAuthWCSessionManager(transport: nil)

    init() throws {
        sandbox = try Sandbox.temporary(name: "watch", kind: .watchApp)
        storage = WatchStorage(configuration: PowerAuthKeychainConfiguration(), sandbox: sandbox)
        synchronization = WatchSynchronizationService(storage: storage)
        manager.register(synchronization)
    }

    private var records: TokenRecordStore { storage.records("i") }

    private func say(_ payload: some WatchPayload, aboutToken: Bool = false) {
        let target = aboutToken ? WatchTarget.token("i") : WatchTarget.session("i")
        manager.processReceivedMessageData(
            WatchPacket(target: target, payload: payload).serialized(), replyHandler: nil)
    }

    private func put(_ name: String, _ number: Int) throws {
        let record = try #require(
            TokenRecord(name: name, identifier: "x", secret: Data(count: 16), activationId: "A", factors: 1))
        say(
            WatchTokenPayload(.put, tokenName: name, tokenData: record.serialized(), order: order(number)),
            aboutToken: true)
    }

    private func remove(_ name: String, _ order: WatchOrder?) {
        say(WatchTokenPayload(.remove, tokenName: name, order: order), aboutToken: true)
    }

    private func order(_ number: Int, of origin: String = "first") -> WatchOrder {
        WatchOrder(origin: origin, number: number)
    }

    @Test func `An older message about a token is ignored, at any time; about another token it counts`() throws {
        remove("T", order(5))
        try put("T", 4)
        #expect(records.record(named: "T") == nil)
        try put("U", 3)
        #expect(records.record(named: "U") != nil)
        try put("T", 6)
        #expect(records.record(named: "T") != nil)
        remove("T", order(5))
        #expect(records.record(named: "T") != nil)
        remove("T", order(1, of: "second"))
        #expect(records.record(named: "T") == nil, "another installation of the phone's app counts from the beginning")
        try put("T", 7)
        remove("T", nil)
        #expect(records.record(named: "T") == nil, "what has no number is done as it comes")
    }

    @Test
    func `A removal that the keychain refuses, as before the first unlock, is reported and can be sent again`() throws {
        say(WatchStatusPayload(.put, activationId: "A", order: order(1)))
        try put("T", 1)
        try put("U", 1)
        try sandbox.security.changeState { $0.reboot() }
        #expect(!storage.removeToken(named: "T", of: "i", order: order(2)))
        #expect(!storage.update(activationId: nil, of: "i", order: order(2)))
        #expect(!records.removeEvery(), "a keychain that cannot be read is not taken for an empty one")
        try sandbox.security.changeState { $0.unlock() }
        #expect(storage.activationId("i") == "A" && records.record(named: "T") != nil)
        #expect(storage.removeToken(named: "T", of: "i", order: order(2)))
        #expect(records.record(named: "T") == nil && records.record(named: "U") != nil)
        #expect(storage.update(activationId: nil, of: "i", order: order(2)))
        #expect(storage.activationId("i") == nil && records.record(named: "U") == nil)
    }

    @Test func `An older status does not replace a newer one, also not in the next process of the watch's app`() {
        say(WatchStatusPayload(.put, activationId: "B", order: order(2)))
        say(WatchStatusPayload(.put, activationId: "A", order: order(1)))
        #expect(storage.activationId("i") == "B")
        let next = WatchStorage(configuration: PowerAuthKeychainConfiguration(), sandbox: sandbox)
        #expect(next.update(activationId: nil, of: "i", order: order(1)))
        #expect(storage.activationId("i") == "B")
        say(WatchStatusPayload(.put, order: order(3)))
        #expect(storage.activationId("i") == nil)
    }

    @Test func `A phone numbers its messages, also across restarts; requests have no number`() throws {
        let phone = try Sandbox.temporary(name: "main")
        let status = WatchPacket(target: "session:i", payload: WatchStatusPayload(.put, activationId: "A"))
        var orders: [WatchOrder?] = []
        for _ in 1...2 {
            let transport = TestTransport()
            let manager = PowerAuthWCSessionManager(
                transport: transport, orders: WatchOrderSource(defaults: try #require(phone.defaults())))
            manager.send(status)
            manager.send(WatchPacket(target: "session:i", payload: WatchStatusPayload(.get)))
            orders += transport.sent.map { sent in
                guard case .message(let data, _) = sent, case .packet(let packet) = WatchPacket.read(data) else {
                    return nil
                }
                return packet.payload(WatchStatusPayload.self)?.order
            }
        }
        #expect(orders.map { $0?.number } == [1, nil, 3, nil])
        #expect(orders[0]?.origin == orders[2]?.origin)
    }

    @Test func `A token that was removed while the reply was on its way is not stored`() {
        #expect(storage.takeReply(aboutTokenNamed: "T", of: "i", order: order(1)))
        remove("T", order(3))
        #expect(!storage.takeReply(aboutTokenNamed: "T", of: "i", order: order(2)))
    }
}
