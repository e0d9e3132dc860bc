// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation
public import LabCore
public import LabPoints
import LabSystem
import Synchronization
import ZeroMQ

/// A process' connection to the agent of its device, the simulated operating system: it makes the process known as an
/// app, brings news about its life, its notifications and its background tasks, and carries the traffic of the watch
/// session (watch.md, section 11).
///
/// Thread rule: any thread. One thread of its own owns the socket and delivers all events. The agent's death is
/// the crash of the device; ``Handlers/deviceCrashed`` is called then.
public final class AgentConnection: Sendable {
    /// Receivers of events; called on the connection's thread.
    public struct Handlers: Sendable {
        /// The app comes to the foreground.
        public var willEnterForeground: @Sendable () -> Void
        /// The app goes to the background.
        public var willEnterBackground: @Sendable () -> Void
        /// The agent's process ended, or another process replaced this one; the text states which.
        public var deviceCrashed: @Sendable (String) -> Void
        /// Passes a fault point; what it throws counts as an error of the link.
        public var pass: @Sendable (FaultPoint) throws -> Void
        /// Called before the agent gets or has given a frame: what happens on a device or over its link.
        public var touch: @Sendable () -> Void
        /// Called before a frame is given to the agent.
        public var sends: @Sendable () -> Void
        /// Called when a frame of the agent was handled, but for the callbacks about it.
        public var handled: @Sendable () -> Void
        /// Called with 1 before callbacks about an event, and with -1 when they have returned, if it has answered true.
        public var callbacks: @Sendable (Int) -> Bool
        /// Called with 1 when the app begins to wait for an answer over its device, and with -1 when it has the answer.
        public var waits: @Sendable (Int) -> Void
        /// Traces an event.
        public var trace: @Sendable (TraceEventName, [String: JSONValue]) -> Void

        /// Creates handlers.
        public init(
            willEnterForeground: @escaping @Sendable () -> Void = {},
            willEnterBackground: @escaping @Sendable () -> Void = {},
            deviceCrashed: @escaping @Sendable (String) -> Void,
            pass: @escaping @Sendable (FaultPoint) throws -> Void = { _ in },
            touch: @escaping @Sendable () -> Void = {},
            sends: @escaping @Sendable () -> Void = {},
            handled: @escaping @Sendable () -> Void = {},
            callbacks: @escaping @Sendable (Int) -> Bool = { _ in false },
            waits: @escaping @Sendable (Int) -> Void = { _ in },
            trace: @escaping @Sendable (TraceEventName, [String: JSONValue]) -> Void = { _, _ in }
        ) {
            self.willEnterForeground = willEnterForeground
            self.willEnterBackground = willEnterBackground
            self.deviceCrashed = deviceCrashed
            self.pass = pass
            self.touch = touch
            self.sends = sends
            self.handled = handled
            self.callbacks = callbacks
            self.waits = waits
            self.trace = trace
        }
    }

    struct State {
        var outgoing: [WatchFrame] = []
        var receiver: (@Sendable (WatchSessionEvent) -> Void)?
        /// Where the callbacks about events run.
        var callbackQueue: DispatchQueue?
        /// The agent's codes that callers wait for; 0 for success.
        var answers: [UUID: OneShot<Int>] = [:]
        /// The own messages whose replies the app waits for.
        var awaited: Set<UUID> = []
        /// Own queued transfers that the agent has listed since the last activation.
        var outstanding: [OwnTransfer] = []
        /// The codes of failed own transfers, until the delegate has them.
        var failures: [UUID: Int] = [:]
        var isStopping = false
    }

    /// Whether this device can have a counterpart.
    public let isSupported: Bool
    /// Whether the device is a watch.
    public let isWatch: Bool
    /// The app's notifications.
    public let notifications = NotificationService()
    /// The app's background tasks.
    public let backgroundTasks = BackgroundTaskService()

    private let endpoint: String
    private let attach: AttachBody
    let handlers: Handlers
    let state = Mutex(State())
    private let wakeUp: EventDescriptor

