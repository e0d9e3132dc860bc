// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// Where an operation is in its life; only a pending one can change (server.md, section 23).
enum OperationStatus: Int, NamedChoice {
    case pending = 1
    case canceled = 2
    case expired = 3
    case approved = 4
    case rejected = 5
    case failed = 6

    var name: String {
        switch self {
        case .pending: "PENDING"
        case .canceled: "CANCELED"
        case .expired: "EXPIRED"
        case .approved: "APPROVED"
        case .rejected: "REJECTED"
        case .failed: "FAILED"
        }
    }
}

/// The outcome of a user's decision.
enum UserActionResult: String, Sendable {
    case approved = "APPROVED"
    case approvalFailed = "APPROVAL_FAILED"
    case rejected = "REJECTED"
    case rejectFailed = "REJECT_FAILED"
    case operationFailed = "OPERATION_FAILED"
}

/// An operation for a user to decide (server.md, section 18.1).
struct OperationRecord: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    /// Nil until it is claimed.
    var userId: Identifier?
    /// Sorted by their identifiers.
    let applications: [Application]
    let externalId: Identifier?
    let activationFlag: Identifier?
    let activationId: Identifier?
    let operationType: Identifier
    let templateName: Identifier
    /// The text to sign.
    let data: String
    let parameters: [String: String]
    var additionalData: [String: JSONValue]
    var status: OperationStatus
    var statusReason: String?
    let signatureTypes: [SignatureType]
    var failureCount: Int
    let maxFailureCount: Int
    let riskFlags: String?
    /// The seed of the proximity code, 16 bytes; nil without proximity check.
    let proximitySeed: Data?
    let created: ServerTime
    let expires: ServerTime
    var finalized: ServerTime?

    /// The proximity code of a moment; nil without proximity check.
    func proximityCode(at now: ServerTime, _ policy: ProximityPolicy) -> String? {
        proximitySeed.flatMap {
            try? OneTimeCode.generate(
                seed: $0, time: UInt64(clamping: now.seconds), step: UInt64(policy.stepSeconds), digits: policy.digits)
        }
    }

    /// Whether a code is that of the current step or of an accepted earlier one; true without proximity check.
    func acceptsProximity(_ code: String?, at now: ServerTime, _ policy: ProximityPolicy) -> Bool {
        guard let proximitySeed else { return true }
        guard let code, code.utf8.count == policy.digits else { return false }
        return
            (try? OneTimeCode.isValid(
                code, seed: proximitySeed, time: UInt64(clamping: now.seconds), step: UInt64(policy.stepSeconds),
                digits: policy.digits, previousSteps: policy.previousSteps)) ?? false
    }

    /// Puts the caller's additional data over the stored one, one level deep.
    mutating func merge(_ additional: [String: JSONValue]?) { additionalData.merge(additional ?? [:]) { $1 } }

    /// Counts a failed approval; the last one ends the operation.
    mutating func countFailure(at now: ServerTime) -> UserActionResult {
        failureCount = min(failureCount + 1, maxFailureCount)
        guard failureCount >= maxFailureCount else { return .approvalFailed }
        finish(.failed, at: now)
        return .operationFailed
    }

    /// Gives the operation its final status.
    mutating func finish(_ status: OperationStatus, at now: ServerTime) {
        self.status = status
        finalized = now
    }

    /// Adds the user agent's device information to the additional data (server.md, section 18.3).
    func describingDevice() -> OperationRecord {
        guard let text = additionalData["userAgent"]?.stringValue, let device = DeviceUserAgent(text) else {
            return self
        }
        var described = self
        described.additionalData["device"] = device.json
        return described
    }
}

/// The user agent of the vendor's networking library, taken apart (server.md, section 18.3).
struct DeviceUserAgent: Sendable {
    let json: JSONValue

    /// Nil for any other user agent.
    init?(_ text: String) {
        let pattern =
            /PowerAuthNetworking\/(\S+) \(([^;)]*); ([^)]*)\) ([^\s\/]+)\/(\S+) \(([^;)]*); ([^\/;)]*)\/([^;)]*); ([^)]*)\)/
        guard let match = try? pattern.wholeMatch(in: text) else { return nil }
        let (_, network, language, connection, product, version, platform, os, osVersion, model) = match.output
        json = .object([
            "networkVersion": .string(String(network)), "language": .string(String(language)),
            "connection": .string(String(connection)), "product": .string(String(product)),
            "version": .string(String(version)), "platform": .string(String(platform)), "os": .string(String(os)),
            "osVersion": .string(String(osVersion)), "model": .string(String(model)),
        ])
    }
}
