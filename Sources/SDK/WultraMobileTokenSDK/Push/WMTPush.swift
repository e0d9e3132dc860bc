// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabPoints
import PowerAuthShared
import SimulatedDevice
public import UserNotifications
public import WultraPowerAuthNetworking

/// Registers the device for push messages (mobile-token.md, section 12.1).
///
/// Thread rule: any thread. Completions run on the main queue; that of a cancelled call does not run.
public protocol WMTPush: AnyObject {
    /// Whether the last registration of this object succeeded.
    var pushNotificationsRegisteredOnServer: Bool { get }
    /// Where the service sends its requests, as the factory of version 1.0 was given it.
    var config: WMTConfig { get }
    /// The user's languages as in the header `Accept-Language`.
    var acceptLanguage: String { get set }

    /// Registers the push token of this device with the server.
    /// - Parameters:
    ///   - token: the device's token as the system gave it.
    ///   - completion: takes nothing, or an error: `missingActivation`, `push_alreadyRegistering` while another
    ///     registration is under way, or one of the request.
    /// - Returns: nil when nothing is sent.
    @discardableResult
    func registerDeviceTokenForPushNotifications(
        token: Data, completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation?
}

struct WMTPushRegistrationData: Encodable {
    let platform = "ios"
    let token: String

    init(tokenData: Data) {
        token = tokenData.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

final class PushService: WMTPush, Sendable {
    private struct State {
        var isRegistered = false
        /// The number of the registration under way.
        var current: Int?
        /// The registration under way, so that it can be seen whether it was cancelled.
        var operation: Operation?
        /// The number of the last one.
        var last = 0
    }

    private let calls: ServiceCalls
    private let state = Guarded(State())

    init(_ networking: WPNNetworkingService) { calls = ServiceCalls(networking) }

    var pushNotificationsRegisteredOnServer: Bool { state.withLock { $0.isRegistered } }
    var config: WMTConfig { WMTConfig(calls.networking.config) }

    var acceptLanguage: String {
        get { calls.networking.acceptLanguage }
        set { calls.networking.acceptLanguage = newValue }
    }

    func registerDeviceTokenForPushNotifications(
        token: Data, completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        guard calls.powerAuth.hasValidActivation() else {
            calls.fail(.missingActivation, completion)
            return nil
        }
        guard let number = begin() else {
            calls.fail(.push_alreadyRegistering, completion)
            return nil
        }
        let request = WPNRequest(WMTPushRegistrationData(tokenData: token))
        let operation = calls.call("/api/push/device/register/token", request) {
            [self] (response: Result<WPNResponseBase, WMTError>) in
            let result = response.map { _ in () }
            state.withLock { $0.isRegistered = (try? result.get()) != nil }
            end(number)
            completion(result)
        }
        guard let operation else {
            end(number)
            return nil
        }
        state.withLock { state in
            // It may have ended already, and another one may have begun.
            if state.current == number { state.operation = operation }
        }
        return operation
    }

    /// A cancelled registration is not under way, although its end was not reported (mobile-token.md, section 24, item
    /// 7).
    /// - Returns: the number of the registration that begins; nil while another one is under way.
    private func begin() -> Int? {
        let blocksForever = calls.sandbox.keeps(.cancelledPushRegistrationBlocks)
        return state.withLock { state in
            if !blocksForever, state.operation?.isCancelled == true { state.current = nil }
            guard state.current == nil else { return nil }
            state.last += 1
            (state.isRegistered, state.current, state.operation) = (false, state.last, nil)
            return state.last
        }
    }

    private func end(_ number: Int) {
        state.withLock { state in
            if state.current == number { (state.current, state.operation) = (nil, nil) }
        }
    }
}

/// A message that the app received by push (mobile-token.md, section 12.3).
public enum WMTPushMessage {
    /// An operation waits for the user. The content is nil when the push shows none.
    case operationCreated(id: String, name: String, content: WMTPushContent?, originalData: [AnyHashable: Any])
    /// An operation is over.
    case operationFinished(
        id: String, name: String, result: WMTPushOperationFinishedResult, originalData: [AnyHashable: Any])
    /// There is a new message in the inbox.
    case inboxMessageReceived(id: String, originalData: [AnyHashable: Any])
}

/// What a push shows to the user: title and text.
public typealias WMTPushContent = (title: String, message: String)

/// How an operation ended.
public enum WMTPushOperationFinishedResult: String, Sendable {
    /// The user approved it.
    case success = "authentication.success"
    /// The user failed to approve it.
    case fail = "authentication.fail"
    /// Its time was over.
    case timeout = "operation.timeout"
    /// It was rejected, or cancelled by the back end.
    case canceled = "operation.canceled"
    /// It could not be approved this way.
    case methodNotAvailable = "operation.methodNotAvailable"
    /// In another way.
    case unknown
}

/// Reads pushes (mobile-token.md, section 12.4). Thread rule: any thread.
public enum WMTPushParser {
    /// Reads what a notification carries.
    /// - Parameter notification: as the system hands it over to the delegate of the notification centre.
    /// - Returns: nil for a push of another kind, and for one that lacks something.
    public static func parseNotification(_ notification: UNNotification) -> WMTPushMessage? {
        parseNotification(notification.request.content.userInfo)
    }

    /// Reads what a notification carries.
    /// - Parameter userInfo: as the system hands it over.
    /// - Returns: nil for a push of another kind, and for one that lacks something.
    public static func parseNotification(_ userInfo: [AnyHashable: Any]) -> WMTPushMessage? {
        func text(_ key: String) -> String? { userInfo[key] as? String }
        switch text("messageType") {
        case "mtoken.operationInit":
            guard let id = text("operationId"), let name = text("operationName") else { return nil }
            return .operationCreated(id: id, name: name, content: content(userInfo), originalData: userInfo)
        case "mtoken.operationFinished":
            guard let id = text("operationId"), let name = text("operationName"),
                let result = text("mtokenOperationResult")
            else { return nil }
            return .operationFinished(
                id: id, name: name, result: WMTPushOperationFinishedResult(rawValue: result) ?? .unknown,
                originalData: userInfo)
        case "mtoken.inboxMessage.new":
            return text("inboxId").map { .inboxMessageReceived(id: $0, originalData: userInfo) }
        default: return nil
        }
    }

    private static func content(_ userInfo: [AnyHashable: Any]) -> WMTPushContent? {
        guard let alert = object(object(userInfo["aps"])?["alert"]), let title = alert["title"] as? String,
            let message = alert["body"] as? String
        else { return nil }
        return (title, message)
    }

    private static func object(_ value: Any?) -> [AnyHashable: Any]? { value as? [AnyHashable: Any] }
}
