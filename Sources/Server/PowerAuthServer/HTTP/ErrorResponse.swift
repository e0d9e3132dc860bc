// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPConnections
import LabVocabulary
import PowerAuthProtocol

/// Everything that can leave the server instead of an answer, with its HTTP status and body
/// (rest-api.md, section 7.2; server.md, section 2.4).
enum ErrorResponse: Error, Equatable, Sendable {
    // The device side. Each hides its causes behind one code and one message.
    case authentication
    /// A refused code of protocol 4 (protocol-4.md, section 16).
    case authenticationCode
    case activation
    case encryption
    case vault
    case temporaryKey
    case upgrade
    case userInfo
    case activationCode
    case applicationConfiguration
    /// An error with the Mobile Token API's own code and message.
    case mobileToken(MobileTokenFailure)
    // The back office.
    case service(ServiceErrorCode)
    /// `invalidRequest` with a sentence of its own.
    case invalid(String)
    /// A wrong PUK while another attempt is possible, with the index of the one that is expected.
    case recovery(expectedPukIndex: Int)
    case telemetry(String)
    case malformedRequest(String)
    // Both.
    case notFound
    case methodNotAllowed
    /// The media type of the body is not that of the resource.
    case unsupportedMediaType(BodyType)
    case bodyTooLarge
    /// The request is for a host that this server is not.
    case misdirected
    /// A web page of another origin sent the request.
    case foreignOrigin
    /// A resource of `/lab`, and the request does not show its token.
    case labToken
    /// The request names two hosts, or no host.
    case ambiguousHost
    /// More requests wait than may.
    case overloaded
    case unexpected

    /// The response for an error that reached the edge of the server.
    ///
    /// - Parameters:
    ///   - error: an ``ErrorResponse`` is returned unchanged; other errors are not shown to the caller.
    ///   - face: the back office reports its business errors, the device side never does.
    ///   - fallback: the code of a device endpoint for all its failures.
    init(_ error: any Error, face: APISurface, fallback: ErrorResponse) {
        switch (error, face) {
        case (let failure as ErrorResponse, _): self = failure
        case (let error as ServiceError, .backOffice):
            self =
                error.expectedPukIndex.map { .recovery(expectedPukIndex: $0) }
                ?? error.sentence.map { .invalid($0) } ?? .service(error.code)
        case (let error as ServiceError, .lab): self = .malformedRequest(error.cause)
        case (let error as DecodingError, .backOffice), (let error as DecodingError, .lab):
            self = .malformedRequest(error.sentence)
        case (let failure as MobileTokenFailure, _): self = .mobileToken(failure)
        case (let error as ServiceError, .mobileToken): self = .mobileToken(MobileTokenFailure(error))
        case (is DeviceAuthentication.Refusal, .mobileToken): self = fallback
        case (let refusal as DeviceAuthentication.Refusal, _): self = refusal.answer
        // The device receives the index of the PUK to request.
        case (let error as ServiceError, .device) where error.expectedPukIndex != nil:
            self = .recovery(expectedPukIndex: error.expectedPukIndex ?? 0)
        case (is ServiceError, .device), (is DecodingError, .device), (is ProtocolError, .device): self = fallback
        default: self = .unexpected
        }
    }

