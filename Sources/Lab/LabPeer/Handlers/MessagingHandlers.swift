// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabVocabulary
import PowerAuthShared
import SimulatedDevice
import Synchronization
import WatchConnectivity

/// The watch session of a peer as its app would set it up, and the commands by which the app uses it.
public enum MessagingHandlers {
    /// Registers the messaging commands, and activates the session if the device supports one.
    ///
    /// To be called after the SDK object was created, so that no PowerAuth message finds it missing
    /// (watch.md, section 5.5).
    /// - Parameters:
    ///   - reportsPairing: whether the session reports the paired watch, as it does on a phone.
    ///   - hasSession: whether the process takes part in the session. An extension does not: its messages are refused as
    ///     those of any session without a delegate.
    public static func register(on peer: Peer, reportsPairing: Bool, hasSession: Bool = true) {
        let messages = WatchMessages()
        retained.withLock { $0 = messages }
        let session = WCSession.default
        registerSession(messages, on: peer, session: session, reportsPairing: reportsPairing)
        registerMessages(messages, on: peer, session: session)
        TransferHandlers.register(messages, on: peer, session: session, sendsToComplications: reportsPairing)
        guard hasSession, WCSession.isSupported() else { return }
        session.delegate = messages
        session.activate()
    }

    /// The session holds its delegate weakly, so the process keeps it.
    private static let retained = Mutex<WatchMessages?>(nil)

    private static func registerSession(
        _ messages: WatchMessages, on peer: Peer, session: WCSession, reportsPairing: Bool
    ) {
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

/// The commands by which an app sends what arrives in any case: dictionaries and files.
private struct TransferHandlers {
    private let messages: WatchMessages
    private let session: WCSession
    /// The folder of the app's own files.
    private let documents: URL

    static func register(_ messages: WatchMessages, on peer: Peer, session: WCSession, sendsToComplications: Bool) {
        let commands = TransferHandlers(
            messages: messages, session: session,
            documents: URL(fileURLWithPath: peer.sandbox.home).appendingPathComponent("Documents"))
        commands.registerUserInfos(on: peer)
        commands.registerFiles(on: peer)
        commands.registerLists(on: peer)
        guard sendsToComplications else { return }
        peer.handle(TransferComplicationUserInfo.self) { arguments, reply in
            let transfer = session.transferCurrentComplicationUserInfo(arguments.userInfo.propertyList)
            let isCurrent = transfer.isCurrentComplicationInfo
            commands.tellRefusal(of: transfer, wasAccepted: transfer.wasAccepted) { error in
                let answer = TransferComplicationUserInfo.Result { $0.isCurrentComplicationInfo = isCurrent }
                reply(error.map { .failure($0) } ?? .success(answer))
            }
        }
    }

    private func registerUserInfos(on peer: Peer) {
        peer.handle(TransferUserInfo.self) { arguments, reply in
            let transfer = session.transferUserInfo(arguments.userInfo.propertyList)
            tellRefusal(of: transfer, wasAccepted: transfer.wasAccepted) { error in
                reply(error.map { .failure($0) } ?? .success(NoResult()))
            }
        }
        peer.handleSync(OutstandingUserInfoTransfers.self) { _ in session.outstandingUserInfoTransfers.count }
        peer.handleSync(FinishedUserInfoTransfers.self) { _ in messages.look(at: \.finished) }
        peer.handleSync(ReceivedUserInfo.self) { _ in messages.look(at: \.userInfos) }
    }

    private func registerFiles(on peer: Peer) {
        peer.handle(TransferFile.self) { arguments, reply in
            let file = try document(arguments)
            let transfer = session.transferFile(file, metadata: arguments.metadata?.propertyList)
            tellRefusal(of: transfer, wasAccepted: transfer.wasAccepted) { error in
                reply(error.map { .failure($0) } ?? .success(NoResult()))
            }
        }
        peer.handleSync(FinishedFileTransfers.self) { _ in messages.look(at: \.finishedFiles) }
        peer.handleSync(ReceivedFiles.self) { _ in
            messages.look(at: \.files).map { file, path in
                var file = file
                file.isStillThere = FileManager.default.fileExists(atPath: path)
                return file
            }
        }
    }

    private func registerLists(on peer: Peer) {
        peer.handleSync(OutstandingTransfers.self) { _ in
            let userInfos = session.outstandingUserInfoTransfers.filter(Self.isOwn).map { transfer in
                OutstandingTransfers.Transfer {
                    $0.userInfo = [String: JSONValue](propertyList: transfer.userInfo)
                    $0.isCurrentComplicationInfo = transfer.isCurrentComplicationInfo
                }
            }
            let files = session.outstandingFileTransfers.map { transfer in
                OutstandingTransfers.Transfer {
                    $0.file = transfer.file.fileURL.lastPathComponent
                    $0.sent = Int(transfer.progress.completedUnitCount)
                }
            }
            return userInfos + files
        }
        peer.handleSync(CancelTransfers.self) { arguments in
            let isEach = arguments.userInfo == nil && arguments.file == nil
            let userInfos = session.outstandingUserInfoTransfers.filter(Self.isOwn).filter { transfer in
                isEach || arguments.userInfo == [String: JSONValue](propertyList: transfer.userInfo)
            }
            let files = session.outstandingFileTransfers.filter { transfer in
                isEach || arguments.file == transfer.file.fileURL.lastPathComponent
            }
            for transfer in userInfos { transfer.cancel() }
            for transfer in files { transfer.cancel() }
            return userInfos.count + files.count
        }
    }

    /// Transfers of the SDK are not the app's own.
    private static func isOwn(_ transfer: WCSessionUserInfoTransfer) -> Bool {
        transfer.userInfo[WatchPacket.userInfoKey] == nil
    }

    /// A file of the app's documents, written when the command says with what.
    private func document(_ arguments: TransferFile) throws -> URL {
        guard !arguments.name.contains("/"), !["", ".", ".."].contains(arguments.name) else {
            throw ControlError.badArgument("`name` must be the name of a file, but it is `\(arguments.name)`.")
        }
        let file = documents.appendingPathComponent(arguments.name)
        let content = arguments.text.map { Data($0.utf8) } ?? arguments.size.map { Data(repeating: 0x2E, count: $0) }
        if let content {
            try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
            try content.write(to: file)
        }
        return file
    }

    /// Calls `completion` with the error of a transfer that was refused at once, and with nil for an accepted one:
    /// its end, which may have come already, is reported to the delegate.
    private func tellRefusal(
        of transfer: AnyObject, wasAccepted: Bool, _ completion: @escaping ((any Error)?) -> Void
    ) {
        // Without a delegate the cause would not be reported.
        guard session.delegate != nil else { return completion(WCError(.sessionMissingDelegate)) }
        guard !wasAccepted else { return completion(nil) }
        messages.waitForEnd(of: transfer, completion)
    }
}
