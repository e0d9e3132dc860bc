// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabVocabulary

/// `/lab/payments`, `/lab/pushes`, `/lab/inbox` and `/lab/ui-templates`: the shortcuts of a lab, and the texts of
/// operations, which no resource of the vendor's changes.
struct MobileTokenLabEndpoints: Sendable {
    let context: ServiceContext

    /// A template; its JSON parts are JSON, or texts with placeholders where no JSON value can stand.
    private struct Template: Codable {
        var placeholder: Identifier?
        var language: String?
        var title: String?
        var message: String?
        var attributes: JSONValue?
        var resultTexts: JSONValue?
        var ui: JSONValue?

        var template: UITemplate {
            UITemplate(
                placeholder: placeholder ?? .none, language: language ?? UITemplates.defaultLanguage,
                title: title ?? "", message: message ?? "", attributes: UITemplate.stored(attributes),
                resultTexts: UITemplate.stored(resultTexts), ui: UITemplate.stored(ui))
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
                try .ok(["id": shortcuts.sendInboxMessage(Self.command(in: request)).id])
            },
            .lab(
                "/lab/ui-templates", methods: ["GET", "POST"], takes: Template.self,
                limits: [
                    "": .having(["placeholder", "title"]), "placeholder": .notBlank, "title": .notBlank,
                    "language": .upTo(Int64(UITemplate.languageLength)),
                ], answer: templates),
            .lab("/lab/ui-templates/{placeholder}/{language}", methods: ["DELETE"], others: [.notFound]) { request in
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
        if request.method == "POST" { return try .ok(["pushes": shortcuts.sendPush(Self.command(in: request))]) }
        // Everything committed before the request is in the answer.
        context.pushes.settle()
        if request.method == "DELETE" { context.pushes.journal.clear() }
        let after = try QueryParameters(request.query)["after"].flatMap(Int.init) ?? 0
        return try .ok(["pushes": context.pushes.journal.entries(after: after)])
    }

    @Sendable private func templates(_ request: ServerRequest) throws -> ServerResponse {
        if request.method == "POST" {
            let template = try JSONBody.decode(Template.self, from: request.body).template
            try template.validate()
            try context.change { try UITemplateStore.save($0.database, template) }
        }
        return try .ok(["templates": context.read { try UITemplateStore.list($0) }.map(Self.view)])
    }

    private static func view(_ template: UITemplate) -> Template {
        func json(_ text: String) -> JSONValue { (try? JSONValue.parse(text)) ?? .string(text) }
        return Template(
            placeholder: template.placeholder, language: template.language, title: template.title,
            message: template.message, attributes: template.attributes.map(json),
            resultTexts: template.resultTexts.map(json), ui: template.ui.map(json))
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

/// Frequent back-office tasks of the Mobile Token API, in one call each.
struct LabShortcuts: Sendable {
    let context: ServiceContext

    /// Creates a payment in every application.
    func createPayment(_ payment: CreatePayment) throws -> OperationRecord {
        var parameters = ["amount": payment.amount, "currency": payment.currency, "iban": payment.iban]
        parameters["note"] = payment.note
        return try createOperation(
            .init(
                userId: Identifier(payment.userId, field: "userId"),
                templateName: Identifier(known: DefaultTemplates.payment), parameters: parameters,
                isProximityCheckEnabled: payment.proximityCheck))
    }

    /// Creates an operation, in every application unless it names some.
    func createOperation(_ operation: OperationService.NewOperation) throws -> OperationRecord {
        var operation = operation
        if operation.applicationIds.isEmpty { operation.applicationIds = try applications().map(\.id) }
        return try OperationService(context: context).create(operation)
    }

    /// Sends a message to all devices of a user and waits until it is handed over.
    func sendPush(_ command: SendPush) throws -> [PushJournal.Entry] {
        try context.pushes.deliver(
            .message(
                PushMessage(
                    title: command.title, body: command.body, sound: "default", isSilent: command.silent,
                    isPersonal: command.personal, extras: command.userInfo),
                .init(
                    userId: Identifier(command.userId, field: "userId"), applications: applications().map(\.row),
                    activationId: .named(command.activationId, field: "activationId"))),
            context)
    }

    /// Puts a message into the inbox of a user.
    func sendInboxMessage(_ command: SendInboxMessage) throws -> InboxMessage {
        try InboxService(context: context).create(
            .init(
                userId: Identifier(command.userId, field: "userId"), format: command.type == .html ? .html : .text,
                subject: command.subject, summary: command.summary, body: command.body, isSilent: command.silent))
    }

    private func applications() throws -> [Application] { try context.read(ApplicationStore.all) }
}
