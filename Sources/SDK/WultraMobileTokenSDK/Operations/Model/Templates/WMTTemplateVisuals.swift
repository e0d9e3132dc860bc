// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes the visuals of an operation and its templates (mobile-token.md, section 7.8).
public enum WMTTemplateVisualParser {
    /// The visual of the list.
    public static func prepareForList(operation: WMTUserOperation) -> WMTTemplateListVisual {
        let template = operation.ui?.templates?.list
        let form = operation.formData
        let hasTexts = !form.message.isEmpty
        return WMTTemplateListVisual(
            style: template?.style, header: template?.header.flatMap { fill($0, form.attributes) },
            title: template?.title.flatMap { fill($0, form.attributes) } ?? (hasTexts ? form.title : nil),
            message: template?.message.flatMap { fill($0, form.attributes) } ?? (hasTexts ? form.message : nil),
            thumbnailImageURL: template?.image.flatMap { image($0, form.attributes) }, template: template)
    }

    /// The visual of the operation's own screen.
    public static func prepareForDetail(operation: WMTUserOperation) -> WMTTemplateDetailVisual {
        WMTTemplateDetailVisual(operation)
    }

    /// The text with a value in place of each placeholder; nil if a value is missing.
    private static func fill(_ text: String, _ attributes: [WMTOperationAttribute]) -> String? {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            let name = rest[start.upperBound..<end]
            guard let value = attributes.first(where: { $0.label.id == name })?.placeholderValue else {
                WMTLogger.warning("The placeholder \"\(name)\" of a template has no value.")
                return nil
            }
            result += rest[..<start.lowerBound] + value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func image(_ name: String, _ attributes: [WMTOperationAttribute]) -> URL? {
        let images = attributes.compactMap { $0 as? WMTOperationAttributeImage }
        return images.first { $0.label.id == name }.flatMap { URL(string: $0.thumbnailUrl) }
    }
}

/// The visual of an operation in the list. Thread rule: any thread.
public struct WMTTemplateListVisual: Equatable, Sendable {
    /// Name of a style that app and back end agree on.
    public let style: String?
    /// Line above the title.
    public let header: String?
    /// Title.
    public let title: String?
    /// Line below the title.
    public let message: String?
    /// Where the small picture is.
    public let thumbnailImageURL: URL?
    /// The template that was used; nil without one.
    public let template: WMTTemplates.ListTemplate?
}

extension WMTOperationAttribute {
    /// The attribute's text in a placeholder; nil for one that no text can show.
    fileprivate var placeholderValue: String? {
        switch self {
        case is WMTOperationAttributeHeading: label.value
        default: shownValue
        }
    }

    /// The value as one text; nil for an attribute without one.
    var shownValue: String? {
        switch self {
        case let attribute as WMTOperationAttributeAmount:
            attribute.valueFormatted ?? "\(attribute.amountFormatted) \(attribute.currencyFormatted)"
        case let attribute as WMTOperationAttributeAmountConversion: attribute.shownConversion
        case let attribute as WMTOperationAttributeKeyValue: attribute.value
        case let attribute as WMTOperationAttributeNote: attribute.note
        default: nil
        }
    }
}

extension WMTOperationAttributeAmountConversion {
    /// Both sides in the same form, so that they can be compared.
    fileprivate var shownConversion: String {
        if let source = source.valueFormatted, let target = target.valueFormatted { return "\(source) → \(target)" }
        return "\(source.amountFormatted) \(source.currencyFormatted) → "
            + "\(target.amountFormatted) \(target.currencyFormatted)"
    }
}

/// The visual of an operation's screen.
public struct WMTTemplateDetailVisual {
    /// The sections, from top to bottom.
    public let sections: [WMTUserOperationVisualSection]

