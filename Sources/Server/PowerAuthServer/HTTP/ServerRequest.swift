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

    /// The same request with another body: the plaintext in place of the envelope.
    func with(body: Data) -> ServerRequest {
        ServerRequest(
            method: method, path: path, query: query, headers: headers, body: body, parameters: parameters,
            mountPoint: mountPoint, remoteAddress: remoteAddress)
    }

    /// The identifier in a path parameter.
    /// - Throws: `invalidRequest` for a text that is not an identifier.
    func identifier(_ name: String) throws -> Identifier? { try .named(parameters[name], field: name) }

    /// The media type of the body, in lower case and without parameters; nil if it is missing.
    var mediaType: String? {
        guard let type = headers[.contentType], type != "application/json" else { return headers[.contentType] }
        return type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The value of a header, found without regard to case; nil when it is missing. The values of a repeated
    /// header are one text with commas between them, which no PowerAuth header survives.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }
}

/// A complete answer.
struct ServerResponse: Sendable, Equatable {
    /// The HTTP status code.
    let status: Int
    let body: Data
    var contentType = "application/json"
    /// How to authenticate, for the header `WWW-Authenticate`.
    var challenge: String?
    /// The methods that the resource answers, for the header `Allow`.
    var allow: String?
    /// When to try again, in seconds, for the header `Retry-After`.
    var retryAfter: Int?

    /// The redirect target, for the header `Location`.
    var location: String?

    /// Status 200 with a JSON body.
    static func ok(_ body: some Encodable) throws -> ServerResponse {
        ServerResponse(status: 200, body: try JSONBody.encode(body))
    }
}
