// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SDKTestSupport

/// The newer back office, `/rest/v4` (protocol-4.md, section 16).
extension BackOffice {
    /// Calls a resource with a request object.
    /// - Returns: the response object.
    @discardableResult
    func callV4(_ path: String, _ object: JSONValue = [:]) async throws -> JSONValue {
        let answer = try await send(url.replacing("/rest/v3/", with: "/rest/v4/") + path, ["requestObject": object])
        let response = answer.body["responseObject"] ?? [:]
        guard answer.status == 200 else { throw Refusal(path: path, status: answer.status, answer: response) }
        return response
    }

    /// The configuration of the first application with the master keys of both generations.
    func configurationV4() async throws -> String {
        let detail = try await callV4("application/detail", ["applicationId": .string(applicationId)])
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
        let answer = try await callV4(
            "auth/verify",
            [
                "activationId": .string(header["pa_activation_id"] ?? ""),
                "applicationKey": .string(header["pa_application_key"] ?? ""), "data": .string(data),
                "authenticationCode": .string(header["pa_auth_code"] ?? ""),
                "authenticationCodeType": .string(header["pa_auth_code_type"]?.uppercased() ?? ""),
                "authenticationVersion": "4.0",
            ])
        return answer["authenticationValid"]?.boolValue == true
    }

    /// Whether the server accepts the header that a token made.
    func acceptsToken(_ header: AuthorizationHeader) async throws -> Bool {
        let answer = try await callV4(
            "token/validate",
            [
                "tokenId": .string(header["token_id"] ?? ""), "tokenDigest": .string(header["token_digest"] ?? ""),
                "nonce": .string(header["nonce"] ?? ""),
                "timestamp": .integer(header["timestamp"].flatMap { Int64($0) } ?? 0),
                "protocolVersion": .string(header["version"] ?? ""),
            ])
        return answer["tokenValid"]?.boolValue == true
    }

    /// Whether the server finds a signature of the device's.
    func acceptsSignature(_ signature: Data, of data: Data, activationId: String) async throws -> Bool {
        let answer = try await callV4(
            "dsa/verify",
            [
                "activationId": .string(activationId), "data": .string(data.base64EncodedString()),
                "signature": .string(signature.base64EncodedString()),
            ])
        return answer["signatureValid"]?.boolValue == true
    }
}
