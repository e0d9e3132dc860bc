// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes

/// A complete request, independent of the HTTP library: signatures are verified over exactly these bytes.
struct ServerRequest: Sendable {
    /// Upper-case method.
    let method: String
    /// The path with the mount point removed.
    let path: String
    /// The query as received, without `?`; nil without a query.
    let query: String?
    let headers: HTTPFields
    let body: Data
    /// The values of the path's placeholders, percent-decoded where they can be.
    var parameters: [String: String] = [:]
    /// The prefix that was removed from the path; empty at the root.
    var mountPoint = ""

    /// The address that the request came from; nil where there was no network.
    var remoteAddress: String?

    /// How its JSON is read.
    var reading = JSONReading.tolerant

    /// The same request with another body: the plaintext in place of the envelope.
    func with(body: Data) -> ServerRequest {
        ServerRequest(
            method: method, path: path, query: query, headers: headers, body: body, parameters: parameters,
            mountPoint: mountPoint, remoteAddress: remoteAddress, reading: reading)
    }

    /// The identifier in a path parameter.
    /// - Throws: `invalidRequest` for a text that is not an identifier.
    func identifier(_ name: String) throws -> Identifier? { try .named(parameters[name], field: name) }

    /// The request object of the body.
    /// - Throws: `DecodingError` for a body that is no envelope of one.
    func object<Content: Decodable>(_ type: Content.Type = Content.self) throws -> Content {
        try content(RequestEnvelope<Content>.self).requestObject
    }

    /// The JSON of the body.
    /// - Throws: `DecodingError` for a body that is no such JSON; errors of the type itself.
    func content<Content: Decodable>(_ type: Content.Type = Content.self) throws -> Content {
        try JSONBody.decode(type, from: body, reading)
    }

    /// The media type of the body, in lower case and without parameters; nil if it is missing.
    var mediaType: String? {
        guard let type = headers[.contentType], type != "application/json" else { return headers[.contentType] }
        return type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The value of a header, found without regard to case; nil when it is missing. The values of a repeated
    /// header are one text with commas between them, which no PowerAuth header survives.
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}

struct ServerResponse: Sendable, Equatable {
    /// The media type of JSON.
    static let json = "application/json"

    let status: Int
    let body: Data
    var contentType = ServerResponse.json
    /// How to authenticate, for the header `WWW-Authenticate`.
    var challenge: String?
    /// The methods that the resource answers, for the header `Allow`.
    var allow: String?
    /// When to try again, in seconds, for the header `Retry-After`.
    var retryAfter: Int?

    /// The redirect target, for the header `Location`.
    var location: String?

    /// The same answer with another body.
    func with(body: Data) -> ServerResponse {
        ServerResponse(
            status: status, body: body, contentType: contentType, challenge: challenge, allow: allow,
            retryAfter: retryAfter, location: location)
    }

    /// Status 200 with a JSON body.
    static func ok(_ body: some Encodable) throws -> ServerResponse {
        ServerResponse(status: 200, body: try JSONBody.encode(body))
    }

    /// Status 200 with a response object in its envelope.
    static func object(_ content: some Encodable) throws -> ServerResponse {
        try .ok(ResponseEnvelope(responseObject: content))
    }
}

/// The parameters of a query, split first and decoded once (rest-api.md, section 14.1, item 11).
struct QueryParameters: Sendable {
    private var values: [String: String] = [:]

    /// - Parameter rawQuery: without `?`; nil without a query.
    /// - Throws: a refusal for an escape that is not UTF-8 text.
    init(_ rawQuery: String?) throws {
        for pair in (rawQuery ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
                throw DeviceAuthentication.Refusal(cause: "the query is not percent-encoded UTF-8")
            }
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// The identifier in a parameter.
    /// - Throws: `invalidRequest` for a text that is not an identifier.
    func identifier(_ name: String) throws -> Identifier? { try .named(values[name], field: name) }
}
