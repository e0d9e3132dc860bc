// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuthProtocol

/// One request to an external server. No thread waits for its answer.
struct OutgoingRequest: Sendable {
    /// Why the answer is missing.
    struct Failure: Error, CustomStringConvertible { let description: String }

    var method = "GET"
    let url: String
    var headers: [(name: String, value: String)] = []
    var body = Data()
    /// The longest wait for a connection, in milliseconds of real time: the other side does not live on the lab's clock.
    var connectTimeout: Int64 = 10_000
    /// The longest wait for an answer.
    var responseTimeout: Int64 = 10_000
    /// What https connections trust, and the certificate that they show.
    var trust = ServerTrust()

    private static let largestBody = 1_048_576

    typealias Answer = (status: Int, body: Data)

    /// Sends the request, once, on a connection of its own: neither a refused connection nor a broken one is tried again.
    /// - Returns: the status code and the body; redirections are answers like any other.
    /// - Throws: a ``Failure`` that names the URL.
    func send() async throws -> Answer {
        guard let target = URL(string: url), target.host != nil, target.scheme == "http" || target.scheme == "https"
        else { throw Failure(description: "\(url) is not an http or https URL") }
        let patience = connectTimeout + responseTimeout
        var request = HTTPRequest(
            url: target, method: method, headers: headers + [("Connection", "close")], body: body,
            timeout: Double(patience) / 1000, serverTrust: trust)
        request.connectTimeout = Double(connectTimeout) / 1000
        request.largestResponse = Self.largestBody
        request.sharesConnection = false
        do {
            let answer = try await CurlTransport.shared.send(request)
            return (answer.status, answer.body)
        } catch URLError.timedOut {
            throw Failure(description: "no answer within \(patience) ms")
        } catch {
            throw Failure(description: "\(method) \(error.localizedDescription)")
        }
    }
}

/// The text of HTML forms, in which OAuth 2.0 speaks (RFC 6749, appendix B).
enum FormText {
    static func encode(_ fields: [(name: String, value: String)]) -> Data {
        Data(fields.map { "\($0.name)=\(encode($0.value))" }.joined(separator: "&").utf8)
    }

    /// The credentials of a client as an `Authorization` header (RFC 6749, section 2.3.1).
    static func basicHeader(clientId: String, clientSecret: String) -> String {
        HTTPBasic.header(userName: encode(clientId), password: encode(clientSecret))
    }

    private static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: characters) ?? ""
    }

    private static let characters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.*")
}

/// The `Authorization` header of HTTP Basic (RFC 7617, section 2).
enum HTTPBasic {
    static func header(userName: String, password: String) -> String {
        "Basic \(StrictBase64.encode(Data("\(userName):\(password)".utf8)))"
    }
}
