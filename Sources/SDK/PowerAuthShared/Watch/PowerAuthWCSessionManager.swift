// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SimulatedDevice
import Synchronization
public import WatchConnectivity

/// Answers a packet that is addressed to it.
package protocol WatchPacketHandler: AnyObject, Sendable {
    /// True when the packet is for this handler. Must not block.
    func accepts(target: String) -> Bool

    /// Does what the packet asks for, on the thread that received it.
    /// - Parameters:
    ///   - packet: the packet; it is neither an error nor addressed to ``WatchPacket/replyTarget``.
    ///   - expectsReply: false if the sender waits for no answer.
    func respond(to packet: WatchPacket, expectsReply: Bool) -> WatchResponse
}

/// The answer of a handler.
package struct WatchResponse: Sendable {
    /// The reply.
    package var packet: WatchPacket
    /// If the sender waits for no reply, the packet is sent as a message of its own.
    package var isSentWithoutReply = false

    package init(_ payload: some WatchPayload) {
        packet = WatchPacket(target: WatchPacket.replyTarget, payload: payload)
    }

    package init(_ error: NSError) { packet = WatchPacket(error: error) }
    package init(_ error: WatchError) { self.init(error.nsError) }

    package init(messageOfItsOwn packet: WatchPacket) {
        self.packet = packet
        isSentWithoutReply = true
    }
}

/// Connects the SDK objects of the process with the counterpart device (watch.md, section 4).
///
/// The application owns `WCSession`: it sets the delegate, activates the session, and forwards what it receives to
/// this object. Thread rule: any thread; packets are handled on the thread that forwards them.
public final class PowerAuthWCSessionManager: Sendable {
    /// The manager of the process.
    public static let sharedInstance = makeShared()

    private let transport: (any WatchTransport)?
    /// Counts the phone's messages; nil on a watch.
    private let orders: WatchOrderSource?
    private let registry = Mutex<[WeakHandler]>([])

    /// A registered handler, which the registry does not keep alive.
    private struct WeakHandler: @unchecked Sendable {
        // Safe: set once in the initialiser; reading a weak reference is atomic.
        private(set) weak var value: (any WatchPacketHandler)?

        init(_ handler: any WatchPacketHandler) { value = handler }
    }

    /// - Parameters:
    ///   - transport: nil on a device that has no counterpart.
    ///   - orders: counts the phone's messages; nil on a watch.
    package init(transport: (any WatchTransport)?, orders: WatchOrderSource? = nil) {
        self.transport = transport
        self.orders = orders
    }

    /// The session of the process while messages can be queued, else nil. Reachability plays no part.
    public var validSession: WCSession? {
        guard let transport = transport as? WCSessionTransport, transport.isUsable else { return nil }
        return transport.session
    }

    // MARK: Handlers

    /// Registers a handler; held weakly, asked in the order of registration.
    package func register(_ handler: any WatchPacketHandler) { registry.withLock { $0.append(WeakHandler(handler)) } }

    /// Number of registered handlers that still live.
    package var handlerCount: Int { liveHandlers().count }

    /// The live handlers. Strong references are dropped outside of the lock: the last one may run a destructor.
    private func liveHandlers() -> [any WatchPacketHandler] {
        registry.withLock { handlers in
            let live = handlers.compactMap(\.value)
            if live.count != handlers.count { handlers.removeAll { $0.value == nil } }
            return live
        }
    }

    // MARK: Receiving

    /// Handles message data, forwarded from both `didReceiveMessageData` callbacks.
    /// - Parameters:
    ///   - data: the received data.
    ///   - replyHandler: the callback's reply handler, or nil without one. Called before the function returns.
    /// - Returns: true when the data are PowerAuth's, even if they are broken; the application leaves them alone then.
    @discardableResult
    public func processReceivedMessageData(_ data: Data, replyHandler: ((Data) -> Void)?) -> Bool {
        switch WatchPacket.read(data) {
        case .foreign: return false
        case .malformed: answer(WatchResponse(.wrongPacket), replyHandler)
        case .packet(let packet): answer(response(to: packet, expectsReply: replyHandler != nil), replyHandler)
        }
        return true
    }

    /// Handles a guaranteed transfer, forwarded from `didReceiveUserInfo`.
    /// - Parameter userInfo: the received dictionary.
    /// - Returns: true when it is PowerAuth's.
    @discardableResult
    public func processReceivedUserInfo(_ userInfo: [String: Any]) -> Bool {
        guard let data = userInfo[WatchPacket.userInfoKey] as? Data else { return false }
        return processReceivedMessageData(data, replyHandler: nil)
    }

    private func response(to packet: WatchPacket, expectsReply: Bool) -> WatchResponse {
        guard packet.target != WatchPacket.replyTarget else { return WatchResponse(.requestWithResponseTarget) }
        guard let handler = liveHandlers().first(where: { $0.accepts(target: packet.target) }) else {
            return WatchResponse(.noHandler(target: packet.target))
        }
        // A request with an error code has no payload, regardless of its other fields (watch.md, W6).
        guard packet.error == nil else { return WatchResponse(.wrongPacket) }
        let order = orders?.next()
        var response = handler.respond(to: packet, expectsReply: expectsReply)
        response.packet = response.packet.said(order)
        return response
    }

