import Foundation
import PowerAuthProtocol

/// Everything that can leave the server instead of an answer, with its HTTP status and body
/// (rest-api.md, section 7.2; server.md, section 2.4).
enum OutwardFailure: Error, Equatable, Sendable {
    // The device side. Each hides its causes behind one code and one message.
    case authentication
    case activation
    case encryption
    case vault
    case temporaryKey
    // The back office.
    case service(ServiceErrorCode)
    case malformedRequest(String)
    // Both.
    case notFound
    case methodNotAllowed
    case unsupportedMediaType
    case bodyTooLarge
    case unexpected

    /// What an error that reached the edge of the server looks like outside.
    ///
    /// - Parameters:
    ///   - error: an outward failure goes out as it is; anything else was not meant for the caller.
    ///   - face: the back office names its business errors, the device side never does.
    ///   - fallback: the code of a device endpoint for whatever goes wrong in it.
    init(_ error: any Error, face: ServerFace, fallback: OutwardFailure) {
        switch (error, face) {
        case (let failure as OutwardFailure, _): self = failure
        case (let error as ServiceError, .backOffice): self = .service(error.code)
        case (let error as DecodingError, .backOffice): self = .malformedRequest(error.sentence)
        case (is DeviceAuthentication.Refusal, _): self = .authentication
        case (is ServiceError, .device), (is DecodingError, .device), (is ProtocolError, .device): self = fallback
        default: self = .unexpected
        }
    }

    /// The HTTP status code.
    var status: Int {
        switch self {
        case .authentication: 401
        case .activation, .encryption, .vault, .temporaryKey, .service, .malformedRequest: 400
        case .notFound: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .unexpected: 500
        }
    }

    /// The code inside the envelope.
    func code(on face: ServerFace) -> String {
        switch self {
        case .authentication: "ERR_AUTHENTICATION"
        case .activation: "ERR_ACTIVATION"
        case .encryption: "ERR_ENCRYPTION"
        case .vault: "ERR_SECURE_VAULT"
        case .temporaryKey: "ERR_TEMPORARY_KEY"
        case .service(let code): code.rawValue
        case .malformedRequest: "ERROR_HTTP_REQUEST"
        case .notFound: "ERROR_NOT_FOUND"
        case .methodNotAllowed, .unsupportedMediaType, .bodyTooLarge, .unexpected:
            face == .backOffice ? ServiceErrorCode.unknownError.rawValue : "ERROR_GENERIC"
        }
    }

    /// The message inside the envelope.
    func message(on face: ServerFace) -> String {
        switch self {
        case .authentication: "POWER_AUTH_SIGNATURE_INVALID"
        case .activation: "POWER_AUTH_ACTIVATION_INVALID"
        case .encryption: "POWER_AUTH_ENCRYPTION_FAILED"
        case .vault: "POWER_AUTH_SECURE_VAULT_INVALID"
        case .temporaryKey: "POWER_AUTH_TEMPORARY_KEY_FAILURE"
        case .service(let code): code.message
        case .malformedRequest(let reason): reason
        case .notFound: "Resource not found."
        case .methodNotAllowed: "This resource does not answer this HTTP method."
        case .unsupportedMediaType: "The Content-Type must be application/json."
        case .bodyTooLarge: "The body is larger than \(ServerLimits.bodyBytes) bytes."
        case .unexpected:
            face == .backOffice
                ? ServiceErrorCode.unknownError.message : "Unknown error occurred while processing request."
        }
    }

    /// The whole answer.
    func response(on face: ServerFace) -> ServerResponse {
        let message = message(on: face)
        let envelope = ErrorEnvelope(
            responseObject: ErrorObject(
                code: code(on: face), message: message, localizedMessage: face == .backOffice ? message : nil))
        // Three strings always encode; an empty body would only replace an answer that cannot exist.
        return ServerResponse(status: status, body: (try? JSONBody.encode(envelope)) ?? Data())
    }
}

/// The two APIs of the server.
enum ServerFace: Sendable {
    /// `/pa/v3/**`, for devices.
    case device
    /// `/rest/v3/**`, for back-office tools.
    case backOffice
}

/// Bounds on what the server takes from the network.
enum ServerLimits {
    /// The largest body of a request.
    static let bodyBytes = 1_048_576
}

extension DecodingError {
    /// What is wrong with the JSON, and where.
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
