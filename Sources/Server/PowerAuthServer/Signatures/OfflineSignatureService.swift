// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The payload of a QR code, in either generation of the protocol.
protocol OfflineCode: Sendable {
    /// The whole payload.
    var text: String { get }
    /// Base64 text of 16 bytes.
    var nonce: String { get }
}

extension OfflinePayload: OfflineCode {}
extension OfflinePayloadV4: OfflineCode {}

/// Signatures without a network: signed payloads for QR codes, and the digits a user types back
/// (server.md, sections 8.2 to 8.4; protocol-4.md, sections 9 and 15).
struct OfflineSignatureService: Sendable {
    let context: ServiceContext

    /// A one-time code that ties a payload to a moment.
    struct ProximityCheck: Sendable {
        let seed: Data
        /// Seconds.
        let stepLength: Int
        /// How many earlier steps are accepted; not used when a payload is made.
        var stepCount = 0

        /// The code of a moment, or of `steps` earlier.
        /// - Throws: `invalidRequest` for a step length that is not positive.
        func code(at now: ServerTime, stepsBack steps: Int = 0, digits: Int) throws -> String? {
            guard stepLength >= 1 else { throw ServiceError.invalid("stepLength must be at least 1 second") }
            let (back, overflow) = Int64(steps).multipliedReportingOverflow(by: Int64(stepLength))
            guard !overflow, back <= now.seconds else { return nil }
            return try OneTimeCode.generate(
                seed: seed, time: UInt64(clamping: now.seconds - back), step: UInt64(stepLength), digits: digits)
        }
    }

    // MARK: Payloads

    /// Makes a payload that one device can verify.
    /// - Throws: `invalidRequest` for a missing parameter or a bad nonce, `activationNotFound`.
    func personalizedPayload(
        activationId: Identifier?, data: String?, nonce: String?, proximityCheck: ProximityCheck?
    ) throws -> any OfflineCode {
        let id = try ActivationService.required(activationId)
        guard let data else { throw ServiceError(.invalidRequest, "data is missing") }
        let activation = try context.read { try ActivationStore.required($0, id: id) }
        let code = try proximityCheck?.code(at: context.clock.now(), digits: context.policy.proximity.digits)
        if activation.lifecycle.binding?.version == 4, let record = activation.version4 {
            let key = try context.seal.secrets(of: activation, record).keys.utility.personalizedData
            do {
                return try OfflinePayloadV4(
                    data: data, oneTimeCode: code, nonce: nonce ?? Random.nonZeroText(16), personalized: key)
            } catch {
                throw ServiceError(.invalidRequest, "offline payload: \(error)")
            }
        }
        return try payload(
            data, code: code, nonce: nonce, signingKey: .personalized,
            privateKey: context.seal.serverPrivateKey(of: activation))
    }

    /// Makes a payload that any device of an application can verify.
    func nonPersonalizedPayload(applicationId: Identifier?, data: String?) throws -> OfflinePayload {
        guard let applicationId, let data else {
            throw ServiceError(.invalidRequest, "applicationId and data are required")
        }
        let pair = try context.read { database in
            try ApplicationStore.masterKeyPair(database, of: ApplicationStore.required(database, id: applicationId))
        }
        guard let pair else { throw ServiceError(.noMasterServerKeyPair, "application \(applicationId)") }
        return try payload(data, code: nil, nonce: nil, signingKey: .master, privateKey: pair.privateKey)
    }

    /// The same for devices of protocol 4.
    /// - Throws: `invalidRequest` for a missing parameter, `invalidApplication`.
    func nonPersonalizedPayloadV4(applicationId: Identifier?, data: String?) throws -> OfflinePayloadV4 {
        guard let applicationId, let data else {
            throw ServiceError(.invalidRequest, "applicationId and data are required")
        }
        let application = try context.read { try ApplicationStore.required($0, id: applicationId) }
        return try OfflinePayloadV4(
            data: data, master: context.masterKeysV4(of: application).privateKeys(.ecP384).ec)
    }

    private func payload(
        _ data: String, code: String?, nonce: String?, signingKey: OfflinePayload.SigningKey, privateKey: Data
    ) throws -> OfflinePayload {
        do {
            return try OfflinePayload(
                data: data, oneTimeCode: code, nonce: nonce ?? StrictBase64.encode(Random.nonZeroBytes(16)),
                signingKey: signingKey, key: PrivateKey(bigEndian: privateKey))
        } catch {
            throw ServiceError(.invalidRequest, "offline payload: \(error)")
        }
    }

    // MARK: Verification

    /// An offline signature to check.
    struct Question: Sendable {
        let activationId: Identifier
        /// Method, URI identifier, nonce and body, joined by `&`.
        let data: String
        /// Digits, joined by `-`.
        let signature: String
        /// Digits of one factor, 4 to 8.
        var componentLength: Int
        var allowsBiometry = false
        var proximityCheck: ProximityCheck?
    }

    /// The most earlier steps a proximity check may try.
    static let maximumStepCount = 64

