// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import WultraMobileTokenSDK

extension UserOperation {
    /// An operation of the SDK as a scenario sees it.
    init(_ operation: WMTUserOperation) {
        self.init {
            $0.id = operation.id
            $0.name = operation.name
            $0.status = operation.status.rawValue
            $0.statusReason = operation.statusReason
            $0.data = operation.data
            $0.operationCreated = operation.operationCreated.timeIntervalSince1970
            $0.operationExpires = operation.operationExpires.timeIntervalSince1970
            $0.signatureType = operation.allowedSignatureType.signatureType.rawValue
            $0.signatureVariants = operation.allowedSignatureType.signatureFactors.map(\.rawValue)
            $0.title = operation.formData.title
            $0.message = operation.formData.message
            $0.attributes = operation.formData.attributes.map(\.members)
            $0.resultTexts = operation.formData.resultTexts.map { texts in
                ["success": texts.success, "reject": texts.reject, "failure": texts.failure].compactMapValues { $0 }
            }
            $0.ui = operation.ui.map(\.members)
        }
    }
}

extension WMTOperationAttribute {
    /// The attribute with the members that its kind has; those that are nil are left out.
    fileprivate var members: [String: JSONValue] {
        let own: [String: String?] =
            switch self {
            case let row as WMTOperationAttributeAmount: row.money
            case let row as WMTOperationAttributeAmountConversion: row.conversion
            case let row as WMTOperationAttributeKeyValue: ["value": row.value]
            case let row as WMTOperationAttributeNote: ["note": row.note]
            case let row as WMTOperationAttributePartyInfo: row.party
            case let row as WMTOperationAttributeImage:
                ["thumbnailUrl": row.thumbnailUrl, "originalUrl": row.originalUrl]
            default: [:]
            }
        let base = ["type": type.rawValue, "id": label.id, "label": label.value]
        return own.compactMapValues { $0 }.merging(base) { own, _ in own }.mapValues { .string($0) }
    }
}

extension WMTOperationAttributeAmount {
    fileprivate var money: [String: String?] {
        [
            "amount": amount?.description, "currency": currency, "amountFormatted": amountFormatted,
            "currencyFormatted": currencyFormatted, "valueFormatted": valueFormatted,
        ]
    }
}

extension WMTOperationAttributeAmountConversion {
    fileprivate var conversion: [String: String?] {
        [
            "dynamic": dynamic.description, "sourceAmount": source.amount?.description,
            "sourceCurrency": source.currency, "sourceValueFormatted": source.valueFormatted,
            "targetAmount": target.amount?.description, "targetCurrency": target.currency,
            "targetValueFormatted": target.valueFormatted,
        ]
    }
}

extension WMTOperationAttributePartyInfo {
    fileprivate var party: [String: String?] {
        [
            "name": partyInfo.name, "description": partyInfo.description,
            "logoUrl": partyInfo.hasLogo ? partyInfo.logoUrl.absoluteString : nil,
            "websiteUrl": partyInfo.websiteUrl?.absoluteString,
        ]
    }
}

extension WMTOperationUIData {
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["flipButtons"] = flipButtons.map { .bool($0) }
        members["blockApprovalOnCall"] = blockApprovalOnCall.map { .bool($0) }
        members["preApprovalScreen"] = preApprovalScreen.map(\.members)
        members["postApprovalScreen"] = postApprovalScreen.map(\.members)
        return members
    }
}

extension WMTPreApprovalScreen {
    fileprivate var members: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(type.rawValue), "heading": .string(heading), "message": .string(message),
        ]
        members["items"] = items.map { .array($0.map { .string($0) }) }
        members["approvalType"] = approvalType.map { .string($0.rawValue) }
        return .object(members)
    }
}

extension WMTPostApprovalScreen {
    fileprivate var members: JSONValue {
        var members: [String: JSONValue] = ["type": .string(type.rawValue)]
        if let content {
            members["heading"] = .string(content.heading)
            members["message"] = .string(content.message)
            members["payload"] = content.payload
        }
        return .object(members)
    }

    /// What the screens of its class have; nil for a class that has nothing. The payload is nil for a value that has no
    /// JSON form, such as an infinite number.
    private var content: (heading: String, message: String, payload: JSONValue?)? {
        switch self {
        case let screen as WMTPostApprovalScreenReview:
            let attributes = screen.payload.attributes.map { JSONValue.object($0.members) }
            return (screen.heading, screen.message, ["attributes": .array(attributes)])
        case let screen as WMTPostApprovalScreenRedirect:
            return (screen.heading, screen.message, try? JSONValue(encoding: screen.payload))
        case let screen as WMTPostApprovalScreenGeneric:
            return (screen.heading, screen.message, try? JSONValue(encoding: screen.payload))
        default: return nil
        }
    }
}
