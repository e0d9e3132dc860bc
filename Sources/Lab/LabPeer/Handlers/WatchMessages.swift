// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabVocabulary
import PowerAuthShared
import WatchConnectivity

/// The delegate of an app's watch session: it hands PowerAuth messages to the SDK as the manuals say, and keeps its own
/// messages, and a log of every callback, which scenarios can read.
///
/// Any thread: the delegate's callbacks arrive on the session's queue, the command handlers ask on the main queue; a lock
/// guards what both touch.
final class WatchMessages: NSObject, WCSessionDelegate, @unchecked Sendable {
    // Safe to share: `lock` guards `record`, and nothing else is mutable.
    private let lock = NSLock()
    private var record = Record()

    struct Record {
        var calls: [DelegateCalls.Call] = []
        var messages: [[String: JSONValue]] = []
        var messageData: [String] = []
        var userInfos: [[String: JSONValue]] = []
        var finished: [FinishedUserInfoTransfers.Transfer] = []
        /// The files that have arrived, each with the place where it was.
        var files: [(file: ReceivedFiles.File, path: String)] = []
        var finishedFiles: [FinishedFileTransfers.Transfer] = []
        /// The ends of transfers, by the transfer's identity; the transfers are kept, so that no identity is used twice.
        var ends: [ObjectIdentifier: (transfer: AnyObject, error: (any Error)?)] = [:]
        /// Callers that wait for the end of a transfer.
        var waiting: [ObjectIdentifier: ((any Error)?) -> Void] = [:]
    }

    /// What was reported so far.
    func look<Value>(at part: KeyPath<Record, Value>) -> Value { lock.withLock { record[keyPath: part] } }

    private func note(_ call: String, _ details: (inout DelegateCalls.Call) -> Void = { _ in }) {
        let entry = DelegateCalls.Call {
            $0.call = call
            details(&$0)
        }
        lock.withLock { record.calls.keep(entry) }
    }

    /// Calls `completion` with the error of a transfer that has ended, at once or when the delegate is notified.
    func waitForEnd(of transfer: AnyObject, _ completion: @escaping ((any Error)?) -> Void) {
        let identity = ObjectIdentifier(transfer)
        let end = lock.withLock {
            let end = record.ends[identity]
            if end == nil { record.waiting[identity] = completion }
            return end
        }
        if let end { completion(end.error) }
    }

    /// The end of a transfer was reported.
    private func ended(_ transfer: AnyObject, _ error: (any Error)?) {
        let identity = ObjectIdentifier(transfer)
        let completion = lock.withLock {
            record.ends[identity] = (transfer, error)
            return record.waiting.removeValue(forKey: identity)
        }
        completion?(error)
    }

    // MARK: The session

    func session(
        _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) {
        note("activationDidComplete") {
            $0.state = WatchSessionState.State(activationState)
            $0.code = error.map { ($0 as NSError).code }
        }
    }

    func sessionDidBecomeInactive(_ session: WCSession) { note("sessionDidBecomeInactive") }

    func sessionDidDeactivate(_ session: WCSession) {
        note("sessionDidDeactivate")
        session.activate()
    }

    func sessionWatchStateDidChange(_ session: WCSession) { note("sessionWatchStateDidChange") }

    func sessionCompanionAppInstalledDidChange(_ session: WCSession) { note("sessionCompanionAppInstalledDidChange") }

    func sessionReachabilityDidChange(_ session: WCSession) {
        note("sessionReachabilityDidChange") { $0.isReachable = session.isReachable }
    }

    // MARK: Messages

    func session(_ session: WCSession, didReceiveMessageData messageData: Data) {
        note("didReceiveMessageData")
        if !PowerAuthWCSessionManager.sharedInstance.processReceivedMessageData(messageData, replyHandler: nil) {
            keep(messageData)
        }
    }

    func session(
        _ session: WCSession, didReceiveMessageData messageData: Data, replyHandler: @escaping (Data) -> Void
    ) {
        note("didReceiveMessageData")
        if !PowerAuthWCSessionManager.sharedInstance.processReceivedMessageData(
            messageData, replyHandler: replyHandler)
        {
            keep(messageData)
            replyHandler(messageData)
        }
    }

    private func keep(_ messageData: Data) {
        lock.withLock { record.messageData.keep(String(decoding: messageData, as: UTF8.self)) }
    }

    func session(_ session: WCSession, didReceiveMessage message: [String: Any]) {
        let message = [String: JSONValue](propertyList: message)
        note("didReceiveMessage") { $0.content = message }
        lock.withLock { record.messages.keep(message) }
    }

