// SPDX-License-Identifier: Apache-2.0

import LabCore

/// A message for all devices of an audience (mobile-token.md, section 20.2).
struct PushMessage: Sendable {
    var title: String?
    var body: String?
    var sound: String?
    var category: String?
    var badge: Int?
    /// Groups notifications; `thread-id` of the payload.
    var collapseKey: String?
    /// Wakes the app without showing anything.
    var isSilent = false
    /// Not for devices whose activation cannot be used.
    var isPersonal = false
    var priority = PushNotification.Priority.high
    /// The app's own keys; those without a value are left out.
    var extras: [String: JSONValue] = [:]

    /// The message as one device gets it.
    func notification(id: Identifier) -> PushNotification {
        var aps: [String: JSONValue] = [:]
        if isSilent {
            aps["content-available"] = 1
        } else {
            var alert: [String: JSONValue] = [:]
            alert["title"] = title.map(JSONValue.string)
            alert["body"] = body.map(JSONValue.string)
            aps["alert"] = .object(alert)
            aps["sound"] = sound.map(JSONValue.string)
            aps["category"] = category.map(JSONValue.string)
        }
        aps["badge"] = badge.map { .integer(Int64($0)) }
        aps["thread-id"] = collapseKey.map(JSONValue.string)
        var payload = extras.filter { !$0.value.isNull }
        payload["aps"] = .object(aps)
        return PushNotification(
            id: id.text, payload: payload, kind: isSilent ? .background : .alert, priority: priority)
    }
}

extension PushMessage {
    /// Announces an operation that waits for the user.
    static func operationCreated(_ operation: OperationRecord, title: String, body: String) -> PushMessage {
        PushMessage(
            title: title, body: body, sound: "default", category: operation.operationType.text, isPersonal: true,
            extras: extras("mtoken.operationInit", operation))
    }

    /// Announces that an operation is decided, canceled or expired; nil while it is pending.
    static func operationFinished(_ operation: OperationRecord) -> PushMessage? {
        let result: JSONValue
        switch operation.status {
        case .pending: return nil
        case .approved: result = "authentication.success"
        case .failed: result = "authentication.fail"
        case .expired: result = "operation.timeout"
        case .rejected, .canceled: result = "operation.canceled"
        }
        return PushMessage(
            isSilent: true, isPersonal: true,
            extras: extras("mtoken.operationFinished", operation).merging(["mtokenOperationResult": result]) { $1 })
    }

    private static func extras(_ type: String, _ operation: OperationRecord) -> [String: JSONValue] {
        [
            "messageType": .string(type), "operationId": .string(operation.id.text),
            "operationName": .string(operation.operationType.text),
        ]
    }
}
