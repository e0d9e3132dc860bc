// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The data a signature covers, before the application secret is appended.
enum SignedData: Sendable {
    /// Already normalised by the caller: method, URI identifier, nonce and body, joined by `&`.
    case normalized(String)
    /// The parts of a request as received.
    case request(method: String, uriId: String, nonce: String, body: Data)

    /// The bytes that are authenticated.
    func bytes(applicationSecret: String) -> Data {
        switch self {
        case .normalized(let base): Data("\(base)&\(applicationSecret)".utf8)
        case .request(let method, let uriId, let nonce, let body):
            SymmetricSignature.normalize(
                method: method, uriId: uriId, nonce: nonce, body: body, applicationSecretText: applicationSecret)
        }
    }
}

/// A signature to check.
struct SignatureQuestion: Sendable {
    let activationId: Identifier
    /// Base64 text of the application key.
    let applicationKey: Identifier
    let data: SignedData
    /// The signature as received.
    let signature: String
    let type: SignatureType
    /// Decides how the signature is made, and the format of one of protocol 3.
    let version: CodeVersion
    /// Whether the signature commits an upgrade: then, and only then, an activation still of protocol 2 signs
    /// by the rules of protocol 3, and one of protocol 3 by those of protocol 4.
    var commitsUpgrade = false
    /// Whether the signature confirms an activation of protocol 4, which can make no other one before.
    var confirmsActivation = false
    /// The version as the caller spelled it; nil stands for `version`.
    var versionText: String?
    /// Additional information for the audit.
    var auditInfo: [SignatureAudit.Info] = []

    /// Whether an active activation can make such a signature now.
    func fits(_ activation: Activation, _ binding: DeviceBinding) -> Bool {
        switch (version, binding.version) {
        case (.v3, 2): commitsUpgrade
        case (.v3, 3): true
        case (.v4, 3): commitsUpgrade && activation.version4?.upgrade != nil
        case (.v4, 4): activation.isConfirmedV4 || confirmsActivation
        default: false
        }
    }
}

/// The generation of the protocol whose rules a signature follows.
enum CodeVersion: Sendable, Equatable {
    /// The version decides the format.
    case v3(ProtocolVersion)
    case v4

    /// As headers spell it.
    var text: String {
        switch self {
        case .v3(let version): version.rawValue
        case .v4: "4.0"
        }
    }
}

/// The answer to a ``SignatureQuestion``.
enum SignatureVerdict: Sendable {
    /// The activation does not exist; nothing was changed.
    case unknownActivation
    /// The signature was not looked at, because of the state or the application key; the record is as saved.
    case refused(Activation)
    case valid(Activation)
    case invalid(Activation)

    /// The activation after the verification; nil when it does not exist.
    var activation: Activation? {
        switch self {
        case .unknownActivation: nil
        case .refused(let activation), .valid(let activation), .invalid(let activation): activation
        }
    }

    var isValid: Bool {
        if case .valid = self { true } else { false }
    }
}

/// Verifies request signatures and moves the hash counter (server.md, sections 8.1, 20.5 and 20.6).
///
/// Thread rule: worker threads only, but for ``verifyCached(_:)``; all other methods block.
struct SignatureService: Sendable {
    let context: ServiceContext

    /// Checks a signature. The reported state is durable when this returns.
    func verify(_ question: SignatureQuestion) throws -> SignatureVerdict {
        let trial = trial(
            question, try context.activation(question.activationId),
            try context.version(applicationKey: question.applicationKey))
        return try context.change { try decide(question, trial, in: $0) }
    }

    /// Checks a signature without blocking. The reported state is durable when this returns.
    /// - Returns: nil, without any effect, if the activation is not cached.
    func verifyCached(_ question: SignatureQuestion) async throws -> SignatureVerdict? {
        let cache = context.database.cache
        guard let activation = cache.activation(question.activationId),
            let version = cache.version(question.applicationKey)
        else { return nil }
        let trial = trial(question, activation, version)
        return try await context.changeWithoutBlocking { try decide(question, trial, in: $0) }
    }

