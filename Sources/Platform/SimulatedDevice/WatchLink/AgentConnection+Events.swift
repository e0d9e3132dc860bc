import Foundation
import LabKit
import Synchronization

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
        case .liveAcknowledgement:
            return .acknowledged(messageId: frame.correlationId)
        case .liveReply:
            return .reply(messageId: frame.correlationId, body: frame.body, isPropertyList: isPropertyList)
        case .liveError:
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
            case .file(let file):
                return .file(transferId: frame.messageId, file, hasMore: frame.sequence > 0)
            case nil: return nil
            }
        case .context:
            return .context(frame.body, news: frame.flags.contains(.retransmission) ? nil : frame.messageId)
        case .ownContext:
            return .ownContext(frame.body)
        default:
            return nil
        }
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
        let (notification, occasion): (DeviceNotification, ReceivedNotifications.Occasion) =
            switch self {
            case .arrived(let notification): (notification, .foreground)
            case .background(let notification): (notification, .background)
            case .opened(let notification, _): (notification, .opened)
            }
        return ["id": .string(notification.id), "occasion": .string(occasion.rawValue)]
    }
}
