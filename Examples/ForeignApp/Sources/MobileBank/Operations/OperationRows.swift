// SPDX-License-Identifier: Apache-2.0

import Foundation
import WultraMobileTokenSDK

/// One line of the screen of an operation.
public struct OperationRow: Equatable {
    public enum Style: Equatable {
        case heading
        case value
        case note
        case image(URL)
    }

    public let title: String
    public let text: String
    public let style: Style
}

extension WMTUserOperation {
    public var rows: [OperationRow] {
        [OperationRow(title: formData.title, text: formData.message, style: .heading)]
            + formData.attributes.compactMap { $0.row }
    }

    /// What the user must confirm first; nil for nothing.
    public var warning: String? {
        guard let screen = ui?.preApprovalScreen else { return nil }
        switch screen.type {
        case .warning, .info: return ([screen.heading, screen.message] + (screen.items ?? [])).joined(separator: "\n")
        case .qr: return "Scan the code on the other screen."
        case .unknown: return screen.message
        }
    }

    public var asksForSlider: Bool { ui?.preApprovalScreen?.approvalType == .slider }

    /// What follows the approval.
    public var farewell: String? {
        switch ui?.postApprovalScreen {
        case let review as WMTPostApprovalScreenReview:
            return review.payload.attributes.compactMap { $0.row?.text }.joined(separator: "\n")
        case let redirect as WMTPostApprovalScreenRedirect:
            return "\(redirect.payload.text): \(redirect.payload.url) in \(redirect.payload.countdown) s"
        case let generic as WMTPostApprovalScreenGeneric:
            if case .string(let text)? = generic.payload["text"] { return text }
            return generic.message
        default: return formData.resultTexts?.success
        }
    }
}

extension WMTOperationAttribute {
    var row: OperationRow? {
        switch self {
        case let instalment as InstalmentAttribute:
            return row("\(instalment.parts) × \(instalment.amountFormatted) \(instalment.currencyFormatted)")
        case let amount as WMTOperationAttributeAmount:
            return row(amount.valueFormatted ?? "\(amount.amountFormatted) \(amount.currencyFormatted)")
        case let conversion as WMTOperationAttributeAmountConversion:
            return row("\(text(of: conversion.source)) → \(text(of: conversion.target))")
        case let value as WMTOperationAttributeKeyValue: return row(value.value)
        case let note as WMTOperationAttributeNote: return row(note.note, .note)
        case is WMTOperationAttributeHeading: return row("", .heading)
        case let party as WMTOperationAttributePartyInfo:
            return row("\(party.partyInfo.name), \(party.partyInfo.description)", .image(party.partyInfo.logoUrl))
        case let image as WMTOperationAttributeImage:
            return URL(string: image.originalUrl ?? image.thumbnailUrl).map { row("", .image($0)) }
        default: return nil
        }
    }

    private func row(_ text: String, _ style: OperationRow.Style = .value) -> OperationRow {
        OperationRow(title: label.value, text: text, style: style)
    }

    private func text(of money: WMTOperationAttributeAmountConversion.Money) -> String {
        money.valueFormatted ?? "\(money.amountFormatted) \(money.currencyFormatted)"
    }
}