    /// Nil when there is nothing to compare, or no way to: then the change finds out why.
    private func trial(
        _ question: SignatureQuestion, _ activation: Activation?, _ version: ApplicationVersion?
    ) -> SignatureTrial? {
        guard let activation, let version, case .active(let binding?) = activation.lifecycle else { return nil }
        do {
            return SignatureTrial(
                activation, binding, version, match: try match(question, version, activation, binding))
        } catch {
            return nil
        }
    }

    private func decide(
        _ question: SignatureQuestion, _ trial: SignatureTrial?, in change: WriteTransaction
    ) throws -> SignatureVerdict {
        guard var activation = try change.findActivation(question.activationId) else { return .unknownActivation }
        let before = activation
        activation.lastUsed = change.now
        let verdict = try verify(question, trial, &activation, in: change)
        try SignatureAuditStore.insert(
            change.database, SignatureAudit(question, verdict, before: before), at: change.now)
        let isVersion4 = question.version == .v4
        // Of an upgrade the counter of protocol 4 is apart, until it is confirmed.
        let upgrade = isVersion4 ? activation.version4?.upgrade?.counter : nil
        change.note(
            .signatureVerified(
                activationId: activation.id.text, type: question.type.name, valid: verdict.isValid,
                counter: upgrade ?? activation.lifecycle.binding?.counter ?? 0,
                failedAttempts: activation.failedAttempts, isVersion4: isVersion4))
        return verdict
    }

    private func verify(
        _ question: SignatureQuestion, _ trial: SignatureTrial?, _ activation: inout Activation,
        in change: WriteTransaction
    ) throws -> SignatureVerdict {
        // The status comes first: a failure must not turn a removed or unfinished record into a blocked one
        // (protocol.md, section 22, item 18).
        guard case .active(let binding?) = activation.lifecycle, question.fits(activation, binding) else {
            try change.saveUse(activation)
            return .refused(activation)
        }
        guard try allowsAttempt(&activation, binding, in: change) else { return .refused(activation) }
        let version = try change.findVersion(applicationKey: question.applicationKey)
        guard let version, version.isSupported, version.application.row == activation.application.row else {
            try recordFailure(question.type, &activation, binding, in: change)
            return .refused(activation)
        }
        let found =
            if let trial, trial.holds(for: activation, binding, version) { trial.match } else {
                try match(question, version, activation, binding)
            }
        guard let match = found else {
            try recordFailure(question.type, &activation, binding, in: change)
            return .invalid(activation)
        }
        try take(match, question.version, &activation, binding, in: change)
        if !question.type.isPossessionOnly { try forgetFailures(of: &activation, in: change) }
        try change.saveUse(activation)
        return .valid(activation)
    }

    private func match(
        _ question: SignatureQuestion, _ version: ApplicationVersion, _ activation: Activation, _ binding: DeviceBinding
    ) throws -> CodeMatch? {
        let data = question.data.bytes(applicationSecret: version.applicationSecret)
        switch question.version {
        case .v3(let format):
            let keys = try context.keys.keys(of: activation, binding: binding)
            do {
                return try ServerSignatureVerification.match(
                    signature: question.signature, version: format,
                    keys: SignatureKeys(keys.derived, factors: question.type.factors), data: data,
                    counter: CounterData(binding.counterData), lookAhead: context.policy.lookAhead
                ).map { CodeMatch(distance: $0.distance, nextCounter: $0.nextCounter.rawData) }
            } catch {
                throw ServiceError(.unableToComputeSignature, "\(error)")
            }
        case .v4:
            return try AuthenticationCodeService(context: context).match(
                question.signature, form: .base64, types: [question.type], data: [data], activation, binding)?.match
        }
    }