    /// Attaches to the agent of `device`; the agent must be there, or come soon.
    /// - Parameter attach: The identity of this process.
    public init(layout: InstanceLayout, device: DeviceSpec, attach: AttachBody, handlers: Handlers) throws {
        endpoint = try layout.address(of: .apps(device: device.name))
        isWatch = device.kind == .watch
        isSupported = true
        self.attach = attach
        self.handlers = handlers
        wakeUp = try EventDescriptor()
        notifications.connect { [weak self] id, request in
            self?.post(WatchFrame(.notificationRequest, messageId: id, body: WatchFrame.body(request)))
        }
        backgroundTasks.connect { [weak self] id, request in
            self?.post(WatchFrame(.backgroundTaskRequest, messageId: id, body: WatchFrame.body(request)))
        }
        post(WatchFrame(.attach, body: WatchFrame.body(attach)))
        _ = runOnThread(name: "agent link") { [self] in TurnPage.Role.$current.withValue(.connection) { run() } }
    }

    /// Reports to the agent that the app has finished launching.
    public func reportReady() { post(WatchFrame(.appState, body: WatchFrame.body(AppStateBody(isForeground: true)))) }

    /// Ends the connection and its thread.
    public func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    private func post(_ frame: WatchFrame) {
        handlers.touch()
        handlers.sends()
        state.withLock { $0.outgoing.append(frame) }
        wakeUp.signal()
    }

    // MARK: The thread

    private func run() {
        do {
            try serve()
        } catch {
            handlers.deviceCrashed("The connection to the device's agent failed: \(error)")
        }
    }

    private func serve() throws {
        let socket = try ZeroMQSocket(.shared, .dealer)
        try socket.set(.routingID(Data("\(attach.name)-\(attach.pid)-\(attach.incarnation)".utf8)))
        try socket.set(.sendHighWaterMark(0))
        try socket.set(.receiveHighWaterMark(0))
        try socket.set(.maxMessageSize(524_288))
        try socket.set(.reconnectInterval(first: 5, maximum: 100))
        try socket.connect(endpoint)
        var agent: ProcessWatch?
        while true {
            let (frames, isStopping) = state.withLock { state in
                defer { state.outgoing = [] }
                return (state.outgoing, state.isStopping)
            }
            for frame in frames { _ = try socket.send(frame.parts, wait: true) }
            if isStopping { return }
            let descriptors = [wakeUp.rawDescriptor] + (agent.map { [$0.rawDescriptor] } ?? [])
            let ready = try ZeroMQPoll.poll(sockets: [socket], descriptors: descriptors, timeoutMilliseconds: -1)
            if ready.descriptors[0] { _ = wakeUp.drain() }
            while let parts = try socket.receive() {
                guard let frame = try? WatchFrame(parts: parts) else { continue }
                if frame.kind == .welcome {
                    agent = try ProcessWatch(pid: try frame.decodeBody(AttachedBody.self).agentPid)
                } else {
                    handle(frame)
                    handlers.handled()
                }
            }
            if ready.descriptors.count > 1, ready.descriptors[1] {
                return handlers.deviceCrashed("The device's agent ended; the device has crashed.")
            }
        }
    }

    private func handle(_ frame: WatchFrame) {
        handlers.touch()
        switch frame.kind {
        case .bye: handlers.deviceCrashed("A newer process plays \(attach.name).")
        case .appState:
            guard let state = try? frame.decodeBody(AppStateBody.self) else { return }
            if state.isForeground { handlers.willEnterForeground() } else { handlers.willEnterBackground() }
        case .notificationAnswer:
            guard let answer = try? frame.decodeBody(NotificationAnswer.self) else { return }
            notifications.take(answer, to: frame.correlationId)
        case .notification:
            guard let news = try? frame.decodeBody(NotificationNews.self) else { return }
            handlers.trace(.pushReceived, news.details)
            notifications.take(news)
        case .backgroundTaskAnswer:
            guard let answer = try? frame.decodeBody(BackgroundTaskAnswer.self) else { return }
            backgroundTasks.take(answer, to: frame.correlationId)
        case .backgroundTask:
            guard let news = try? frame.decodeBody(BackgroundTaskNews.self) else { return }
            backgroundTasks.take(news)
        case .transferQueued:
            guard let answer = state.withLock({ $0.answers.removeValue(forKey: frame.messageId) }) else { return }
            answer.set(Int(clamping: frame.sequence))
            handlers.waits(-1)
        default:
            guard let event = event(for: frame) else { return }
            let (receiver, queue) = state.withLock { ($0.receiver, $0.callbackQueue) }
            let isCounted = queue != nil && handlers.callbacks(1)
            receiver?(event)
            // Afterwards: a reader of the trace finds the session in the traced state.
            traceState(in: event)
            // Behind the callbacks that the receiver has put there.
            if isCounted { queue?.async { [handlers] in _ = handlers.callbacks(-1) } }
        }
    }
}

