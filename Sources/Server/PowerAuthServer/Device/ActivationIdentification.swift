import LabKit
import PowerAuthProtocol

/// Identifies the user of an activation from the device's credentials, and creates it (rest-api.md, section 6.2).
///
/// Thread rule: worker threads only; all methods block.
struct ActivationIdentification: Sendable {
    let context: ServiceContext
    let provider: ActivationProvider
    let identityProviders: IdentityProviders

    /// A new activation and the content of its answer's outer layer.
    struct Created: Sendable {
        let exchanged: KeyExchangeService.Exchanged
        let customAttributes: JSONValue
    }

    /// An activation, or the provider to call before it is created.
    enum Outcome: Sendable {
        case created(Created)
        case afterwards(@Sendable () async throws -> @Sendable () throws -> Created)
    }

    /// Creates or completes the activation of a device.
    /// - Parameters:
    ///   - identity: the device's credentials.
    ///   - customAttributes: an object.
    ///   - sealed: the inner layer.
    /// - Throws: ServiceError with the cause; the device sees one code for nearly all causes.
    func activate(
        _ identity: ActivationIdentity, customAttributes: JSONValue, sealed: SealedRequest
    ) throws -> Outcome {
        switch identity {
        case .code(let code):
            let exchanged = try KeyExchangeService(context: context).exchange(
                activationCode: Identifier(known: code.text), generatesRecoveryCode: true, sealed: sealed)
            try commit(exchanged, if: provider.commits(identity.type))
            return .created(
                Created(exchanged: exchanged, customAttributes: try provider.customAttributes(customAttributes)))
        case .custom(let attributes), .direct(let attributes):
            let exchanged = try create(
                for: try provider.userId(attributes).map { try Identifier($0, field: "userId") }, sealed)
            try commit(exchanged, if: provider.commits("CUSTOM"))
            return .created(
                Created(exchanged: exchanged, customAttributes: try provider.customAttributes(customAttributes)))
        case .openIDConnect(let grant):
            let provider = try identityProviders.provider(of: grant, applicationKey: sealed.applicationKey)
            return .afterwards {
                let evidence = try await identityProviders.evidence(of: grant, at: provider)
                return {
                    let userId = try identityProviders.subject(in: evidence, of: grant, at: provider)
                    let exchanged = try create(for: userId, sealed)
                    try commit(exchanged, if: true)
                    return Created(exchanged: exchanged, customAttributes: customAttributes)
                }
            }
        case .recovery(let recovery):
            let exchanged = try RecoveryActivationService(context: context).recover(
                .init(code: Identifier(known: recovery.code.text), puk: recovery.puk.text), sealed: sealed)
            try commit(exchanged, if: provider.commits(identity.type))
            return .created(
                Created(exchanged: exchanged, customAttributes: try provider.customAttributes(customAttributes)))
        }
    }

    private func create(for userId: Identifier?, _ sealed: SealedRequest) throws -> KeyExchangeService.Exchanged {
        try ActivationCreationService(context: context).create(
            .init(userId: userId), generatesRecoveryCode: true, sealed: sealed)
    }

    /// A code whose phase is the key exchange is active already.
    private func commit(_ exchanged: KeyExchangeService.Exchanged, if isWanted: Bool) throws {
        guard isWanted, exchanged.activation.status == .pendingCommit else { return }
        _ = try ActivationService(context: context).commit(
            activationId: exchanged.activation.id, otp: nil, externalUserId: nil)
    }
}
