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

/// What a push shows to the user.
public struct WMTPushContent: Equatable, Sendable {
    /// Title.
    public let title: String
    /// Text.
    public let message: String
}

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
    ///
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
        default:
            return nil
        }
    }

    private static func content(_ userInfo: [AnyHashable: Any]) -> WMTPushContent? {
        guard let alert = object(object(userInfo["aps"])?["alert"]), let title = alert["title"] as? String,
            let message = alert["body"] as? String
        else { return nil }
        return WMTPushContent(title: title, message: message)
    }

    private static func object(_ value: Any?) -> [AnyHashable: Any]? { value as? [AnyHashable: Any] }
}