extension AgentConnection: WatchSessionBackend {
    public func setReceiver(_ receiver: @escaping @Sendable (WatchSessionEvent) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    public func setCallbackQueue(_ queue: DispatchQueue) {
        queue.setSpecific(key: TurnPage.Role.key, value: .callbacks)
        state.withLock { $0.callbackQueue = queue }
    }

    public func activate() { post(WatchFrame(.activate)) }

    public func send(_ message: LiveMessage) {
        var flags: WatchFrame.Flags = message.isPropertyList ? .propertyList : []
        if message.expectsReply {
            flags.insert(.expectsReply)
            state.withLock { _ = $0.awaited.insert(message.messageId) }
            handlers.waits(1)
        }
        post(WatchFrame(.live, flags: flags, messageId: message.messageId, body: message.body))
    }

    public func reply(to messageId: UUID, body: Data, isPropertyList: Bool) {
        post(WatchFrame(.liveReply, flags: isPropertyList ? .propertyList : [], correlationId: messageId, body: body))
    }

    public func acknowledge(_ messageId: UUID) { post(WatchFrame(.liveAcknowledgement, correlationId: messageId)) }

    public func refuse(_ messageId: UUID, code: Int) {
        post(WatchFrame(.liveError, correlationId: messageId, sequence: UInt64(code)))
    }

    public func queueTransfer(_ transferId: UUID, _ content: TransferContent) -> Int? {
        let kind: WatchFrame.Kind = if case .file = content { .file } else { .userInfo }
        let code = ask(WatchFrame(kind, flags: content.flags, messageId: transferId, body: content.body))
        if code == nil { try? handlers.pass(.linkAccepted) }
        return code
    }

    public func cancelTransfer(_ transferId: UUID) { post(WatchFrame(.cancelTransfer, messageId: transferId)) }

    public func told(_ transferId: UUID) {
        var fields: [String: JSONValue] = ["id": .string(transferId.uuidString)]
        let code = state.withLock { $0.failures.removeValue(forKey: transferId) }
        fields["code"] = code.map { .integer(Int64($0)) }
        handlers.trace(.linkTold, fields)
        post(WatchFrame(.transferTold, messageId: transferId))
    }

    public func delivered(_ transferId: UUID) {
        handlers.trace(.linkHandled, ["id": .string(transferId.uuidString)])
        try? handlers.pass(.linkAcknowledged)
        post(WatchFrame(.delivered, messageId: transferId))
    }

    public func contextTold(_ news: UUID) { post(WatchFrame(.contextTold, messageId: news)) }

    public func updateContext(_ body: Data) -> Int? {
        ask(WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: body))
    }

    /// Sends a frame and waits for `transferQueued`. The agent answers within one transaction of its database; if it
    /// dies, this process ends too.
    private func ask(_ frame: WatchFrame) -> Int? {
        let answer = OneShot<Int>()
        state.withLock { $0.answers[frame.messageId] = answer }
        handlers.waits(1)
        post(frame)
        let code = answer.wait()
        return code == 0 ? nil : code
    }
}

