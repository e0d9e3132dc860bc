// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LabCore
package import LabHTTP
package import PowerAuthShared
import TestSupport

/// The server's back office, called over HTTP as a bank's own systems do (server.md, sections 6 to 12).
package struct BackOffice: Sendable {
    /// The server's answer to a refused call.
    package struct Refusal: Error, CustomStringConvertible {
        package let path: String
        package let status: Int
        package let answer: JSONValue

        package var code: String? { answer["code"]?.stringValue }
        package var description: String { "\(path) was answered with \(status): \(answer)" }
    }

    /// A value that a test requires is missing.
    package struct Missing: Error {
        package let what: String

        package init(what: String) { self.what = what }
    }

    /// An activation that waits for its device.
    package struct Initiated: Sendable {
        package let activationId: String
        package let code: String
        package let signature: String

        /// The content of a QR code.
        package var signedCode: String { code + "#" + signature }
    }

    /// The root of the resources, with a slash at its end.
    package let url: String
    package let applicationId: String
    /// The headers with the access token of `/lab`.
    package let labHeaders: [(name: String, value: String)]

    /// Calls a resource with a request object.
    ///
    /// - Parameter version: 3 for `/rest/v3`, 4 for `/rest/v4` (protocol-4.md, section 16).
    /// - Returns: the response object.
    /// - Throws: ``Refusal`` for any status but 200.
    @discardableResult
    package func call(_ path: String, _ object: JSONValue = [:], version: Int = 3) async throws -> JSONValue {
        let root = url.replacing("/rest/v3/", with: "/rest/v\(version)/")
        let answer = try await send(root + path, ["requestObject": object])
        let response = answer.body["responseObject"] ?? [:]
        guard answer.status == 200 else { throw Refusal(path: path, status: answer.status, answer: response) }
        return response
    }

    /// Sends a body as it is, with headers of the caller's.
    package func send(
        _ url: String, _ body: JSONValue, headers: [(name: String, value: String)] = []
    ) async throws -> (status: Int, body: JSONValue) {
        let answer = try await exchange(url, body, headers: headers)
        return (answer.status, try JSONValue.parse(answer.body))
    }

    /// As ``send(_:_:headers:)``, with the answer as it came.
    package func exchange(
        _ url: String, _ body: JSONValue, headers: [(name: String, value: String)] = []
    ) async throws -> HTTPResponse {
        // Every URL of a test is one. A busy machine may take its time: no test is about this time-out.
        let request = HTTPRequest(
            url: URL(string: url)!, headers: [("Content-Type", "application/json")] + headers, body: body.encoded(),
            timeout: 600)
        return try await CurlTransport.shared.send(request)
    }

    // MARK: Applications

    /// The mobile SDK configuration of an application; by default that of the first one.
    package func configuration(of applicationId: String? = nil) async throws -> String {
        let detail = try await call(
            "application/detail", ["applicationId": .string(applicationId ?? self.applicationId)])
        return try text(detail["versions"]?[0]?["mobileSdkConfig"])
    }

    /// Creates a version of the first application.
    ///
    /// - Returns: its identifier and what the mobile SDK is configured with.
    package func createVersion() async throws -> (id: String, configuration: String) {
        let id = "version-" + UUID().uuidString
        let version = try await call(
            "application/version/create",
            ["applicationId": .string(applicationId), "applicationVersionId": .string(id)])
        return (id, try text(version["mobileSdkConfig"]))
    }

    /// Makes the server refuse new activations of a version.
    package func unsupport(version: String) async throws {
        try await call(
            "application/version/unsupport",
            ["applicationId": .string(applicationId), "applicationVersionId": .string(version)])
    }

    // MARK: Activations

    /// Starts an activation by code.
    ///
    /// - Parameters:
    ///   - otp: a one-time password of the user.
    ///   - validation: when the server requires it.
    package func initiate(
        userId: String, otp: String? = nil, validation: String? = nil
    ) async throws -> Initiated {
        var request: [String: JSONValue] = ["userId": .string(userId), "applicationId": .string(applicationId)]
        request["activationOtp"] = otp.map { .string($0) }
        request["activationOtpValidation"] = validation.map { .string($0) }
        let answer = try await call("activation/init", .object(request))
        return Initiated(
            activationId: try text(answer["activationId"]), code: try text(answer["activationCode"]),
            signature: try text(answer["activationSignature"]))
    }

    package func commit(_ activationId: String) async throws { try await change("commit", activationId) }
    package func block(_ activationId: String) async throws { try await change("block", activationId) }
    package func unblock(_ activationId: String) async throws { try await change("unblock", activationId) }
    package func remove(_ activationId: String) async throws { try await change("remove", activationId) }

    private func change(_ what: String, _ activationId: String) async throws {
        try await call("activation/" + what, ["activationId": .string(activationId)])
    }

    /// The server's details of an activation.
    package func detail(_ activationId: String) async throws -> JSONValue {
        try await call("activation/status", ["activationId": .string(activationId)])
    }

    /// The state of an activation by its name on the server.
    package func state(_ activationId: String) async throws -> String {
        try text(try await detail(activationId)["activationStatus"])
    }

    /// Changes what the server answers about a user.
    package func setClaims(_ claims: JSONValue, userId: String) async throws {
        let root = url.replacing("/powerauth-java-server/rest/v3/", with: "")
        let answer = try await send(root + "/lab/seed", ["claims": [userId: claims]], headers: labHeaders)
        guard answer.status == 200 else { throw Refusal(path: "/lab/seed", status: answer.status, answer: answer.body) }
    }

    // MARK: Signatures and tokens

    /// Verifies the header of a signed request.
    ///
    /// - Parameters:
    ///   - header: as the SDK computed it.
    ///   - factors: the factors as the back office names them; nil takes those of the header.
    package func verify(
        _ header: AuthorizationHeader, method: String, uriId: String, body: Data, factors: String? = nil
    ) async throws -> JSONValue {
        let data = [
            method, Data(uriId.utf8).base64EncodedString(), header["pa_nonce"] ?? "", body.base64EncodedString(),
        ].joined(separator: "&")
        return try await call(
            "signature/verify",
            [
                "activationId": .string(header["pa_activation_id"] ?? ""),
                "applicationKey": .string(header["pa_application_key"] ?? ""), "data": .string(data),
                "signature": .string(header["pa_signature"] ?? ""),
                "signatureType": .string(factors ?? header["pa_signature_type"]?.uppercased() ?? ""),
                "signatureVersion": .string(header["pa_version"] ?? ""),
            ])
    }

    /// Whether the server accepts the header of a signed request.
    package func accepts(
        _ header: AuthorizationHeader, method: String = "POST", uriId: String, body: Data, factors: String? = nil
    ) async throws -> Bool {
        try await verify(header, method: method, uriId: uriId, body: body, factors: factors)["signatureValid"]?
            .boolValue == true
    }

    /// Verifies the header that a token made.
    package func validate(token header: AuthorizationHeader) async throws -> JSONValue {
        try await call(
            "token/validate",
            [
                "tokenId": .string(header["token_id"] ?? ""), "tokenDigest": .string(header["token_digest"] ?? ""),
                "nonce": .string(header["nonce"] ?? ""),
                "timestamp": .integer(header["timestamp"].flatMap { Int64($0) } ?? 0),
                "protocolVersion": .string(header["version"] ?? ""),
            ])
    }

    private func text(_ value: JSONValue?) throws -> String {
        guard let text = value?.stringValue else { throw Missing(what: "a text in the server's answer") }
        return text
    }
}

/// The fields of an authorization header: a scheme, then `name="value"` pairs, in their order.
package struct AuthorizationHeader: Sendable {
    package let scheme: String
    package let fields: [(name: String, value: String)]

    /// - Throws: for a text of another form.
    package init(_ text: String) throws {
        struct Malformed: Error { let text: String }
        guard let space = text.firstIndex(of: " ") else { throw Malformed(text: text) }
        scheme = String(text[..<space])
        fields = try text[text.index(after: space)...].split(separator: ", ").map { part in
            guard let match = part.wholeMatch(of: #/([a-z_]+)="([^"]*)"/#) else { throw Malformed(text: text) }
            return (String(match.1), String(match.2))
        }
    }

    package init(_ header: PowerAuthAuthorizationHttpHeader) throws { try self.init(header.value) }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
