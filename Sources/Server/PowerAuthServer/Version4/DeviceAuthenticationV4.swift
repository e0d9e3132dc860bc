// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Verifies the authorization header of a device request of protocol 4 (protocol-4.md, section 9).
struct DeviceAuthenticationV4: Sendable {
    let context: ServiceContext

    struct Authenticated: Sendable {
        let header: AuthenticationHeader
        let activation: Activation
    }

    /// What a code may do that the activation cannot do otherwise yet.
    enum Stage: Sendable {
        case ordinary
        /// It confirms the activation.
        case confirmation
        /// It confirms the upgrade of an activation of protocol 3.
        case upgrade
    }

    /// Accepts a code of one of the allowed factor combinations over the bytes as received.
    /// - Parameters:
    ///   - uriId: the label that both sides authenticate instead of the URL.
    ///   - allowed: other combinations are refused without verification.
    ///   - auditInfo: additional information for the audit.
    /// - Throws: a refusal if the code is not accepted, also for a header of version 3; its cause is for the log.
    func authenticate(
        _ request: ServerRequest, uriId: String, allowed: Set<SignatureType>, stage: Stage = .ordinary,
        auditInfo: [SignatureAudit.Info] = []
    ) throws -> Authenticated {
        let header = try header(of: request, allowed: allowed)
        guard let activationId = Identifier(header.activationId), let applicationKey = Identifier(header.applicationKey)
        else { throw Self.refusal("the header names no activation or no application") }
        do {
            let question = SignatureQuestion(
                activationId: activationId, applicationKey: applicationKey,
                data: .request(
                    method: request.method, uriId: uriId, nonce: header.nonce,
                    body: try DeviceAuthentication.signedBody(of: request)),
                signature: header.code, type: header.type, version: .v4, commitsUpgrade: stage == .upgrade,
                confirmsActivation: stage == .confirmation, auditInfo: auditInfo)
            let signatures = SignatureService(context: context)
            let activation = try DeviceAuthentication(signatures: signatures).accepted(signatures.verify(question))
            return Authenticated(header: header, activation: activation)
        } catch var refusal as DeviceAuthentication.Refusal {
            refusal.answer = .authenticationCode
            throw refusal
        }
    }

    /// The header of a request, of which nothing is verified yet.
    /// - Throws: a refusal for one that cannot be read, or has factors that are not allowed.
    func header(of request: ServerRequest, allowed: Set<SignatureType>) throws -> AuthenticationHeader {
        let header: AuthenticationHeader
        do {
            header = try AuthenticationHeader(parsing: request.header(SignatureHeader.name))
        } catch {
            throw Self.refusal("\(error)")
        }
        guard allowed.contains(header.type) else { throw Self.refusal("\(header.type.rawValue) is not allowed") }
        return header
    }

    private static func refusal(_ cause: String) -> DeviceAuthentication.Refusal {
        DeviceAuthentication.Refusal(cause: cause, answer: .authenticationCode)
    }
}
