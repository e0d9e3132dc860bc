// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuth2ForWatch
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport

/// One end of a watch link, with everything that was sent through it.
final class TestTransport: WatchTransport {
    /// A message that went out.
    enum Sent: Equatable, Sendable {
        case message(Data, expectsReply: Bool)
        case userInfo(Data)
    }

    private struct State {
        var isUsable = true
        var isReachable = true
        var hasOutstandingTransfers = false
        var failure: NSError?
        var sent: [Sent] = []
        var peer: PowerAuthWCSessionManager?
        var reply: Data?
    }

    private let state = Mutex(State())

    init(isUsable: Bool = true, isReachable: Bool = true) {
        state.withLock {
            $0.isUsable = isUsable
            $0.isReachable = isReachable
        }
    }

    var isUsable: Bool {
        get { state.withLock { $0.isUsable } }
        set { state.withLock { $0.isUsable = newValue } }
    }
    var isReachable: Bool {
        get { state.withLock { $0.isReachable } }
        set { state.withLock { $0.isReachable = newValue } }
    }
    var hasOutstandingTransfers: Bool {
        get { state.withLock { $0.hasOutstandingTransfers } }
        set { state.withLock { $0.hasOutstandingTransfers = newValue } }
    }
    /// Everything that was sent, oldest first.
    var sent: [Sent] { state.withLock { $0.sent } }

    /// Makes every immediate message fail.
    func fail(domain: String, code: Int) { state.withLock { $0.failure = NSError(domain: domain, code: code) } }

    /// Delivers everything that is sent from now on to a manager, at once.
    func connect(to peer: PowerAuthWCSessionManager) { state.withLock { $0.peer = peer } }

    /// Answers every message with fixed bytes.
    func answer(with reply: Data) { state.withLock { $0.reply = reply } }

    func sendMessageData(
        _ data: Data, replyHandler: (@Sendable (Data) -> Void)?, errorHandler: @escaping @Sendable (NSError) -> Void
    ) {
        let now = state.withLock { state in
            state.sent.append(.message(data, expectsReply: replyHandler != nil))
            return (failure: state.failure, peer: state.peer, reply: state.reply)
        }
        if let failure = now.failure { return errorHandler(failure) }
        if let reply = now.reply { replyHandler?(reply) }
        now.peer?.processReceivedMessageData(data, replyHandler: replyHandler)
    }

    func transferUserInfo(_ userInfo: [String: Data]) -> Bool {
        let peer = state.withLock { state in
            // Every packet of ours has exactly one value.
            state.sent.append(.userInfo(userInfo[WatchPacket.userInfoKey]!))
            return state.peer
        }
        peer?.processReceivedUserInfo(userInfo)
        return true
    }
}

extension PowerAuthWatchSDK {
    /// The SDK of a watch app that knows the activation `A` of the instance `i`, and its storage.
    static func withActivation(over phone: any WatchTransport) throws -> (PowerAuthWatchSDK, WatchStorage) {
        let sandbox = try Sandbox.temporary(kind: .watchApp)
        let storage = WatchStorage(configuration: PowerAuthKeychainConfiguration(), sandbox: sandbox)
        storage.update(activationId: "A", of: "i")
        let sdk = PowerAuthWatchSDK(
            configuration: PowerAuthConfiguration(
                instanceId: "i", baseEndpointUrl: "http://localhost", configuration: "-"),
            storage: storage, manager: PowerAuthWCSessionManager(transport: phone), sandbox: sandbox)
        return (sdk, storage)
    }
}
