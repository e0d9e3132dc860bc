// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Verifies the signature header of a device request (rest-api.md, sections 3.2 and 4.3). The resources of applications take
/// headers of either generation of the protocol, and so do the name of an activation and the claims below `/pa/v3`, which
/// read requests as applications do; every other resource below `/pa/v3` takes those of version 3 alone.
struct DeviceAuthentication: Sendable {
    let signatures: SignatureService

    struct Authenticated: Sendable {
        let header: SignatureHeader
        let activation: Activation
    }

    /// Who has called a resource of an application, and with which factors.
    struct Caller: Sendable {
        let activation: Activation
        let type: SignatureType
    }

    /// Accepts a signature of one of the allowed factor combinations over the bytes as received.
    /// - Parameters:
    ///   - request: for GET the canonical query stands for the body.
    ///   - uriId: the label that both sides sign instead of the URL.
    ///   - allowed: other combinations are refused without verification.
    /// - Throws: a ``Refusal`` if the signature is not accepted; its cause is for the log.
    func authenticate(_ request: ServerRequest, uriId: String, allowed: Set<SignatureType>) throws -> Authenticated {
        let header = try self.header(of: request)
        guard allowed.contains(header.signatureType) else {
            throw Refusal(cause: "POWER_AUTH_SIGNATURE_TYPE_INVALID \(header.signatureType.rawValue)")
        }
        let verdict = try signatures.verify(try question(header, of: request, uriId: uriId))
        return Authenticated(header: header, activation: try accepted(verdict))
    }

    /// As ``authenticate(_:uriId:allowed:)``, for a header of either generation.
    func authenticateCaller(_ request: ServerRequest, uriId: String, allowed: Set<SignatureType>) throws -> Caller {
        guard Self.isOfVersion4(request.header(SignatureHeader.name), "pa_version") else {
            let authenticated = try authenticate(request, uriId: uriId, allowed: allowed)
            return Caller(activation: authenticated.activation, type: authenticated.header.signatureType)
        }
        do {
            let authenticated = try DeviceAuthenticationV4(context: signatures.context).authenticate(
                request, uriId: uriId, allowed: allowed)
            return Caller(activation: authenticated.activation, type: authenticated.header.type)
        } catch var refusal as Refusal {
            // The resource has one answer for both.
            refusal.answer = .authentication
            throw refusal
        }
    }

    /// The activation that a signature header of either generation names; nothing is verified.
    func claimedActivation(of request: ServerRequest) -> Identifier? {
        let value = request.header(SignatureHeader.name)
        let text =
            Self.isOfVersion4(value, "pa_version")
            ? (try? AuthenticationHeader(parsing: value))?.activationId
            : (try? SignatureHeader(parsing: value))?.activationId
        return text.flatMap(Identifier.init(_:))
    }

    /// Whether a header says that it is of protocol 4.
    /// - Parameter attribute: the name of its version.
    static func isOfVersion4(_ value: String?, _ attribute: String) -> Bool {
        value.flatMap { PowerAuthHeader($0) }?[attribute] == CodeVersion.v4.text
    }

    /// Accepts a token that was created with one of the allowed factor combinations, in a header of either generation.
    /// - Throws: a ``Refusal`` if the token is not accepted.
    func authenticateToken(_ request: ServerRequest, allowed: Set<SignatureType>) throws -> Activation {
        let value = request.header(TokenHeader.name)
        let header: any TokenProof
        do {
            if Self.isOfVersion4(value, "version") {
                header = try TokenHeaderV4(parsing: value)
            } else {
                header = try TokenHeader(parsing: value)
            }
        } catch let error as TokenHeaderError {
            throw Refusal(cause: error.rawValue)
        } catch {
            throw Refusal(cause: "\(error)")
        }
        let verdict: TokenService.Verdict
        do {
            verdict = try TokenService(context: signatures.context).validate(header)
        } catch let error as ServiceError {
            throw Refusal(cause: error.description)
        }
        guard case .valid(let token, let activation) = verdict, let type = SignatureType(name: token.signatureType),
            allowed.contains(type)
        else { throw Refusal(cause: "token \(header.tokenId) is not valid, or too weak") }
        return activation
    }

    /// - Throws: a ``Refusal``.
    func header(of request: ServerRequest) throws -> SignatureHeader {
        do {
            return try SignatureHeader(parsing: request.header(SignatureHeader.name))
        } catch {
            throw Refusal(cause: error.rawValue)
        }
    }

    /// The question to the signature service about a request.
    /// - Throws: a ``Refusal`` for a query that cannot be read.
    func question(
        _ header: SignatureHeader, of request: ServerRequest, uriId: String, commitsUpgrade: Bool = false
    ) throws -> SignatureQuestion {
        let body = try Self.signedBody(of: request)
        guard let activationId = Identifier(header.activationId), let applicationKey = Identifier(header.applicationKey)
        else { throw Refusal(cause: "the header names no activation or no application") }
        return SignatureQuestion(
            activationId: activationId, applicationKey: applicationKey,
            data: .request(method: request.method, uriId: uriId, nonce: header.nonce, body: body),
            signature: header.signature, type: header.signatureType, version: .v3(header.version),
            commitsUpgrade: commitsUpgrade)
    }

    /// What a signature covers as the body: for GET the canonical query.
    /// - Throws: a ``Refusal`` for a query that cannot be read.
    static func signedBody(of request: ServerRequest) throws -> Data {
        guard request.method == "GET" else { return request.body }
        do {
            return try SymmetricSignature.canonicalQuery(rawQuery: request.query ?? "")
        } catch {
            throw Refusal(cause: "query: \(error)")
        }
    }

    /// The activation of a valid signature.
    /// - Throws: a ``Refusal`` for any other verdict.
    func accepted(_ verdict: SignatureVerdict) throws -> Activation {
        switch verdict {
        case .valid(let activation): return activation
        case .unknownActivation: throw Refusal(cause: "no activation with this identifier")
        case .refused(let activation):
            let state = "activation \(activation.id) is \(activation.status.name)"
            throw Refusal(cause: "\(state), or the application key is not its own")
        case .invalid(let activation):
            let failures = "\(activation.failedAttempts) of \(activation.maxFailedAttempts) failures"
            throw Refusal(cause: "signature does not match; \(failures)")
        }
    }

    /// Why a device is refused. The device sees the same error for every cause.
    struct Refusal: Error, CustomStringConvertible {
        var cause: String
        /// That error; the Mobile Token API has one of its own.
        var answer = ErrorResponse.authentication
        var description: String { cause }
    }
}

extension Set<SignatureType> {
    /// Every combination that contains possession.
    static let withPossession: Set<SignatureType> = [
        .possession, .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry,
    ]
    /// Every combination of possession with knowledge or biometry.
    static let strong: Set<SignatureType> = [.possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry]
}
