// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Hands the vault key to a device that proves two factors (server.md, section 10).
struct VaultService: Sendable {
    let context: ServiceContext

    private struct Reason: Decodable { var reason: String? }
    private struct UnlockedVault: Encodable { @ExplicitNull var encryptedVaultEncryptionKey: String? }

    /// What became of a request that could be decrypted.
    enum Outcome: Sendable {
        case unlocked(EciesResponse)
        /// The answer holds no key.
        case invalidSignature(SignatureVerdict, EciesResponse)
    }

    /// An activation or application that cannot open the vault is reported as a wrong signature.
    static let unauthenticated: Set<ServiceErrorCode> = [
        .activationNotFound, .activationIncorrectState, .invalidApplication,
    ]

    /// - Throws: `invalidSignature` for factors that do not open the vault.
    func checkFactors(_ type: SignatureType) throws {
        guard type == .possessionKnowledge || (type == .possessionBiometry && context.policy.isVaultOpenedByBiometry)
        else { throw ServiceError(.invalidSignature, "\(type.name) does not open the vault") }
    }

    /// Opens the envelope, then verifies the signature: what does not decrypt moves no counter.
    /// - Parameters:
    ///   - sealed: activation scope.
    ///   - question: the signature over the encrypted bytes.
    /// - Throws: `invalidSignature` for other factors; as ``EnvelopeOpener``; `invalidInputFormat` for a reason that is
    ///   no plain word; `DecodingError` for a plaintext that is no such JSON.
    func unlock(_ sealed: SealedRequest, signed question: SignatureQuestion) throws -> Outcome {
        try checkFactors(question.type)
        let (opened, activation) = try EnvelopeOpener(context: context).openActivation(
            sealed, as: .vaultUnlock, failures: .decryptor)
        let reason = try JSONBody.decode(Reason.self, from: opened.plaintext).reason
        if let reason, (try? Self.reasonPattern.wholeMatch(in: reason)) == nil {
            throw ServiceError(.invalidInputFormat, "vault reason")
        }
        var question = question
        question.auditInfo.append(.vaultUnlocked(reason: reason ?? "NOT_SPECIFIED"))
        let verdict = try SignatureService(context: context).verify(question)
        guard verdict.isValid, let binding = activation.lifecycle.binding else {
            let answer = UnlockedVault(encryptedVaultEncryptionKey: nil)
            return .invalidSignature(verdict, try opened.sealJSON(answer, at: context.clock.now()))
        }
        let keys = try context.keys.keys(of: activation, binding: binding).derived
        let wrapped = try Vault.wrap(keys.vault, transportKey: keys.transport)
        return .unlocked(
            try opened.sealJSON(
                UnlockedVault(encryptedVaultEncryptionKey: StrictBase64.encode(wrapped)), at: context.clock.now()))
    }

    private static var reasonPattern: Regex<Substring> { /[A-Za-z0-9_\-.]{3,255}/ }
}
