// SPDX-License-Identifier: Apache-2.0

import Foundation
import WultraPowerAuthNetworking

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

/// A list of operations, without those that cannot be read (mobile-token.md, section 24, item 1).
final class WMTOperationListResponse<Item: WMTUserOperation>: WPNResponseBase {
    private enum Key: String, CodingKey { case responseObject, currentTimestamp }

    /// The operations, in the server's order; nil unless the status is `.Ok`.
    let responseObject: [Item]?
    /// Why the other ones cannot be read.
    let mistakes: [any Error]
    /// The server's time; nil when it did not send it.
    let currentTimestamp: Date?

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let isOk = try WPNResponseBase(from: decoder).status == .Ok
        let items = isOk ? try container.decode([Tolerant<Item>].self, forKey: .responseObject) : []
        responseObject = isOk ? items.compactMap { try? $0.result.get() } : nil
        mistakes = items.compactMap { item in if case .failure(let error) = item.result { error } else { nil } }
        currentTimestamp = container.lenient(Date.self, forKey: .currentTimestamp)
        try super.init(from: decoder)
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
