// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// Operations that are approved without a network: a code that the phone scans, and digits that its user types back
/// (mobile-token.md, section 19).
struct OfflineOperationService: Sendable {
    let context: ServiceContext

    /// The label that is signed in place of a URL.
    static let uriId = "/operation/authorize/offline"

    /// The content of the QR code of an operation.
    /// - Parameters:
    ///   - activationId: the activation of the code; nil creates one for any device of the application.
    ///   - language: of title and message.
    func code(
        operationId: Identifier?, activationId: Identifier?, language: String = UITemplates.defaultLanguage
    ) throws -> any OfflineCode {
        let operation = try pending(operationId)
        let data = try payloadData(operation, language: language)
        let service = OfflineSignatureService(context: context)
        guard let activationId else {
            guard operation.proximitySeed == nil else {
                throw ServiceError.invalid("an operation with proximity check needs a code for one activation")
            }
            return try service.nonPersonalizedPayload(applicationId: operation.applications.first?.id, data: data)
        }
        return try service.personalizedPayload(
            activationId: activationId, data: data, nonce: nil, proximityCheck: proximityCheck(of: operation))
    }

    private func payloadData(_ operation: OperationRecord, language: String) throws -> String {
        let template = try context.read { try UITemplates.of([operation.operationType], $0) }
            .template(for: operation.operationType, language: language)
        guard let texts = template?.texts(of: operation) else {
            throw ServiceError.invalid("operations of type \(operation.operationType) have no UI template")
        }
        let lines = [
            operation.id.text, OfflineText.line(texts.title), OfflineText.line(texts.message), operation.data,
            Self.flags(of: operation),
        ]
        return lines.joined(separator: "\n")
    }

    /// Whether biometry is sufficient, and the requirements of the operation's risk on the app.
    static func flags(of operation: OperationRecord) -> String {
        let biometry = operation.signatureTypes.contains(.possessionBiometry) ? "B" : ""
        return biometry + "XFC".filter { operation.riskFlags?.contains($0) ?? false }
    }

    // MARK: Verification

    /// The user's input, and its operation.
    struct Answer: Sendable {
        var operationId: Identifier?
        var activationId: Identifier?
        /// Of the code that was scanned.
        var nonce: String?
        /// As many digits as the policy says for each of two factors.
        var digits: String?
    }

    struct Outcome: Sendable {
        let isValid: Bool
        let signatureType: SignatureType
        /// Nil for an activation that does not exist.
        let activation: Activation?
        let operation: OperationRecord

        /// How many wrong answers the activation still survives.
        var remainingAttempts: Int { activation?.remainingAttempts ?? 0 }
    }

    /// Checks the digits: right ones approve the operation, wrong ones count as a failed approval.
    /// - Throws: `invalidRequest` for digits of another form, which count for nothing; `operationNotFound`,
    ///   `operationInvalidState`.
    func verify(_ answer: Answer) throws -> Outcome {
        guard let nonce = answer.nonce, let activationId = answer.activationId, let digits = answer.digits else {
            throw ServiceError.invalid("activationId, nonce and the digits are required")
        }
        let length = context.policy.offlineComponentLength
        let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.wholeMatch(of: /[0-9]+/) != nil && $0.count == length }) else {
            let example = "12345678".prefix(length)
            throw ServiceError.invalid("the digits must have the form \(example)-\(example)")
        }
        let operation = try pending(answer.operationId)
        var question = OfflineSignatureService.Question(
            activationId: activationId, data: Self.signedData(operation, nonce: nonce), signature: digits,
            componentLength: length)
        question.allowsBiometry = operation.signatureTypes.contains(.possessionBiometry)
        question.proximityCheck = proximityCheck(of: operation)
        let (verdict, type) = try OfflineSignatureService(context: context).verify(question)
        let decisions = OperationDecisionService(context: context)
        switch verdict {
        case .valid(let activation):
            let decided = try decisions.approve(
                .init(
                    operationId: operation.id, userId: activation.userId, applicationId: activation.application.id,
                    data: operation.data, signatureType: type,
                    additionalData: approvalData(operation, activation, type)))
            return Outcome(
                isValid: decided.result == .approved, signatureType: type, activation: activation,
                operation: decided.operation)
        case .invalid(let activation):
            let failed = try decisions.failApproval(operationId: operation.id, additionalData: nil)
            return Outcome(isValid: false, signatureType: type, activation: activation, operation: failed.operation)
        case .refused, .unknownActivation:
            // Not counted: the activation could not have approved.
            return Outcome(isValid: false, signatureType: type, activation: verdict.activation, operation: operation)
        }
    }

    private func approvalData(
        _ operation: OperationRecord, _ activation: Activation, _ type: SignatureType
    ) -> [String: JSONValue] {
        var data: [String: JSONValue] = [
            "activationId": .string(activation.id.text), "applicationId": .string(activation.application.id.text),
            "authFactor": .string(type.rawValue),
        ]
        // The digits cover the code of the payload, so that the caller need not supply it.
        data["proximity_otp"] = context.proximityCode(of: operation).map(JSONValue.string)
        return data
    }

    /// The data that the app signs (mobile-token.md, section 9.6).
    private static func signedData(_ operation: OperationRecord, nonce: String) -> String {
        let body = StrictBase64.encode(Data("\(operation.id)&\(operation.data)".utf8))
        return "POST&\(StrictBase64.encode(Data(uriId.utf8)))&\(nonce)&\(body)"
    }

    private func proximityCheck(of operation: OperationRecord) -> OfflineSignatureService.ProximityCheck? {
        operation.proximitySeed.map {
            .init(
                seed: $0, stepLength: context.policy.proximity.stepSeconds,
                stepCount: context.policy.proximity.previousSteps)
        }
    }

    private func pending(_ id: Identifier?) throws -> OperationRecord {
        let operation = try OperationService(context: context).detail(id: id, userId: nil)
        guard operation.status == .pending else {
            throw ServiceError(.operationInvalidState, "operation \(operation.id) is \(operation.status.name)")
        }
        return operation
    }
}

/// A text as a line of an offline payload (mobile-token.md, section 19).
enum OfflineText {
    /// Makes one line of a text: backslashes and line ends are escaped, other control characters left out, and runs of
    /// white space become one space. What goes is decided by the code point alone (mobile-token.md, section 24, item 26).
    static func line(_ text: String) -> String {
        var line = ""
        var endsWithSpace = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n":
                line += "\\n"
                endsWithSpace = false
            case "\\":
                line += "\\\\"
                endsWithSpace = false
            case _ where scalar.properties.generalCategory == .control: break
            case _ where scalar.properties.isWhitespace:
                if !endsWithSpace { line += " " }
                endsWithSpace = true
            default:
                line.unicodeScalars.append(scalar)
                endsWithSpace = false
            }
        }
        return line
    }
}
