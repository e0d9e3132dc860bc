import Foundation
import PowerAuthProtocol

/// Hands the vault key to a device that proves two factors (server.md, section 10).
///
/// All methods block; call them on worker threads.
struct VaultService: Sendable {
    let context: ServiceContext

    private struct Reason: Decodable {
        var reason: String?
    }

    private struct UnlockedVault: Encodable {
        let encryptedVaultEncryptionKey: String
    }

    /// What became of a request that could be decrypted.
    enum Outcome: Sendable {
        case unlocked(EciesResponse)
        case invalidSignature(SignatureVerdict)
    }

    /// The factors that open the vault.
    static let allowedTypes: Set<SignatureType> = [.possessionKnowledge]

    /// Opens the envelope, then verifies the signature: what does not decrypt moves no counter.
    /// - Parameters:
    ///   - sealed: activation scope.
    ///   - question: the signature over the encrypted bytes.
    /// - Throws: ERR0012 for other factors; as ``EnvelopeOpener``; ERR0011 for a reason that is no plain word.
    func unlock(_ sealed: SealedRequest, signed question: SignatureQuestion) throws -> Outcome {
        guard Self.allowedTypes.contains(question.type) else {
            throw ServiceError(.invalidSignature, "\(question.type.name) does not open the vault")
        }
        let (opened, activation) = try EnvelopeOpener(context: context).openActivation(
            sealed, as: .vaultUnlock, failures: .decryptor)
        let reason: String?
        do {
            reason = try JSONBody.decode(Reason.self, from: opened.plaintext).reason
        } catch {
            throw ServiceError(.invalidInputFormat, "vault request: \(error)")
        }
        if let reason, (try? Self.reasonPattern.wholeMatch(in: reason)) == nil {
            throw ServiceError(.invalidInputFormat, "vault reason")
        }
        let verdict = try SignatureService(context: context).verify(question)
        guard verdict.isValid, let binding = activation.lifecycle.binding else { return .invalidSignature(verdict) }
        let keys = try context.keys.keys(of: activation, binding: binding).derived
        let wrapped = try Vault.wrap(keys.vault, transportKey: keys.transport)
        return .unlocked(
            try opened.sealJSON(
                UnlockedVault(encryptedVaultEncryptionKey: StrictBase64.encode(wrapped)), at: context.clock.now()))
    }

    private static var reasonPattern: Regex<Substring> { /[A-Za-z0-9_\-.]{3,255}/ }
}
