// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WultraPowerAuthNetworking

/// Paths and identifiers of the operations' endpoints (mobile-token.md, section 3).
enum OperationEndpoint {
    private static let root = "/api/auth/token/app/operation/"
    static let list = root + "list"
    static let history = root + "history"
    static let detail = root + "detail"
    static let claim = root + "detail/claim"
    static let authorize = root + "authorize"
    static let cancel = root + "cancel"
    static let historyId = "/operation/history"
    static let authorizeId = "/operation/authorize"
    static let cancelId = "/operation/cancel"
    static let offlineId = "/operation/authorize/offline"
}

/// A list of operations, without those that cannot be read (mobile-token.md, section 24, item 1); public for apps that
/// call the server's endpoints by themselves.
public final class WMTOperationListResponse<T: WMTUserOperation>: WPNResponseArray<T> {
    private enum Key: String, CodingKey { case responseObject, currentTimestamp }

    /// An operation, or the reason why it cannot be read, with its identifier as far as that can.
    private struct Item: Decodable {
        private enum Key: String, CodingKey { case id }

        let id: String?
        let result: Result<T, any Error>

        init(from decoder: any Decoder) throws {
            id = try? decoder.container(keyedBy: Key.self).decode(String.self, forKey: .id)
            result = Result { try T(from: decoder) }
        }
    }

    /// The operations that are left out.
    let mistakes: [OperationMistake]
    /// The server's time; nil when it did not send it.
    public let currentTimestamp: Date?

    /// Reads the envelope and its list; the decoder's strategy defines the date format.
    /// - Throws: also for a missing list of a successful answer.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let isOk = try WPNResponseBase(from: decoder).status == .Ok
        let items = isOk ? try container.decode([Item].self, forKey: .responseObject) : []
        mistakes = items.compactMap { item in
            if case .failure(let error) = item.result { OperationMistake(id: item.id, error: error) } else { nil }
        }
        currentTimestamp = container.lenient(Date.self, forKey: .currentTimestamp)
        try super.init(envelopeFrom: decoder)
        if isOk { responseObject = items.compactMap { try? $0.result.get() } }
    }
}

/// Why an operation of a list cannot be read.
struct OperationMistake {
    /// The identifier of the operation; nil when that cannot be read either.
    let id: String?
    let error: any Error

    /// Which member cannot be read, and why.
    var reason: String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(Self.path(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
            return "\(Self.path(context.codingPath)) cannot be read: \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }

    /// A place such as `responseObject[0].status`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
    }
}

struct WMTOperationIdData: Encodable {
    let id: String
}

/// The approval of an operation (mobile-token.md, section 8.5).
struct WMTAuthorizationData: Encodable {
    struct ProximityCheck: Encodable {
        let otp: String
        let type: WMTProximityCheckType
        let timestampReceived: Date
        let timestampSent: Date
    }

    let id: String
    let data: String
    let proximityCheck: ProximityCheck?

    /// - Parameters:
    ///   - operation: what is approved.
    ///   - now: the server's time as far as it is known.
    ///   - adjustment: seconds that the device's clock is behind it.
    init(operation: any WMTOperation, now: Date, adjustment: TimeInterval) {
        id = operation.id
        data = operation.data
        proximityCheck = operation.proximityCheck.map { check in
            ProximityCheck(
                otp: check.totp, type: check.type,
                timestampReceived: check.timestampReceived.addingTimeInterval(check.isDeviceTime ? adjustment : 0),
                timestampSent: now)
        }
    }
}

/// The rejection of an operation (mobile-token.md, section 8.6).
struct WMTRejectionData: Encodable {
    let id: String
    let reason: String

    init(operationId: String, reason: WMTRejectionReason) {
        id = operationId
        self.reason = reason.serialized
    }
}
