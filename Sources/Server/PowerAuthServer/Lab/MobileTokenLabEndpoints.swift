import Foundation
import LabKit

/// `/lab/payments`, `/lab/pushes`, `/lab/inbox` and `/lab/ui-templates`: the shortcuts of a lab, and the texts of
/// operations, which no resource of the vendor's changes.
struct MobileTokenLabEndpoints: Sendable {
    let context: ServiceContext

    private struct Pushes: Encodable {
        let pushes: [PushJournal.Entry]
    }

    private struct Message: Encodable {
        let id: Identifier
    }

    private struct Templates: Encodable {
        let templates: [Template]
    }

    /// A template; its JSON parts are JSON, or texts with placeholders where no JSON value can stand.
    private struct Template: Codable {
        var placeholder: Identifier?
        var language: String?
        var title: String?
        var message: String?
        var attributes: JSONValue?
        var resultTexts: JSONValue?
        var ui: JSONValue?

        init(_ template: UITemplate) {
            placeholder = template.placeholder
            language = template.language
            title = template.title
            message = template.message
            attributes = template.attributes.map(Self.json)
            resultTexts = template.resultTexts.map(Self.json)
            ui = template.ui.map(Self.json)
        }

        var template: UITemplate {
            UITemplate(
                placeholder: placeholder ?? .none, language: language ?? UITemplates.defaultLanguage,
                title: title ?? "", message: message ?? "", attributes: UITemplate.stored(attributes),
                resultTexts: UITemplate.stored(resultTexts), ui: UITemplate.stored(ui))
        }

        private static func json(_ text: String) -> JSONValue {
            (try? JSONValue.parse(text)) ?? .string(text)
        }
    }

    private var shortcuts: LabShortcuts { LabShortcuts(context: context) }

    var endpoints: [Endpoint] {
        [
            .lab("/lab/payments", methods: ["POST"]) { request in
                let payment = try shortcuts.createPayment(Self.command(in: request))
                return try .ok(OperationView(payment, proximityCode: context.proximityCode(of: payment)))
            },
            .lab("/lab/pushes", methods: ["GET", "POST", "DELETE"], answer: pushes),
            .lab("/lab/inbox", methods: ["POST"]) { request in
                try .ok(Message(id: shortcuts.sendInboxMessage(Self.command(in: request)).id))
            },
            .lab(
                "/lab/ui-templates", methods: ["GET", "POST"], takes: Template.self,
                limits: [
                    "": .having("placeholder", "title"), "placeholder": .notBlank, "title": .notBlank,
                    "language": .upTo(Int64(UITemplate.languageLength)),
                ], answer: templates),
            .lab(
                "/lab/ui-templates/{placeholder}/{language}", methods: ["DELETE"], others: [.notFound]
            ) { request in
                let (placeholder, language) = try (
                    request.identifier("placeholder") ?? .none, request.identifier("language") ?? .none
                )
                let isRemoved = try context.change {
                    try UITemplateStore.delete($0.database, placeholder: placeholder, language: language.text)
                }
                guard isRemoved else { throw ErrorResponse.notFound }
                return try .ok(EmptyEnvelope())
            },
        ]
    }

    @Sendable private func pushes(_ request: ServerRequest) throws -> ServerResponse {
        if request.method == "POST" {
            return try .ok(Pushes(pushes: shortcuts.sendPush(Self.command(in: request))))
        }
        // Everything committed before the request is in the answer.
        context.pushes.settle()
        if request.method == "DELETE" { context.pushes.journal.clear() }
        let after = try QueryParameters(request.query)["after"].flatMap(Int.init) ?? 0
        return try .ok(Pushes(pushes: context.pushes.journal.entries(after: after)))
    }

    @Sendable private func templates(_ request: ServerRequest) throws -> ServerResponse {
        if request.method == "POST" {
            let template = try JSONBody.decode(Template.self, from: request.body).template
            try template.validate()
            try context.change { try UITemplateStore.save($0.database, template) }
        }
        return try .ok(Templates(templates: context.read { try UITemplateStore.list($0) }.map(Template.init)))
    }

    /// The parameters of a command, with its defaults for those that are missing.
    private static func command<Wanted: Command>(in request: ServerRequest) throws -> Wanted {
        let wanted = try request.body.isEmpty ? [:] : JSONBody.decode(JSONValue.self, from: request.body)
        guard wanted.objectValue != nil else { throw ServiceError(.invalidRequest, "the parameters are an object") }
        do {
            return try Wanted.read(wanted)
        } catch {
            throw ServiceError(.invalidRequest, error.message)
        }
    }
}
