// SPDX-License-Identifier: Apache-2.0

import LabCore

/// Reads the templates of operations and of their texts in a server's settings.
///
/// Used by one thread.
struct TemplateSettingsReader {
    let collector: DiagnosticCollector

    /// The list `operationTemplates`; invalid entries are reported and left out.
    func operationTemplates(_ reader: MappingReader) -> [ServerSettings.OperationTemplate] {
        let templates = elements(
            of: "operationTemplates", in: reader, called: "an operation template", operationTemplate)
        return unique(templates, what: "operation template") { $0.templateName }
    }

    /// The list `uiTemplates`; invalid entries are reported and left out.
    func uiTemplates(_ reader: MappingReader) -> [ServerSettings.UITemplate] {
        let templates = elements(of: "uiTemplates", in: reader, called: "a UI template", uiTemplate)
        return unique(templates, what: "UI template") { "\($0.placeholder) (\($0.language))" }
    }

    private typealias Placed<Template> = (template: Template, place: SourcePlace)

    private func elements<Template>(
        of key: String, in reader: MappingReader, called container: String,
        _ read: (MappingReader) -> Template?
    ) -> [Placed<Template>] {
        (reader.list(key) ?? []).compactMap { node in
            guard let reader = MappingReader(node, container: container, reporting: collector) else { return nil }
            let template = read(reader)
            reader.finish()
            return template.map { ($0, node.place) }
        }
    }

    private func unique<Template>(
        _ templates: [Placed<Template>], what: String, name: (Template) -> String
    ) -> [Template] {
        var names: Set<String> = []
        for (template, place) in templates where !names.insert(name(template)).inserted {
            collector.report(.duplicateName(name: name(template), what: what), at: place)
        }
        return templates.map(\.template)
    }

    private func operationTemplate(_ reader: MappingReader) -> ServerSettings.OperationTemplate? {
        let name = words(reader, "templateName", required: true)
        let data = words(reader, "dataTemplate", required: true)
        let type = words(reader, "operationType")
        let factors = factors(reader)
        let failures = reader.integer("maxFailureCount", in: 1...1000)
        let expiration = expiration(reader)
        let flags = reader.text("riskFlags")
        let isNear = reader.boolean("proximityCheckEnabled")
        guard let name, let data else { return nil }
        var template = ServerSettings.OperationTemplate(templateName: name, dataTemplate: data)
        if let type { template.operationType = type }
        if let factors { template.signatureType = factors }
        if let failures { template.maxFailureCount = Int(failures) }
        if let expiration { template.expiration = expiration }
        template.riskFlags = flags
        if let isNear { template.proximityCheckEnabled = isNear }
        return template
    }

    private func factors(_ reader: MappingReader) -> [ServerSettings.Factors]? {
        let key = "signatureType"
        guard let list = reader.list(key) else { return nil }
        guard !list.isEmpty else {
            collector.report(.emptyList(what: "`\(key)`"), at: reader.place(of: key))
            return nil
        }
        var factors: [ServerSettings.Factors] = []
        for element in list {
            guard let factor = element.scalar.flatMap({ ServerSettings.Factors(rawValue: $0.text) }) else {
                collector.report(
                    .notAChoice(
                        what: "an element of `\(key)`", value: element.scalar?.text ?? "\(element.shape)",
                        choices: ServerSettings.Factors.allCases.map(\.rawValue)), at: element.place)
                continue
            }
            guard !factors.contains(factor) else {
                collector.report(.duplicateName(name: factor.rawValue, what: "signature type"), at: element.place)
                continue
            }
            factors.append(factor)
        }
        return factors
    }

    /// At least a second and at most a year, in seconds.
    private func expiration(_ reader: MappingReader) -> Int64? {
        let key = "expiration"
        guard let duration = reader.duration(key) else { return nil }
        let (seconds, rest) = duration.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest == 0, (1...Self.longestExpiration).contains(seconds) else {
            collector.report(
                .outOfRange(what: "`\(key)`", value: reader.text(key) ?? "", limit: "whole seconds from 1s to 365d"),
                at: reader.place(of: key))
            return nil
        }
        return seconds
    }

    private static let longestExpiration: Int64 = 365 * 86_400

    private func uiTemplate(_ reader: MappingReader) -> ServerSettings.UITemplate? {
        let placeholder = words(reader, "placeholder", required: true)
        let title = words(reader, "title", required: true)
        let message = reader.text("message", required: true)
        let language = language(reader)
        let attributes = attributes(reader)
        let resultTexts = json(reader, "resultTexts")
        let ui = json(reader, "ui")
        guard let placeholder, let title, let message else { return nil }
        var template = ServerSettings.UITemplate(placeholder: placeholder, title: title, message: message)
        if let language { template.language = language }
        (template.attributes, template.resultTexts, template.ui) = (attributes, resultTexts, ui)
        return template
    }

    private func language(_ reader: MappingReader) -> String? {
        let limit = ServerSettings.UITemplate.languageLength
        guard let language = words(reader, "language") else { return nil }
        guard language.count <= limit else {
            collector.report(
                .outOfRange(what: "`language`", value: language, limit: "at most \(limit) characters"),
                at: reader.place(of: "language"))
            return nil
        }
        return language
    }

    private func attributes(_ reader: MappingReader) -> JSONValue? {
        guard let node = reader.optional("attributes") else { return nil }
        for element in node.elements ?? [] {
            guard let reader = MappingReader(element, container: "an attribute", reporting: collector) else { continue }
            for key in ["id", "type", "text"] { _ = reader.text(key, required: true) }
            for parameter in reader.namedEntries("params") ?? [] where parameter.value.scalar == nil {
                collector.report(
                    .wrongShape(what: "`\(parameter.key)`", expected: .value, actual: parameter.value.shape),
                    at: parameter.value.place)
            }
            reader.finish()
        }
        return node.json(as: .list, of: "attributes", reporting: collector)
    }

    private func json(_ reader: MappingReader, _ key: String) -> JSONValue? {
        reader.optional(key)?.json(as: .mapping, of: key, reporting: collector)
    }

    /// A text that is not blank.
    private func words(_ reader: MappingReader, _ key: String, required isRequired: Bool = false) -> String? {
        guard let text = reader.text(key, required: isRequired) else { return nil }
        guard text.contains(where: { !$0.isWhitespace }) else {
            collector.report(.misfit(what: "`\(key)`", reason: "it must not be blank"), at: reader.place(of: key))
            return nil
        }
        return text
    }
}