    /// Moves counter and factor keys behind an accepted signature. While an upgrade to protocol 4 is not confirmed, its
    /// codes have a counter of their own.
    func take(
        _ match: CodeMatch, _ version: CodeVersion, _ activation: inout Activation, _ binding: DeviceBinding,
        in change: WriteTransaction
    ) throws {
        if version == .v4, activation.version4?.upgrade != nil {
            activation.version4?.upgrade?.counter &+= match.steps
            activation.version4?.upgrade?.counterData = match.nextCounter
            try Version4Store.save(change.database, activation)
        } else {
            var binding = binding
            binding.counter &+= match.steps
            binding.counterData = match.nextCounter
            activation.lifecycle = .active(binding)
        }
        guard let secrets = match.secrets else { return }
        activation.version4?.secrets = secrets
        try Version4Store.save(change.database, activation)
    }

    /// After a right code.
    func forgetFailures(of activation: inout Activation, in change: WriteTransaction) throws {
        let wasBlocked = activation.version4?.block != nil
        activation.forgetFailures()
        if wasBlocked { try Version4Store.save(change.database, activation) }
    }

    /// A wrong signature counts unless it was made with possession alone; the limit blocks.
    func recordFailure(
        _ type: SignatureType, _ activation: inout Activation, _ binding: DeviceBinding, in change: WriteTransaction
    ) throws {
        guard !type.isPossessionOnly, activation.countFailure() else { return try change.saveUse(activation) }
        guard binding.version == 4, let first = context.policy.temporaryBlocking else {
            return try block(&activation, binding, in: change)
        }
        let block = TemporaryBlock.following(activation.version4?.block, at: change.now, first: first)
        activation.version4?.block = block
        try Version4Store.save(change.database, activation)
        try change.saveUse(activation)
    }

    /// Whether a code is compared at all. Without an attempt left the activation is blocked, unless it is for a time.
    func allowsAttempt(
        _ activation: inout Activation, _ binding: DeviceBinding, in change: WriteTransaction
    ) throws -> Bool {
        if activation.isBlocked(at: change.now) {
            try change.saveUse(activation)
            return false
        }
        guard activation.hasAttempts else {
            try block(&activation, binding, in: change)
            return false
        }
        return true
    }

    private func block(_ activation: inout Activation, _ binding: DeviceBinding, in change: WriteTransaction) throws {
        activation.lifecycle = .blocked(binding, reason: BlockedReason.maxFailedAttempts)
        try change.save(&activation, previous: .active)
    }
}

extension SignatureType {
    /// The upper-case name of the back-office API.
    var name: String { rawValue.uppercased() }
    /// Possession alone neither counts failures nor forgets them.
    var isPossessionOnly: Bool { self == .possession }
}

/// Where a signature was found, and what the server stores then.
struct CodeMatch: Sendable {
    /// How far ahead of the server the device was, 0 or more.
    let distance: Int
    /// CTR_DATA after the matched one.
    let nextCounter: Data
    /// The secrets in which *next* factor keys became the current ones; nil where nothing changed.
    var secrets: StoredSecret?

    /// By how much the numeric counter grows.
    var steps: UInt64 { UInt64(distance) + 1 }
}

/// A comparison made before a change, with the state that the change will most likely find: the cryptography of one
/// request must not delay the writes of others.
struct SignatureTrial: Sendable {
    private let binding: DeviceBinding
    private let version4: Version4Record?
    private let applicationSecret: String
    /// Where the signature was found in that state; nil when it was not.
    let match: CodeMatch?

    init(_ activation: Activation, _ binding: DeviceBinding, _ version: ApplicationVersion, match: CodeMatch?) {
        self.binding = binding
        version4 = activation.version4
        applicationSecret = version.applicationSecret
        self.match = match
    }

    /// Whether it is the state that was met: another one has to be compared with anew.
    func holds(for activation: Activation, _ binding: DeviceBinding, _ version: ApplicationVersion) -> Bool {
        binding == self.binding && version.applicationSecret == applicationSecret && activation.version4 == version4
    }
}