    init(_ operation: WMTUserOperation) {
        let form = operation.formData
        let template = operation.ui?.templates?.detail
        var rest = form.attributes
        var sections: [WMTUserOperationVisualSection] = []
        if template?.showTitleAndMessage != false {
            sections.append(
                WMTUserOperationVisualSection(
                    style: nil, title: nil,
                    cells: [
                        WMTUserOperationHeaderVisualCell(value: form.title),
                        WMTUserOperationMessageVisualCell(value: form.message),
                    ]))
        }
        for section in template?.sections ?? [] {
            let title = section.title.flatMap { rest.take($0) }?.label.value
            let cells = (section.cells ?? []).compactMap { cell in rest.take(cell.name).map { Self.cell($0, cell) } }
            sections.append(WMTUserOperationVisualSection(style: section.style, title: title, cells: cells))
        }
        if !rest.isEmpty {
            sections.append(
                WMTUserOperationVisualSection(style: nil, title: nil, cells: rest.map { Self.cell($0, nil) }))
        }
        self.sections = sections
    }

    private static func cell(
        _ attribute: WMTOperationAttribute, _ template: WMTTemplates.DetailTemplate.Section.Cell?
    ) -> any WMTUserOperationVisualCell {
        switch attribute {
        case is WMTOperationAttributeHeading:
            WMTUserOperationHeadingVisualCell(
                header: attribute.label.value, style: template?.style, attribute: attribute, cellTemplate: template)
        case let image as WMTOperationAttributeImage:
            WMTUserOperationImageVisualCell(
                urlThumbnail: URL(string: image.thumbnailUrl), urlFull: image.originalUrl.flatMap(URL.init(string:)),
                style: template?.style, attribute: image, cellTemplate: template)
        default:
            WMTUserOperationValueAttributeVisualCell(
                header: attribute.label.value, defaultFormattedStringValue: attribute.shownValue ?? "",
                style: template?.style, attribute: attribute, cellTemplate: template)
        }
    }
}

/// Cells that belong together.
public struct WMTUserOperationVisualSection {
    /// Name of a style that app and back end agree on.
    public let style: String?
    /// Title; nil without one.
    public let title: String?
    /// The cells, from top to bottom.
    public let cells: [any WMTUserOperationVisualCell]
}

/// One line of an operation's screen.
public protocol WMTUserOperationVisualCell {}

/// The title of an operation.
public struct WMTUserOperationHeaderVisualCell: WMTUserOperationVisualCell {
    /// The title.
    public let value: String
}

/// The message of an operation.
public struct WMTUserOperationMessageVisualCell: WMTUserOperationVisualCell {
    /// The message.
    public let value: String
}

/// A heading.
public struct WMTUserOperationHeadingVisualCell: WMTUserOperationVisualCell {
    /// The heading.
    public let header: String
    /// Name of a style that app and back end agree on.
    public let style: String?
    /// What is shown.
    public let attribute: WMTOperationAttribute
    /// How; nil without a template.
    public let cellTemplate: WMTTemplates.DetailTemplate.Section.Cell?
}

/// A picture.
public struct WMTUserOperationImageVisualCell: WMTUserOperationVisualCell {
    /// The URL of the small picture; nil for an invalid URL.
    public let urlThumbnail: URL?
    /// Where the full picture is; nil without one.
    public let urlFull: URL?
    /// Name of a style that app and back end agree on.
    public let style: String?
    /// What is shown.
    public let attribute: WMTOperationAttributeImage
    /// How; nil without a template.
    public let cellTemplate: WMTTemplates.DetailTemplate.Section.Cell?
}

/// A value with its label.
public struct WMTUserOperationValueAttributeVisualCell: WMTUserOperationVisualCell {
    /// The label.
    public let header: String
    /// The value as one text; empty for an attribute that no text can show, which the app shows in its own way.
    public let defaultFormattedStringValue: String
    /// Name of a style that app and back end agree on.
    public let style: String?
    /// What is shown.
    public let attribute: WMTOperationAttribute
    /// How; nil without a template.
    public let cellTemplate: WMTTemplates.DetailTemplate.Section.Cell?
}

extension [WMTOperationAttribute] {
    /// Removes the first attribute with an identifier, because each is shown once.
    fileprivate mutating func take(_ id: String) -> WMTOperationAttribute? {
        guard let index = firstIndex(where: { $0.label.id == id }) else {
            WMTLogger.warning("A template names the attribute \"\(id)\", which the operation does not have.")
            return nil
        }
        return remove(at: index)
    }
}