/// Handling of the agent's frames by the watch session. Runs on the connection's thread.
extension AgentConnection {
    func event(for frame: WatchFrame) -> WatchSessionEvent? {
        let isPropertyList = frame.flags.contains(.propertyList)
        switch frame.kind {
        case .outstandingTransfer:
            guard let content = TransferContent(frame) else { return nil }
            let own = OwnTransfer(transferId: frame.messageId, content: content, sent: Int(clamping: frame.sequence))
            state.withLock { $0.outstanding.append(own) }
            return nil
        case .activate:
            guard let counterpart = try? frame.decodeBody(WatchCounterpartState.self) else { return nil }
            let outstanding = state.withLock { state in
                defer { state.outstanding = [] }
                return state.outstanding
            }
            return .activated(counterpart, outstanding: outstanding)
        case .sessionInactive: return .becameInactive
        case .sessionDeactivated: return .deactivated
        case .event:
            guard let counterpart = try? frame.decodeBody(WatchCounterpartState.self) else { return nil }
            return .changed(counterpart)
        case .live:
            handlers.trace(.linkDelivered, ["id": .string(frame.messageId.uuidString), "kind": "live"])
            return .message(
                LiveMessage(
                    messageId: frame.messageId, body: frame.body, isPropertyList: isPropertyList,
                    expectsReply: frame.flags.contains(.expectsReply)))
        case .liveAcknowledgement: return .acknowledged(messageId: frame.correlationId)
        case .liveReply:
            endWait(for: frame.correlationId)
            return .reply(messageId: frame.correlationId, body: frame.body, isPropertyList: isPropertyList)
        case .liveError:
            endWait(for: frame.correlationId)
            return .failed(messageId: frame.correlationId, code: Int(clamping: frame.sequence))
        case .transferDone:
            guard let content = TransferContent(frame) else { return nil }
            if frame.sequence != 0 {
                state.withLock { $0.failures[frame.messageId] = Int(clamping: frame.sequence) }
            }
            return .transferFinished(
                transferId: frame.messageId, content: content,
                code: frame.sequence == 0 ? nil : Int(clamping: frame.sequence))
        case .transferProgress:
            return .transferProgressed(transferId: frame.messageId, sent: Int(clamping: frame.sequence))
        case .deliver:
            let isRepeated = frame.flags.contains(.retransmission)
            handlers.trace(
                isRepeated ? .linkRedelivered : .linkDelivered,
                ["id": .string(frame.messageId.uuidString), "kind": "transfer"])
            try? handlers.pass(.linkDelivered)
            switch TransferContent(frame) {
            case .userInfo(let body, _):
                return .userInfo(transferId: frame.messageId, body: body, hasMore: frame.sequence > 0)
            case .file(let file): return .file(transferId: frame.messageId, file, hasMore: frame.sequence > 0)
            case nil: return nil
            }
        case .context: return .context(frame.body, news: frame.flags.contains(.retransmission) ? nil : frame.messageId)
        case .ownContext: return .ownContext(frame.body)
        case .contentPending: return .contentPending(frame.sequence > 0)
        default: return nil
        }
    }

    private func endWait(for messageId: UUID) {
        if state.withLock({ $0.awaited.remove(messageId) }) != nil { handlers.waits(-1) }
    }

    /// Traces the session's view of its counterpart after an event about it.
    func traceState(in event: WatchSessionEvent) {
        let counterpart: WatchCounterpartState
        switch event {
        case .activated(let state, _), .changed(let state): counterpart = state
        default: return
        }
        handlers.trace(
            .sessionState,
            [
                "paired": .bool(counterpart.isPaired), "installed": .bool(counterpart.isCounterpartInstalled),
                "reachable": .bool(counterpart.isReachable),
            ])
    }
}

extension NotificationNews {
    /// The details of its trace event.
    var details: [String: JSONValue] {
        let (notification, occasion): (DeviceNotification, NotificationOccasion) =
            switch self {
            case .arrived(let notification): (notification, .foreground)
            case .background(let notification): (notification, .background)
            case .opened(let notification, _): (notification, .opened)
            }
        return ["id": .string(notification.id), "occasion": .string(occasion.rawValue)]
    }
}
