public import Foundation

/// Makes the visuals of an operation and its templates (mobile-token.md, section 7.8).
public enum WMTTemplateVisualParser {
    /// The visual of the list.
    public static func prepareForList(operation: WMTUserOperation) -> WMTTemplateListVisual {
        let template = operation.ui?.templates?.list
        let form = operation.formData
        let hasTexts = !form.message.isEmpty
        return WMTTemplateListVisual(
            style: template?.style,
            header: template?.header.flatMap { fill($0, form.attributes) },
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
        case let attribute as WMTOperationAttributeAmountConversion:
            attribute.shownConversion
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
