import Foundation
import HTTPConnections
import PowerAuthProtocol

/// Everything that can leave the server instead of an answer, with its HTTP status and body
/// (rest-api.md, section 7.2; server.md, section 2.4).
enum ErrorResponse: Error, Equatable, Sendable {
    // The device side. Each hides its causes behind one code and one message.
    case authentication
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
        case (is DeviceAuthentication.Refusal, _): self = .authentication
        case (is DeviceUserInfoEndpoint.Failure, _): self = .userInfo
        case (is EnrollmentEndpoints.NoConfiguration, _): self = .applicationConfiguration
        // The device receives the index of the PUK to request.
        case (let error as ServiceError, .device) where error.expectedPukIndex != nil:
            self = .recovery(expectedPukIndex: error.expectedPukIndex ?? 0)
        case (is ServiceError, .device), (is DecodingError, .device), (is ProtocolError, .device): self = fallback
        default: self = .unexpected
        }
    }

    /// The HTTP status code.
    var status: Int {
        switch self {
        case .mobileToken(let failure): failure.status
        case .authentication, .labToken: 401
        case .ambiguousHost: 400
        case .foreignOrigin: 403
        case .activation, .encryption, .vault, .temporaryKey, .upgrade, .service, .malformedRequest: 400
        case .userInfo, .activationCode, .applicationConfiguration, .invalid, .recovery, .telemetry: 400
        case .notFound: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .misdirected: 421
        case .unexpected: 500
        case .overloaded: 503
        }
    }

    /// The code inside the envelope.
    func code(on face: APISurface) -> String {
        switch self {
        case .mobileToken(let failure): failure.code
        case .authentication, .labToken: "ERR_AUTHENTICATION"
        case .activation: "ERR_ACTIVATION"
        case .encryption: "ERR_ENCRYPTION"
        case .vault: "ERR_SECURE_VAULT"
        case .temporaryKey: "ERR_TEMPORARY_KEY"
        case .upgrade: "ERR_UPGRADE"
        case .userInfo: "ERR_USER_INFO"
        case .activationCode: "ACTIVATION_CODE_FAILED"
        case .applicationConfiguration: "APPLICATION_CONFIGURATION_ERROR"
        case .service(let code): code.rawValue
        case .invalid: ServiceErrorCode.invalidRequest.rawValue
        case .recovery: face == .device ? "INVALID_RECOVERY_CODE" : "ERR_RECOVERY"
        case .telemetry: "ERROR_TELEMETRY"
        case .malformedRequest: "ERROR_HTTP_REQUEST"
        case .notFound: "ERROR_NOT_FOUND"
        case .methodNotAllowed, .unsupportedMediaType, .bodyTooLarge, .misdirected, .foreignOrigin, .ambiguousHost,
            .overloaded, .unexpected:
            face == .backOffice ? ServiceErrorCode.unknownError.rawValue : "ERROR_GENERIC"
        }
    }

    /// The message inside the envelope.
    func message(on face: APISurface) -> String {
        switch self {
        case .mobileToken(let failure): failure.message
        case .authentication: face == .device ? "POWER_AUTH_SIGNATURE_INVALID" : "Authentication failed"
        case .activation: "POWER_AUTH_ACTIVATION_INVALID"
        case .encryption: "POWER_AUTH_ENCRYPTION_FAILED"
        case .vault: "POWER_AUTH_SECURE_VAULT_INVALID"
        case .temporaryKey: "POWER_AUTH_TEMPORARY_KEY_FAILURE"
        case .upgrade: "POWER_AUTH_UPGRADE_FAILED"
        case .userInfo: "POWER_AUTH_USER_INFO_ERROR"
        case .activationCode: "Unable to make an activation code."
        case .applicationConfiguration: "The application has no such configuration."
        case .service(let code): code.message
        case .recovery:
            face == .device ? "POWER_AUTH_RECOVERY_INVALID" : ServiceErrorCode.invalidRecoveryCode.message
        case .invalid(let reason), .telemetry(let reason): reason
        case .malformedRequest(let reason): reason
        case .notFound: "Resource not found."
        case .methodNotAllowed: "This resource does not answer this HTTP method."
        case .unsupportedMediaType(let type): "The Content-Type must be \(type.rawValue)."
        case .bodyTooLarge: "The body is larger than \(ServerLimits.bodyBytes) bytes."
        case .misdirected:
            "The Host must be localhost, an address of this server, or one of the hostNames of its settings."
        case .labToken:
            "The resources of /lab require the header in the file lab-token of the server's directory."
        case .ambiguousHost: "A request names its host once, in Host; an absolute target names the same."
        case .foreignOrigin: "Web pages of another origin may not call this resource."
        case .overloaded: "Too many requests wait for their answers. Try again later."
        case .unexpected:
            face == .backOffice
                ? ServiceErrorCode.unknownError.message : "Unknown error occurred while processing request."
        }
    }

    /// What two back-office answers carry beside code and message (server.md, section 2.4).
    private var recoveryPukIndex: Int? {
        switch self {
        case .recovery(let index): index
        case .malformedRequest: 0
        default: nil
        }
    }

    /// How to authenticate.
    private func challenge(on face: APISurface) -> String? {
        switch self {
        case .authentication where face != .device: "Basic realm=\"PowerAuth\""
        case .labToken: LabAccess.header
        default: nil
        }
    }

    /// The whole answer.
    func response(on face: APISurface) -> ServerResponse {
        let message = message(on: face)
        let envelope = ErrorEnvelope(
            responseObject: ErrorObject(
                code: code(on: face), message: message, localizedMessage: face == .backOffice ? message : nil,
                currentRecoveryPukIndex: face == .lab ? nil : recoveryPukIndex))
        // Three strings always encode; an empty body would only replace an answer that cannot exist.
        return ServerResponse(
            status: status, body: (try? JSONBody.encode(envelope)) ?? Data(),
            challenge: challenge(on: face),
            retryAfter: self == .overloaded ? ServerLimits.retryAfterSeconds : nil)
    }
}

/// The APIs of the server.
enum APISurface: Sendable {
    /// `/pa/v3/**`, for devices.
    case device
    /// `/api/**`, for devices with the Mobile Token SDK.
    case mobileToken
    /// `/rest/v3/**`, for back-office tools.
    case backOffice
    /// `/lab/**` and monitoring: not part of PowerAuth.
    case lab
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
