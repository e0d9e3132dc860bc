// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// A request object that carries an encrypted message of a device among its fields, as a mobile-facing server
/// passes it on.
///
/// The message is judged only when it is wanted: what is wrong with the other fields is reported first.
struct BackOfficeEnvelope<Fields: Decodable & Sendable>: Decodable, Sendable {
    /// The other fields.
    let fields: Fields
    private let members: EnvelopeMembers

    init(from decoder: any Decoder) throws {
        fields = try Fields(from: decoder)
        members = try EnvelopeMembers(from: decoder)
    }

    /// The message in application scope.
    /// - Parameter infersVersion: whether a missing version is found by the fields that are there, which is what
    ///   clients of servers before 1.5 need (server.md, section 26.1).
    /// - Throws: `decryptionFailed` for a version that is not one of the four, `invalidRequest` for a missing or
    ///   unreadable field.
    func application(infersVersion: Bool = false) throws -> SealedRequest {
        try sealed(version: members.protocolVersion, activationId: nil, infersVersion: infersVersion)
    }

    /// The message in activation scope.
    /// - Parameters:
    ///   - activationId: whose keys encrypted it.
    ///   - version: another text than that of `protocolVersion`.
    /// - Throws: `invalidRequest` without activation; as ``application(infersVersion:)``.
    func activation(_ activationId: Identifier?, version: String? = nil) throws -> SealedRequest {
        let activationId = try ActivationService.required(activationId)
        return try sealed(version: version ?? members.protocolVersion, activationId: activationId, infersVersion: false)
    }

    private func sealed(version text: String?, activationId: Identifier?, infersVersion: Bool) throws -> SealedRequest {
        guard let applicationKey = members.applicationKey else {
            throw ServiceError(.invalidRequest, "applicationKey is missing")
        }
        let inferred = infersVersion && text == nil ? members.impliedVersion : nil
        guard let version = inferred ?? text.flatMap(ProtocolVersion.init(rawValue:)) else {
            throw ServiceError(.decryptionFailed, "protocolVersion \(text ?? "is missing")")
        }
        return SealedRequest(
            version: version, applicationKey: applicationKey, activationId: activationId,
            envelope: try members.envelope())
    }
}

/// The fields of an encrypted message, as they are written.
private struct EnvelopeMembers: Decodable, Sendable {
    var applicationKey: Identifier?
    var protocolVersion: String?
    var temporaryKeyId: Identifier?
    var ephemeralPublicKey: String?
    var encryptedData: String?
    var mac: String?
    var nonce: String?
    var timestamp: LenientInteger?

    /// The only version whose messages have these members.
    var impliedVersion: ProtocolVersion {
        if nonce == nil { return .v3_0 }
        if timestamp == nil { return .v3_1 }
        return temporaryKeyId == nil ? .v3_2 : .v3_3
    }

    /// The message. The members of a version are checked when it is opened.
    /// - Throws: `invalidRequest` if a member that every version has is missing, or is not Base64.
    func envelope() throws -> EciesRequest {
        guard let ephemeralPublicKey, let encryptedData, let mac, temporaryKeyId?.text.isEmpty != true else {
            throw ServiceError(.invalidRequest, "ephemeralPublicKey, encryptedData and mac are required")
        }
        return EciesRequest(
            temporaryKeyId: temporaryKeyId?.text,
            ephemeralPublicKey: try Self.bytes(ephemeralPublicKey, "ephemeralPublicKey"),
            encryptedData: try Self.bytes(encryptedData, "encryptedData"), mac: try Self.bytes(mac, "mac"),
            nonce: try nonce.map { try Self.bytes($0, "nonce") },
            timestamp: timestamp.map { UInt64(clamping: $0.value) })
    }

    private static func bytes(_ text: String, _ field: String) throws -> Data {
        guard let data = StrictBase64.decode(text) else { throw ServiceError.invalid("\(field) is not Base64") }
        return data
    }
}

/// An encrypted answer for a device; members that the version does not have are null.
struct SealedView: Codable {
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
