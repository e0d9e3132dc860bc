import Foundation
import PowerAuthProtocol

/// A request object that carries an encrypted message of a device among its fields, as a mobile-facing server
/// passes it on.
///
/// The message is judged only when it is wanted: what is wrong with the other fields is reported first.
struct BackOfficeEnvelope<Fields: Decodable & Sendable>: Decodable, Sendable {
    /// The other fields.
    let fields: Fields
    private let applicationKey: String?
    private let activationId: String?
    private let protocolVersion: String?
    private let envelope: Result<EciesRequest, any Error>

    private enum CodingKeys: CodingKey {
        case applicationKey, activationId, protocolVersion
    }

    init(from decoder: any Decoder) throws {
        fields = try Fields(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        applicationKey = try container.decodeIfPresent(String.self, forKey: .applicationKey)
        activationId = try container.decodeIfPresent(String.self, forKey: .activationId)
        protocolVersion = try container.decodeIfPresent(String.self, forKey: .protocolVersion)
        envelope = Result { try EciesRequest(from: decoder) }
    }

    /// The message in application scope.
    /// - Parameter infersVersion: whether a missing version is found by the fields that are there, which is what
    ///   clients of servers before 1.5 need (server.md, section 26.1).
    /// - Throws: ERR0018 for a version that is not one of the four, ERR0024 for a missing or unreadable field.
    func application(infersVersion: Bool = false) throws -> SealedRequest {
        try sealed(version: protocolVersion, activationId: nil, infersVersion: infersVersion)
    }

    /// The message in activation scope.
    /// - Parameter version: another text than that of `protocolVersion`.
    /// - Throws: ERR0024 without activation; as ``application(infersVersion:)``.
    func activation(version: String? = nil) throws -> SealedRequest {
        let activationId = try ActivationService.required(activationId)
        return try sealed(version: version ?? protocolVersion, activationId: activationId, infersVersion: false)
    }

    private func sealed(version text: String?, activationId: String?, infersVersion: Bool) throws -> SealedRequest {
        guard let applicationKey else { throw ServiceError(.invalidRequest, "applicationKey is missing") }
        let inferred = infersVersion && text == nil ? (try? envelope.get()).map(Self.version) : nil
        guard let version = inferred ?? text.flatMap(ProtocolVersion.init(rawValue:)) else {
            throw ServiceError(.decryptionFailed, "protocolVersion \(text ?? "is missing")")
        }
        do {
            return SealedRequest(
                version: version, applicationKey: applicationKey, activationId: activationId,
                envelope: try envelope.get())
        } catch {
            throw ServiceError(.invalidRequest, "envelope: \(error)")
        }
    }

    private static func version(of envelope: EciesRequest) -> ProtocolVersion {
        if envelope.nonce == nil { return .v3_0 }
        if envelope.timestamp == nil { return .v3_1 }
        return envelope.temporaryKeyId == nil ? .v3_2 : .v3_3
    }
}

/// An encrypted answer for a device; what the version does not know is null.
struct SealedView: Encodable {
    let encryptedData: String
    let mac: String
    @ExplicitNull var nonce: String?
    @ExplicitNull var timestamp: UInt64?

    init(_ response: EciesResponse) {
        encryptedData = StrictBase64.encode(response.encryptedData)
        mac = StrictBase64.encode(response.mac)
        nonce = response.nonce.map { StrictBase64.encode($0) }
        timestamp = response.timestamp
    }
}

/// A request without fields of its own.
struct NoFields: Decodable, Sendable {}

/// Binary data as the API spells it: standard Base64.
struct Base64Field: Decodable, Sendable {
    let data: Data

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let data = StrictBase64.decode(try container.decode(String.self)) else {
            throw ServiceError.invalid("\(decoder.codingPath.last?.stringValue ?? "a field") is not Base64")
        }
        self.data = data
    }
}
