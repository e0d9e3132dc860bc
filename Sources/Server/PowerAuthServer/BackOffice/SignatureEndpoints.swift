// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// `/signature/**` (server.md, section 8).
struct SignatureEndpoints: Sendable {
    let context: ServiceContext
    let api: BackOfficeAPI

    private struct VerifyRequest: Decodable {
        var activationId: Identifier?
        var applicationKey: Identifier?
        var data: String?
        var signature: String?
        var signatureType: EnumName<SignatureType>?
        var signatureVersion: String?
        var forcedSignatureVersion: LenientInteger?
    }

    private struct ProximityRequest: Decodable {
        var seed: Base64Field?
        var stepLength: LenientInteger?
        var stepCount: LenientInteger?

        /// For a payload, which has the code of one moment.
        func payloadCheck() throws -> OfflineSignatureService.ProximityCheck {
            guard let seed, let stepLength else {
                throw ServiceError.invalid("proximityCheck needs seed and stepLength")
            }
            return .init(seed: seed.data, stepLength: Int(stepLength.value))
        }

        /// For an answer, which may come some steps later.
        func answerCheck() throws -> OfflineSignatureService.ProximityCheck {
            guard let stepCount else { throw ServiceError.invalid("proximityCheck needs stepCount") }
            var check = try payloadCheck()
            check.stepCount = Int(stepCount.value)
            return check
        }
    }

    private struct OfflineVerifyRequest: Decodable {
        var activationId: Identifier?
        var data: String?
        var signature: String?
        var componentLength: LenientInteger?
        var allowBiometry: Bool?
        var proximityCheck: ProximityRequest?
    }

    private struct PersonalizedRequest: Decodable {
        var activationId: Identifier?
        var data: String?
        var nonce: String?
        var proximityCheck: ProximityRequest?
    }

    private struct NonPersonalizedRequest: Decodable {
        var applicationId: Identifier?
        var data: String?
    }

    private struct PayloadView: Codable {
        let offlineData: String
        let nonce: String

        init(_ payload: any OfflineCode) {
            offlineData = payload.text
            nonce = payload.nonce
        }
    }

    private struct DeviceKeyVerifyRequest: Decodable {
        var activationId: Identifier?
        var data: Base64Field?
        var signature: Base64Field?
        var signatureFormat: EnumName<ECDSAFormat>?
    }

    private struct DeviceKeyVerifyView: Codable { let signatureValid: Bool }

    private struct SignRequest: Decodable {
        var activationId: Identifier?
        var data: Base64Field?
    }

    private struct SignView: Codable { let signature: String }

    private struct AuditRequest: Decodable {
        var userId: Identifier?
        var applicationId: Identifier?
        var timestampFrom: RequestedDate?
        var timestampTo: RequestedDate?
    }

    var endpoints: [Endpoint] {
        let offline = OfflineSignatureService(context: context)
        return [
            .backOffice("/signature/verify", quickly: verifyCached, verify),
            .backOffice("/signature/offline/personalized/create") { (request: PersonalizedRequest) in
                PayloadView(
                    try offline.personalizedPayload(
                        activationId: request.activationId, data: request.data, nonce: request.nonce,
                        proximityCheck: request.proximityCheck?.payloadCheck()))
            },
            .backOffice("/signature/offline/non-personalized/create") { (request: NonPersonalizedRequest) in
                guard api == .v4 else {
                    return PayloadView(
                        try offline.nonPersonalizedPayload(applicationId: request.applicationId, data: request.data))
                }
                return PayloadView(
                    try offline.nonPersonalizedPayloadV4(applicationId: request.applicationId, data: request.data))
            },
            .backOffice("/signature/offline/verify", verifyOffline),
            .backOffice("/signature/ecdsa/verify") { (request: DeviceKeyVerifyRequest) in
                guard let activationId = request.activationId, let data = request.data,
                    let signature = request.signature
                else { throw ServiceError(.invalidRequest, "activationId, data and signature are required") }
                return DeviceKeyVerifyView(
                    signatureValid: try DeviceKeySignatureService(context: context).verify(
                        activationId: activationId, data: data.data, signature: signature.data,
                        format: request.signatureFormat?.value ?? .der))
            },
            .backOffice("/signature/ecdsa/sign") { (request: SignRequest) in
                guard let activationId = request.activationId, let data = request.data else {
                    throw ServiceError(.invalidRequest, "activationId and data are required")
                }
                let signature = try DeviceKeySignatureService(context: context).sign(
                    activationId: activationId, data: data.data)
                return SignView(signature: StrictBase64.encode(signature))
            },
            .backOffice("/signature/list") { (request: AuditRequest) in
                guard let userId = request.userId else { throw ServiceError(.invalidRequest, "userId is missing") }
                let items = try context.read {
                    try SignatureAuditStore.list(
                        $0, userId: userId, applicationId: request.applicationId, from: request.timestampFrom?.time,
                        to: request.timestampTo?.time)
                }
                return SignatureAuditView(items: items.map(SignatureAuditView.Item.init))
            },
        ]
    }

    @Sendable private func verify(_ request: VerifyRequest) throws -> SignatureVerdictView {
        let question = try question(request)
        let verdict = try SignatureService(context: context).verify(question)
        return SignatureVerdictView(activationId: question.activationId, type: question.type, verdict: verdict)
    }

    @Sendable private func verifyCached(_ request: VerifyRequest) async throws -> SignatureVerdictView? {
        let question = try question(request)
        return try await SignatureService(context: context).verifyCached(question).map {
            SignatureVerdictView(activationId: question.activationId, type: question.type, verdict: $0)
        }
    }