    private func answer(_ response: WatchResponse, _ replyHandler: ((Data) -> Void)?) {
        if let replyHandler {
            replyHandler(response.packet.addressed(to: WatchPacket.replyTarget).serialized())
        } else if let error = response.packet.error {
            PowerAuthLog.write("ERROR: \(error.localizedDescription)")
        } else if response.isSentWithoutReply {
            send(response.packet)
        }
    }

    // MARK: Sending

    /// The errors after which a guaranteed transfer would be refused too.
    private static let finalErrors: Set<Int> = [
        WCError.Code.sessionNotSupported.rawValue, WCError.Code.sessionNotActivated.rawValue,
        WCError.Code.deviceNotPaired.rawValue, WCError.Code.watchAppNotInstalled.rawValue,
    ]

    /// Sends a packet without waiting for an answer: immediately when the counterpart is reachable, else as a guaranteed
    /// transfer (watch.md, section 4.5).
    ///
    /// While own transfers are outstanding the packet joins their queue. The original sends it immediately, so that a
    /// newer command overtakes an older one (watch.md, section 13, item 3).
    /// - Parameter packet: makes the packet, or the error, once its place in the order is known.
    /// - Returns: false when the packet was dropped.
    @discardableResult
    package func send(_ packet: @autoclosure () throws -> WatchPacket) -> Bool {
        guard let transport, transport.isUsable else {
            PowerAuthLog.write("Watch: \(WatchError.sessionNotAvailable.message)")
            return false
        }
        let order = orders?.next()
        let bytes: Data
        do {
            bytes = try packet().said(order).withoutTime.serialized()
        } catch {
            PowerAuthLog.write("Watch: nothing is sent, because there is no packet: \(error)")
            return false
        }
        guard transport.isReachable, !transport.hasOutstandingTransfers else {
            return transport.transferUserInfo([WatchPacket.userInfoKey: bytes])
        }
        transport.sendMessageData(bytes, replyHandler: nil) { error in
            if error.domain == WCErrorDomain, Self.finalErrors.contains(error.code) {
                PowerAuthLog.write("Watch: \(error.localizedDescription)")
            } else {
                _ = transport.transferUserInfo([WatchPacket.userInfoKey: bytes])
            }
        }
        return true
    }

    /// Sends a packet and waits for its answer (watch.md, section 4.6).
    /// - Parameters:
    ///   - packet: the request.
    ///   - type: the payload that a good answer has.
    ///   - completion: called exactly once: before the function returns when the counterpart is out of reach, else on
    ///     the delegate queue.
    package func send<Payload: WatchPayload>(
        _ packet: WatchPacket, expecting type: Payload.Type,
        completion: @escaping @Sendable (TaskResult<Payload>) -> Void
    ) {
        guard let transport, transport.isUsable else {
            return completion(.failure(WatchError.sessionNotAvailable.nsError))
        }
        guard transport.isReachable else { return completion(.failure(WatchError.notReachable.nsError)) }
        transport.sendMessageData(
            packet.serialized(), replyHandler: { completion(Self.result(of: $0, expecting: type)) },
            errorHandler: { completion(.failure($0)) })
    }

    /// Sends a command of the phone and waits until the watch has done it. It overtakes queued transfers; the watch
    /// ignores their older content about the same item.
    /// - Parameters:
    ///   - packet: makes the command, or the error, once its place in the order is known.
    ///   - completion: called exactly once, on the main queue.
    package func sendCommand(
        _ packet: @autoclosure () -> TaskResult<WatchPacket>, completion: @escaping ((any Error)?) -> Void
    ) {
        let order = orders?.next()
        let task = OperationTask<Void> { result in
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(error)
            }
        }
        switch packet() {
        case .failure(let error): task.complete(.failure(error))
        case .success(let packet):
            send(packet.said(order), expecting: WatchSuccessPayload.self) { task.complete($0.map { _ in }) }
        }
    }

    private static func result<Payload: WatchPayload>(
        of reply: Data, expecting type: Payload.Type
    ) -> TaskResult<Payload> {
        switch WatchPacket.read(reply) {
        case .foreign: .failure(WatchError.unknownResponseFormat.nsError)
        case .malformed: .failure(WatchError.cannotProcessResponse.nsError)
        case .packet(let packet):
            if let error = packet.error {
                .failure(error)
            } else if let payload = packet.payload(type) {
                .success(payload)
            } else {
                .failure(WatchError.unexpectedPayload(type: type.vendorName).nsError)
            }
        }
    }

    private static func makeShared() -> PowerAuthWCSessionManager {
        guard let backend = Sandbox.current.watchSession, backend.isSupported else {
            return PowerAuthWCSessionManager(transport: nil)
        }
        let manager = PowerAuthWCSessionManager(
            transport: WCSessionTransport(session: .default, isWatch: backend.isWatch),
            orders: backend.isWatch ? nil : Sandbox.current.defaults().map(WatchOrderSource.init))
        if backend.isWatch { manager.register(WatchSynchronizationService.shared) }
        return manager
    }
}
