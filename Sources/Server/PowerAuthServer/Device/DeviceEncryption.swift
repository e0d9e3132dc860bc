// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Opens and answers encrypted requests of an application's own endpoints (rest-api.md, sections 4.3 and 12).
struct DeviceEncryption: Sendable {
    let context: ServiceContext
    let authentication: DeviceAuthentication

    struct Exchange: Sendable {
        /// A request of either generation of the protocol, and the means to answer it.
        fileprivate enum Opened: Sendable {
            case v3(OpenedRequest)
            case v4(OpenedRequestV4)
        }

        fileprivate let opened: Opened
        /// Nil in application scope.
        let activation: Activation?

        var plaintext: Data {
            switch opened {
            case .v3(let opened): opened.plaintext
            case .v4(let opened): opened.plaintext
            }
        }

        var applicationVersion: ApplicationVersion {
            switch opened {
            case .v3(let opened): opened.applicationVersion
            case .v4(let opened): opened.applicationVersion
            }
        }
    }

    /// Opens a request. A signature header replaces the encryption header.
    /// - Throws: `ServiceError` if the request cannot be opened.
    func open(_ request: ServerRequest, scope: EciesScope) throws -> Exchange {
        if let sealed = try SealedRequestV4(annotatedRequest: request, scope: scope) {
            let opener = EnvelopeOpenerV4(context: context)
            guard scope == .activation else {
                return Exchange(
                    opened: .v4(try opener.openApplication(sealed, as: .applicationGeneric)), activation: nil)
            }
            let (opened, activation) = try opener.openActivation(sealed, as: .activationGeneric)
            return Exchange(opened: .v4(opened), activation: activation)
        }
        let sealed = try SealedRequest(annotatedRequest: request, scope: scope)
        switch scope {
        case .application:
            let opened = try EnvelopeOpener(context: context).openApplication(
                sealed, as: .applicationGeneric, failures: .decryptor)
            return Exchange(opened: .v3(opened), activation: nil)
        case .activation:
            let (opened, activation) = try EnvelopeOpener(context: context).openActivation(
                sealed, as: .activationGeneric, failures: .decryptor)
            return Exchange(opened: .v3(opened), activation: activation)
        }
    }

    /// Opens a signed request and verifies its signature over the plaintext: applications sign, then encrypt.
    ///
    /// If the envelope does not open, the signature is verified over the bytes as received, which cannot match: it
    /// counts as a wrong signature and looks like one. The cause says why the envelope does not open.
    func openSigned(
        _ request: ServerRequest, uriId: String, allowed: Set<SignatureType> = .strong
    ) throws -> (exchange: Exchange, caller: DeviceAuthentication.Caller) {
        let exchange: Exchange
        do {
            exchange = try open(request, scope: .activation)
        } catch let error as ServiceError {
            throw try unopened(request, error.description, uriId: uriId, allowed: allowed)
        } catch let error as DecodingError {
            throw try unopened(request, error.sentence, uriId: uriId, allowed: allowed)
        } catch let error as ProtocolError {
            throw try unopened(request, "\(error)", uriId: uriId, allowed: allowed)
        }
        let caller = try authentication.authenticateCaller(
            request.with(body: exchange.plaintext), uriId: uriId, allowed: allowed)
        return (exchange, caller)
    }

    /// Verifies the signature of a request whose envelope does not open.
    /// - Returns: the refusal, with both causes.
    private func unopened(
        _ request: ServerRequest, _ cause: String, uriId: String, allowed: Set<SignatureType>
    ) throws -> DeviceAuthentication.Refusal {
        let cause = "the envelope does not open: \(cause)"
        do {
            _ = try authentication.authenticateCaller(request, uriId: uriId, allowed: allowed)
            return DeviceAuthentication.Refusal(cause: cause)
        } catch var refusal as DeviceAuthentication.Refusal {
            refusal.cause = "\(cause); without it, \(refusal.cause)"
            return refusal
        }
    }

    /// Opens a request that shows a token of the same activation.
    /// - Throws: `decryptionFailed` for an envelope of another activation.
    func openAuthorized(
        _ request: ServerRequest, allowed: Set<SignatureType>
    ) throws -> (exchange: Exchange, activation: Activation) {
        let activation = try authentication.authenticateToken(request, allowed: allowed)
        let exchange = try open(request, scope: .activation)
        guard exchange.activation?.id == activation.id else {
            throw ServiceError(.decryptionFailed, "token and envelope belong to different activations")
        }
        return (exchange, activation)
    }

    /// Encrypts the one answer of an exchange.
    func answer(_ exchange: Exchange, with plaintext: Data) throws -> ServerResponse {
        switch exchange.opened {
        case .v3(let opened): try .ok(opened.seal(plaintext, at: context.clock.now()))
        case .v4(let opened): try .ok(opened.seal(plaintext, at: context.clock.now()))
        }
    }
}

extension SealedRequestV4 {
    /// Reads a request whose authorization header, if present, replaces the encryption header.
    /// - Returns: nil for one whose header is not of protocol 4.
    /// - Throws: as ``init(deviceRequest:scope:)``.
    init?(annotatedRequest request: ServerRequest, scope: EciesScope) throws {
        guard let value = request.header(SignatureHeader.name) else {
            let isOfVersion4 = DeviceAuthentication.isOfVersion4(request.header(EncryptionHeader.name), "version")
            guard isOfVersion4 else { return nil }
            self = try SealedRequestV4(deviceRequest: request, scope: scope)
            return
        }
        guard DeviceAuthentication.isOfVersion4(value, "pa_version") else { return nil }
        let header: AuthenticationHeader
        do {
            header = try AuthenticationHeader(parsing: value)
        } catch {
            throw ServiceError(.decryptionFailed, "\(error)")
        }
        let sealed = try SealedRequestV4(header, body: request.body)
        self =
            scope == .activation
            ? sealed
            : SealedRequestV4(applicationKey: sealed.applicationKey, activationId: nil, envelope: sealed.envelope)
    }
}

extension SealedRequest {
    /// Reads a request whose signature header, if present, replaces the encryption header, even if it cannot be read
    /// (rest-api.md, section 4.3).
    /// - Throws: `decryptionFailed` for a bad header; the error of an incomplete body. The caller's code hides both.
    init(annotatedRequest request: ServerRequest, scope: EciesScope) throws {
        guard let value = request.header(SignatureHeader.name) else {
            self = try SealedRequest(deviceRequest: request, scope: scope)
            return
        }
        let header: SignatureHeader
        do {
            header = try SignatureHeader(parsing: value)
        } catch {
            throw ServiceError(.decryptionFailed, error.rawValue)
        }
        try self.init(
            version: header.version, applicationKey: header.applicationKey,
            activationId: scope == .activation ? header.activationId : nil,
            envelope: try StrictJSON.decode(EciesRequest.self, from: request.body, keys: StrictJSON.envelopeKeys))
    }
}
