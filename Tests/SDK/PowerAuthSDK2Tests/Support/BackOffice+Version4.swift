// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SDKTestSupport

/// The newer back office, `/rest/v4` (protocol-4.md, section 16).
extension BackOffice {
    /// The configuration of the first application with the master keys of both generations.
    func configurationV4() async throws -> String {
        let detail = try await call("application/detail", ["applicationId": .string(applicationId)], version: 4)
        guard let text = detail["versions"]?[0]?["mobileSdkConfig"]?.stringValue else {
            throw Missing(what: "a configuration")
        }
        return text
    }

    /// Lets the server offer the upgrade to activations of protocol 3.
    func offerUpgrade() async throws {
        try await call(
            "application/config/create",
            [
                "applicationId": .string(applicationId), "key": "cryptography_algorithms_supported",
                "values": ["EC_P384", "EC_P384_ML_L3", "EC_P384_ML_L5"],
            ])
    }

    /// Whether the server accepts the header of a request with a code.
    func acceptsCode(
        _ header: AuthorizationHeader, method: String = "POST", uriId: String, body: Data
    ) async throws -> Bool {
        if header["pa_version"] != "4.0" {
            return try await accepts(header, method: method, uriId: uriId, body: body)
        }
        let data = [
            method, Data(uriId.utf8).base64EncodedString(), header["pa_nonce"] ?? "", body.base64EncodedString(),
        ].joined(separator: "&")
        let answer = try await call(
            "auth/verify",
            [
                "activationId": .string(header["pa_activation_id"] ?? ""),
                "applicationKey": .string(header["pa_application_key"] ?? ""), "data": .string(data),
                "authenticationCode": .string(header["pa_auth_code"] ?? ""),
                "authenticationCodeType": .string(header["pa_auth_code_type"]?.uppercased() ?? ""),
                "authenticationVersion": "4.0",
            ], version: 4)
        return answer["authenticationValid"]?.boolValue == true
    }

    /// Whether the server accepts the header that a token made.
    func acceptsToken(_ header: AuthorizationHeader) async throws -> Bool {
        let answer = try await call(
            "token/validate",
            [
                "tokenId": .string(header["token_id"] ?? ""), "tokenDigest": .string(header["token_digest"] ?? ""),
                "nonce": .string(header["nonce"] ?? ""),
                "timestamp": .integer(header["timestamp"].flatMap { Int64($0) } ?? 0),
                "protocolVersion": .string(header["version"] ?? ""),
            ], version: 4)
        return answer["tokenValid"]?.boolValue == true
    }

    /// Whether the server finds a signature of the device's.
    func acceptsSignature(_ signature: Data, of data: Data, activationId: String) async throws -> Bool {
        let answer = try await call(
            "dsa/verify",
            [
                "activationId": .string(activationId), "data": .string(data.base64EncodedString()),
                "signature": .string(signature.base64EncodedString()),
            ], version: 4)
        return answer["signatureValid"]?.boolValue == true
    }
}