    /// Tries every accepted factor combination and one-time code; a failure counts once, for any number of trials.
    /// - Returns: the verdict, and the combination that matched, or the first one.
    /// - Throws: `invalidCryptographyProvider` for a component length out of range, `invalidRequest` for an unreadable
    ///   proximity check.
    func verify(_ question: Question) throws -> (verdict: SignatureVerdict, type: SignatureType) {
        guard (4...8).contains(question.componentLength) else {
            throw ServiceError(
                .invalidCryptographyProvider, "componentLength \(question.componentLength) is not 4 to 8")
        }
        let types: [SignatureType] =
            question.allowsBiometry ? [.possessionKnowledge, .possessionBiometry] : [.possessionKnowledge]
        let variants = try variants(of: question)
        return try context.change { change in
            guard var activation = try change.findActivation(question.activationId) else {
                return (.unknownActivation, types[0])
            }
            let before = activation
            activation.lastUsed = change.now
            let (verdict, type) = try verify(question, variants, types, &activation, in: change)
            try SignatureAuditStore.insert(
                change.database,
                SignatureAudit(
                    verdict, before: before, fits: Self.fits(before),
                    info: question.allowsBiometry ? [.biometryAllowed] : [],
                    data: Self.signed(question.data), versionText: nil, type: type, signature: question.signature),
                at: change.now)
            change.note(
                .signatureVerified(
                    activationId: activation.id.text, type: type.name, valid: verdict.isValid,
                    counter: activation.lifecycle.binding?.counter ?? 0, failedAttempts: activation.failedAttempts,
                    isVersion4: activation.lifecycle.binding?.version == 4))
            return (verdict, type)
        }
    }

    private func verify(
        _ question: Question, _ variants: [Data], _ types: [SignatureType], _ activation: inout Activation,
        in change: WriteTransaction
    ) throws -> (SignatureVerdict, SignatureType) {
        let signatures = SignatureService(context: context)
        guard case .active(let binding?) = activation.lifecycle, Self.fits(activation) else {
            try change.saveUse(activation)
            return (.refused(activation), types[0])
        }
        guard try signatures.allowsAttempt(&activation, binding, in: change) else {
            return (.refused(activation), types[0])
        }
        guard let found = try match(question, variants, types, activation, binding) else {
            try signatures.recordFailure(types[0], &activation, binding, in: change)
            return (.invalid(activation), types[0])
        }
        try signatures.take(
            found.match, binding.version == 4 ? .v4 : .v3(.v3_3), &activation, binding, in: change)
        try signatures.forgetFailures(of: &activation, in: change)
        try change.saveUse(activation)
        return (.valid(activation), found.type)
    }

    /// Whether an active activation can make such a signature: one of protocol 2 cannot, nor one that its device has not
    /// confirmed.
    private static func fits(_ activation: Activation) -> Bool {
        activation.lifecycle.binding?.version == 3 || activation.isConfirmedV4
    }

    /// Where the digits were found, and the factors that made them.
    private func match(
        _ question: Question, _ variants: [Data], _ types: [SignatureType], _ activation: Activation,
        _ binding: DeviceBinding
    ) throws -> (match: CodeMatch, type: SignatureType)? {
        if binding.version == 4 {
            return try AuthenticationCodeService(context: context).match(
                question.signature, form: .decimal(length: question.componentLength), types: types, data: variants,
                activation, binding)
        }
        let keys = try context.keys.keys(of: activation, binding: binding).derived
        for data in variants {
            let match = try ServerSignatureVerification.match(
                signature: question.signature, form: .decimal(length: question.componentLength),
                candidates: types.map { .init(keys: SignatureKeys(keys, factors: $0.factors), data: data) },
                counter: CounterData(binding.counterData), lookAhead: context.policy.lookAhead)
            guard let match else { continue }
            return (
                CodeMatch(distance: match.distance, nextCounter: match.nextCounter.rawData), types[match.candidate]
            )
        }
        return nil
    }

    /// The bytes that may have been signed: one variant for every one-time code that is accepted now.
    private func variants(of question: Question) throws -> [Data] {
        guard let check = question.proximityCheck else { return [Self.signed(question.data)] }
        guard (0...Self.maximumStepCount).contains(check.stepCount) else {
            throw ServiceError.invalid("stepCount must be 0 to \(Self.maximumStepCount)")
        }
        let parts = question.data.split(separator: "&", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, let body = StrictBase64.decode(String(last)) else {
            throw ServiceError.invalid("data must end with the Base64 form of the body")
        }
        let start = parts.dropLast().joined(separator: "&")
        let now = context.clock.now()
        return try (0...check.stepCount).compactMap { steps in
            try check.code(at: now, stepsBack: steps, digits: context.policy.proximity.digits).map { code in
                Self.signed("\(start)&\(StrictBase64.encode(body + Data("&\(code)".utf8)))")
            }
        }
    }

    private static func signed(_ data: String) -> Data {
        SymmetricSignature.appendSecret(SymmetricSignature.offlineSecretText, to: Data(data.utf8))
    }
}