    private func question(_ request: VerifyRequest) throws -> SignatureQuestion {
        guard let activationId = request.activationId, let applicationKey = request.applicationKey,
            let data = request.data, let signature = request.signature, let type = request.signatureType?.value,
            let version = request.signatureVersion
        else {
            throw ServiceError(
                .invalidRequest,
                "activationId, applicationKey, data, signature, signatureType and signatureVersion are required")
        }
        let codeVersion = try codeVersion(version)
        return SignatureQuestion(
            activationId: activationId, applicationKey: applicationKey, data: .normalized(data),
            signature: signature, type: type, version: codeVersion,
            commitsUpgrade: request.forcedSignatureVersion?.value == (codeVersion == .v4 ? 4 : 3),
            versionText: version)
    }

    @Sendable private func verifyOffline(_ request: OfflineVerifyRequest) throws -> SignatureVerdictView {
        guard let activationId = request.activationId, let data = request.data, let signature = request.signature
        else { throw ServiceError(.invalidRequest, "activationId, data and signature are required") }
        let (verdict, type) = try OfflineSignatureService(context: context).verify(
            .init(
                activationId: activationId, data: data, signature: signature,
                componentLength: request.componentLength.map { Int($0.value) } ?? context.policy.offlineComponentLength,
                allowsBiometry: request.allowBiometry ?? false, proximityCheck: request.proximityCheck?.answerCheck()))
        return SignatureVerdictView(activationId: activationId, type: type, verdict: verdict)
    }

    /// - Throws: `unableToComputeSignature` or, in the newer API, `unsupportedVersion` for an unknown version.
    private func codeVersion(_ text: String) throws -> CodeVersion {
        switch api {
        case .v3: return .v3(try Self.format(ofVersion: text))
        case .v4:
            if text == CodeVersion.v4.text { return .v4 }
            guard let version = ProtocolVersion(rawValue: text) else {
                throw ServiceError(.unsupportedVersion, "authenticationVersion \(text) is unknown")
            }
            return .v3(version)
        }
    }

    /// The version decides the format only: decimal in 3.0, Base64 in 3.1 and everything later.
    private static func format(ofVersion text: String) throws -> ProtocolVersion {
        // A regular expression is compiled each time, which takes longer than the verification.
        if let known = ProtocolVersion(rawValue: text) { return known }
        // Digits only: the number parser also accepts infinity.
        guard text.wholeMatch(of: /[0-9]{1,6}(\.[0-9]{1,6})?/) != nil, let number = Double(text), number >= 3.1 else {
            throw ServiceError(.unableToComputeSignature, "signatureVersion \(text) is unknown")
        }
        return .v3_3
    }
}

extension ECDSAFormat: NamedChoice {
    var name: String {
        switch self {
        case .der: "DER"
        case .jose: "JOSE"
        }
    }
}

/// The answer of both verifications (server.md, section 8.1). All fields are always present.
struct SignatureVerdictView: Codable {
    let signatureValid: Bool
    let activationStatus: String
    @ExplicitNull var blockedReason: String?
    let activationId: Identifier
    @ExplicitNull var userId: Identifier?
    @ExplicitNull var applicationId: Identifier?
    @ExplicitNull var signatureType: String?
    @ExplicitNull var remainingAttempts: Int?
    let applicationRoles: [Identifier]
    let activationFlags: [Identifier]
}

extension SignatureVerdictView {
    /// A signature that was not looked at reveals the state only.
    init(activationId: Identifier, type: SignatureType, verdict: SignatureVerdict) {
        let seen: Activation? =
            switch verdict {
            case .unknownActivation, .refused: nil
            case .valid(let activation), .invalid(let activation): activation
            }
        self.init(
            signatureValid: verdict.isValid, activationStatus: (verdict.activation?.status ?? .removed).name,
            blockedReason: seen?.lifecycle.blockedReason, activationId: activationId, userId: seen?.userId,
            applicationId: seen?.application.id, signatureType: seen == nil ? nil : type.name,
            remainingAttempts: seen.map { $0.maxFailedAttempts - (verdict.isValid ? 0 : $0.failedAttempts) },
            applicationRoles: seen?.application.roles ?? [], activationFlags: seen?.flags ?? [])
    }
}

/// The answer of `/signature/list` (server.md, section 8.7).
struct SignatureAuditView: Codable {
    struct Item: Codable {
        let id: Int64
        let timestampCreated: BackOfficeDate
        let userId: Identifier
        let applicationId: Identifier
        let activationId: Identifier
        @ExplicitNull var activationCounter: Int64?
        @ExplicitNull var activationCtrData: String?
        let activationStatus: String
        let additionalInfo: [SignatureAudit.Info]
        let dataBase64: String
        @ExplicitNull var signatureVersion: String?
        let signatureType: String
        let signature: String
        let valid: Bool
        let note: String
        @ExplicitNull var version: Int?
    }
    let items: [Item]
}

extension SignatureAuditView.Item {
    init(_ item: SignatureAuditStore.Item) {
        self.init(
            id: item.id, timestampCreated: BackOfficeDate(item.created), userId: item.userId,
            applicationId: item.applicationId, activationId: item.activationId, activationCounter: item.counter,
            activationCtrData: item.counterData.map { StrictBase64.encode($0) }, activationStatus: item.status.name,
            additionalInfo: item.info, dataBase64: StrictBase64.encode(item.data), signatureVersion: item.versionText,
            signatureType: item.type, signature: item.signature, valid: item.isValid, note: item.note,
            version: item.activationVersion)
    }
}