    /// The HTTP status, and the code and the message inside the envelope.
    private func facts(on face: APISurface) -> (status: Int, code: String, message: String) {
        switch self {
        case .mobileToken(let failure): (failure.status, failure.code, failure.message)
        case .authentication:
            (
                401, RestErrorCode.authentication.rawValue,
                face == .device ? "POWER_AUTH_SIGNATURE_INVALID" : "Authentication failed"
            )
        case .authenticationCode:
            (401, RestErrorCode.authenticationFailure.rawValue, "POWER_AUTH_SIGNATURE_INVALID")
        case .labToken:
            (
                401, RestErrorCode.authentication.rawValue,
                "The resources of /lab require the header in the file lab-token of the server's directory."
            )
        case .activation: (400, RestErrorCode.activation.rawValue, "POWER_AUTH_ACTIVATION_INVALID")
        case .encryption: (400, RestErrorCode.encryption.rawValue, "POWER_AUTH_ENCRYPTION_FAILED")
        case .vault: (400, RestErrorCode.secureVault.rawValue, "POWER_AUTH_SECURE_VAULT_INVALID")
        case .temporaryKey: (400, RestErrorCode.temporaryKey.rawValue, "POWER_AUTH_TEMPORARY_KEY_FAILURE")
        case .upgrade: (400, RestErrorCode.upgrade.rawValue, "POWER_AUTH_UPGRADE_FAILED")
        case .userInfo: (400, RestErrorCode.userInfo.rawValue, "POWER_AUTH_USER_INFO_ERROR")
        case .activationCode: (400, RestErrorCode.activationCodeFailed.rawValue, "Unable to make an activation code.")
        case .applicationConfiguration:
            (400, RestErrorCode.applicationConfiguration.rawValue, "The application has no such configuration.")
        case .service(let code): (400, code.rawValue, code.message)
        case .invalid(let reason): (400, ServiceErrorCode.invalidRequest.rawValue, reason)
        case .recovery where face == .device:
            (400, RestErrorCode.invalidRecoveryCode.rawValue, "POWER_AUTH_RECOVERY_INVALID")
        case .recovery: (400, RestErrorCode.recovery.rawValue, ServiceErrorCode.invalidRecoveryCode.message)
        case .telemetry(let reason): (400, RestErrorCode.telemetry.rawValue, reason)
        case .malformedRequest(let reason): (400, RestErrorCode.httpRequest.rawValue, reason)
        case .notFound: (404, RestErrorCode.notFound.rawValue, "Resource not found.")
        case .methodNotAllowed: (405, face.generalCode, "This resource does not answer this HTTP method.")
        case .unsupportedMediaType(let type): (415, face.generalCode, "The Content-Type must be \(type.rawValue).")
        case .bodyTooLarge: (413, face.generalCode, "The body is larger than \(ServerLimits.bodyBytes) bytes.")
        case .misdirected:
            (
                421, face.generalCode,
                "The Host must be localhost, an address of this server, or a name in its setting hostNames."
            )
        case .ambiguousHost:
            (400, face.generalCode, "A request names its host once, in Host; an absolute target names the same.")
        case .foreignOrigin: (403, face.generalCode, "Web pages of another origin may not call this resource.")
        case .overloaded: (503, face.generalCode, "Too many requests wait for their answers. Try again later.")
        case .unexpected where face == .backOffice: (500, face.generalCode, ServiceErrorCode.unknownError.message)
        case .unexpected: (500, face.generalCode, "Unknown error occurred while processing request.")
        }
    }

    /// The same on every surface.
    var status: Int { facts(on: .device).status }
    func code(on face: APISurface) -> String { facts(on: face).code }
    func message(on face: APISurface) -> String { facts(on: face).message }

    /// What two back-office answers carry beside code and message (server.md, section 2.4).
    private var recoveryPukIndex: Int? {
        switch self {
        case .recovery(let index): index
        case .malformedRequest: 0
        default: nil
        }
    }

    private func challenge(on face: APISurface) -> String? {
        switch self {
        case .authentication where face != .device: "Basic realm=\"PowerAuth\""
        case .labToken: LabAccess.header
        default: nil
        }
    }

    func response(on face: APISurface) -> ServerResponse {
        ServerResponse(
            status: status, body: body(on: face), challenge: challenge(on: face),
            retryAfter: self == .overloaded ? ServerLimits.retryAfterSeconds : nil)
    }

    /// The envelope with code and message.
    /// - Parameters:
    ///   - code: another code than that of the error.
    ///   - message: another message than that of the error.
    func body(on face: APISurface, code: String? = nil, message: String? = nil) -> Data {
        let message = message ?? self.message(on: face)
        let envelope = ErrorEnvelope(
            responseObject: ErrorObject(
                code: code ?? self.code(on: face), message: message,
                localizedMessage: face == .backOffice ? message : nil,
                currentRecoveryPukIndex: face == .lab ? nil : recoveryPukIndex))
        // Three strings always encode; an empty body would only replace an answer that cannot exist.
        return (try? JSONBody.encode(envelope)) ?? Data()
    }
}

/// The APIs of the server.
enum APISurface: CaseIterable, Sendable {
    /// `/pa/v3/**` and `/pa/v4/**`, for devices.
    case device
    /// `/api/**`, for devices with the Mobile Token SDK.
    case mobileToken
    /// `/rest/v3/**`, for back-office tools.
    case backOffice
    /// `/lab/**` and monitoring: not part of PowerAuth.
    case lab

    /// The code of errors that have none of their own.
    fileprivate var generalCode: String {
        self == .backOffice ? ServiceErrorCode.unknownError.rawValue : RestErrorCode.generic.rawValue
    }
}

/// Limits of the server's input from the network.
enum ServerLimits {
    /// The largest body of a request.
    static let bodyBytes = 1_048_576
    /// When a client may try again that was sent away, in seconds.
    static let retryAfterSeconds = ConnectionLimits.retryAfterSeconds
}

extension DecodingError {
    /// The error in the JSON, and its position.
    var sentence: String {
        func place(_ context: Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return path.isEmpty ? "the body" : path.joined(separator: ".")
        }
        return switch self {
        case .keyNotFound(let key, let context): "\(key.stringValue) is missing in \(place(context))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context)) has the wrong type: \(context.debugDescription)"
        case .dataCorrupted(let context): "\(place(context)) is not readable: \(context.debugDescription)"
        @unknown default: "the body is not readable"
        }
    }
}