    func session(
        _ session: WCSession, didReceiveMessage message: [String: Any], replyHandler: @escaping ([String: Any]) -> Void
    ) {
        self.session(session, didReceiveMessage: message)
        replyHandler(message)
    }

    func session(_ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]) {
        note("didReceiveApplicationContext") { $0.content = [String: JSONValue](propertyList: applicationContext) }
    }

    // MARK: Transfers

    func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
        guard !PowerAuthWCSessionManager.sharedInstance.processReceivedUserInfo(userInfo) else {
            return note("didReceiveUserInfo")
        }
        let userInfo = [String: JSONValue](propertyList: userInfo)
        note("didReceiveUserInfo") { $0.content = userInfo }
        lock.withLock { record.userInfos.keep(userInfo) }
    }

    func session(_ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: (any Error)?) {
        defer { ended(userInfoTransfer, error) }
        let code = error.map { ($0 as NSError).code }
        // Messages of the SDK are not the app's own.
        guard userInfoTransfer.userInfo[WatchPacket.userInfoKey] == nil else {
            return note("didFinish") { $0.code = code }
        }
        let transfer = FinishedUserInfoTransfers.Transfer {
            $0.userInfo = [String: JSONValue](propertyList: userInfoTransfer.userInfo)
            $0.code = code
        }
        note("didFinish") {
            $0.content = transfer.userInfo
            $0.code = code
        }
        lock.withLock { record.finished.keep(transfer) }
    }

    // MARK: Files

    func session(_ session: WCSession, didReceive file: WCSessionFile) {
        let content = (try? Data(contentsOf: file.fileURL)) ?? Data()
        let metadata = file.metadata.map { [String: JSONValue](propertyList: $0) }
        let received = ReceivedFiles.File {
            $0.name = file.fileURL.lastPathComponent
            $0.size = content.count
            $0.text = content.count <= 1_000 ? String(data: content, encoding: .utf8) : nil
            $0.metadata = metadata
            $0.isStillThere = true
        }
        note("didReceiveFile") {
            $0.file = received.name
            $0.content = metadata
        }
        lock.withLock { record.files.keep((received, file.fileURL.path)) }
    }

    func session(_ session: WCSession, didFinish fileTransfer: WCSessionFileTransfer, error: (any Error)?) {
        defer { ended(fileTransfer, error) }
        let transfer = FinishedFileTransfers.Transfer {
            $0.name = fileTransfer.file.fileURL.lastPathComponent
            $0.code = error.map { ($0 as NSError).code }
        }
        note("didFinishFile") {
            $0.file = transfer.name
            $0.code = transfer.code
        }
        lock.withLock { record.finishedFiles.keep(transfer) }
    }
}

extension Array {
    /// How many of a kind are kept for scenarios to look at; a process that lives long forgets the oldest.
    private static var limit: Int { 10_000 }

    /// Adds an element, and drops the oldest ones of many, a tenth of them at a time.
    fileprivate mutating func keep(_ element: Element) {
        append(element)
        if count > Self.limit { removeFirst(Self.limit / 10) }
    }
}

extension WatchSessionState.State {
    init(_ state: WCSessionActivationState) {
        self =
            switch state {
            case .notActivated: .notActivated
            case .inactive: .inactive
            case .activated: .activated
            }
    }
}

extension [String: JSONValue] {
    /// The members as Foundation's dictionaries hold them; a `null` becomes `NSNull`, which no property list may hold, so
    /// that an API that takes one refuses it.
    public var propertyList: [String: Any] { mapValues(\.propertyListValue) }

    /// Reads a dictionary of property list or JSON values; data become Base64 text, dates their ISO 8601 form.
    public init(propertyList: [String: Any]) { self = propertyList.mapValues(JSONValue.init(propertyListValue:)) }
}

extension JSONValue {
    fileprivate var propertyListValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .unsigned(let value): UInt(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.propertyListValue)
        case .object(let members): members.propertyList
        }
    }

    fileprivate init(propertyListValue value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as Data: self = .string(value.base64EncodedString())
        case let value as Date: self = .string(value.ISO8601Format())
        case let values as [Any]: self = .array(values.map(JSONValue.init(propertyListValue:)))
        case let members as [String: Any]: self = .object([String: JSONValue](propertyList: members))
        case let number as NSNumber: self.init(number)
        case is NSNull: self = .null
        default: self = .string(String(describing: value))
        }
    }

    /// A cast to `Bool` or `Int` would accept any number, so the number itself is asked what it holds.
    private init(_ number: NSNumber) {
        switch String(cString: number.objCType) {
        case "c", "B": self = .bool(number.boolValue)
        case "d", "f": self = .number(number.doubleValue)
        case "Q" where number.uint64Value > Int64.max: self = .unsigned(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }
}
