import Foundation
import LabKit
import PowerAuthShared
import WatchConnectivity

/// The commands by which an app uses its watch session.
enum WatchHandlers {
    static func register(_ messages: WatchMessages, on peer: Peer, session: WCSession, reportsPairing: Bool) {
        peer.handleSync(WatchSessionState.self) { _ in
            WatchSessionState.Result {
                $0.activationState = WatchSessionState.State(session.activationState)
                $0.isReachable = session.isReachable
                $0.hasContentPending = session.hasContentPending
                if reportsPairing {
                    $0.isPaired = session.isPaired
                    $0.isWatchAppInstalled = session.isWatchAppInstalled
                    $0.isComplicationEnabled = session.isComplicationEnabled
                    $0.remainingComplicationUserInfoTransfers = session.remainingComplicationUserInfoTransfers
                } else {
                    $0.isCompanionAppInstalled = session.isCompanionAppInstalled
                    $0.phoneNeedsUnlock = session.iOSDeviceNeedsUnlockAfterRebootForReachability
                }
            }
        }
        peer.handleSync(DelegateCalls.self) { _ in messages.look(at: \.calls) }
        registerMessages(messages, on: peer, session: session)
        WatchTransferHandlers.register(
            messages, on: peer, session: session, sendsToComplications: reportsPairing)
        peer.handleSync(UpdateApplicationContext.self) { arguments in
            try session.updateApplicationContext(arguments.context.propertyList)
        }
        peer.handleSync(ApplicationContexts.self) { _ in
            ApplicationContexts.Result {
                $0.sent = [String: JSONValue](propertyList: session.applicationContext)
                $0.received = [String: JSONValue](propertyList: session.receivedApplicationContext)
            }
        }
    }

    private static func registerMessages(_ messages: WatchMessages, on peer: Peer, session: WCSession) {
        peer.handle(SendMessage.self) { arguments, reply in
            session.sendMessage(
                arguments.message.propertyList,
                replyHandler: arguments.reply ? { reply(.success([String: JSONValue](propertyList: $0))) } : nil,
                errorHandler: { reply(.failure($0)) })
            // Without a reply handler only failures are reported; an immediate one precedes these callbacks.
            if !arguments.reply { session.afterCallbacks { reply(.success(nil)) } }
        }
        peer.handle(SendMessageData.self) { arguments, reply in
            session.sendMessageData(
                Data(arguments.text.utf8),
                replyHandler: arguments.reply ? { reply(.success(String(decoding: $0, as: UTF8.self))) } : nil,
                errorHandler: { reply(.failure($0)) })
            if !arguments.reply { session.afterCallbacks { reply(.success(nil)) } }
        }
        peer.handleSync(ReceivedMessages.self) { _ in messages.look(at: \.messages) }
        peer.handleSync(ReceivedMessageData.self) { _ in messages.look(at: \.messageData) }
    }
}
