// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabHTTP
import PowerAuth2
import SDKTestSupport
import Synchronization
import TestSupport

@testable import WultraPowerAuthNetworking

/// What the server's example resources take and give back.
struct Message: Codable, Equatable, Sendable {
    var data: String?
}

/// What the server's example of a login answers.
struct Session: Codable, Sendable {
    let userId: String
    let activationId: String
}

/// The server's example resources as endpoints.
enum Endpoints {
    typealias Basic = WPNEndpointBasic<WPNRequest<Message>, WPNResponse<Message>>
    typealias Signed = WPNEndpointSigned<WPNRequestBase, WPNResponse<Session>>
    typealias SignedMessage = WPNEndpointSigned<WPNRequest<Message>, WPNResponse<Message>>
    typealias Token = WPNEndpointSignedWithToken<WPNRequestBase, WPNResponse<String>>
    typealias TokenMessage = WPNEndpointSignedWithToken<WPNRequest<Message>, WPNResponse<Message>>
    typealias Status = WPNEndpointBasic<WPNRequestBase, WPNResponseBase>

    static let applicationPath = "/exchange/v3/application/generics"
    static let activationPath = "/exchange/v3/activation/generics"
    static let signedPath = "/session/login"
    static let tokenPath = "/secure/account/widget/balance"
    /// Not signed and not encrypted; the server's status.
    static let basicPath = "/pa/v3/status"

    static var application: Basic { .init(endpointURLPath: applicationPath, e2ee: .applicationScope) }
    static var activation: Basic { .init(endpointURLPath: activationPath, e2ee: .activationScope) }
    static var signed: Signed { .init(endpointURLPath: signedPath, uriId: signedPath) }
    static var token: Token { .init(endpointURLPath: tokenPath, tokenName: "test") }
    static var basic: Status { .init(endpointURLPath: basicPath) }

    static var signedAndEncrypted: SignedMessage {
        let path = "/exchange/v3/signed/generics"
        return SignedMessage(endpointURLPath: path, uriId: path, e2ee: .activationScope)
    }

    static var tokenAndEncrypted: TokenMessage {
        TokenMessage(endpointURLPath: "/exchange/v3/token/generics", tokenName: "strong", e2ee: .activationScope)
    }
}

/// The result of a request as its completion gets it.
struct Outcome<Response>: @unchecked Sendable {
    // Safe: handed from the completion to the test that waits for it.
    let response: Response?
    let error: WPNError?
}

extension TestApp {
    /// A service of the application for the tests' server.
    func service(
        _ name: String = "test", sdk: PowerAuthSDK? = nil, baseURL: String? = nil,
        sslValidation: WPNSSLValidationStrategy = .default, timeout: TimeInterval? = nil,
        userAgent: WPNUserAgent = .libraryDefault
    ) throws -> WPNNetworkingService {
        guard let url = URL(string: baseURL ?? server.addresses.enrollmentURL) else {
            throw BackOffice.Missing(what: "a URL")
        }
        return WPNNetworkingService(
            powerAuth: sdk ?? self.sdk,
            config: WPNConfig(
                baseUrl: url, sslValidation: sslValidation,
                timeoutIntervalForRequest: timeout ?? LabDuration.minutes(10).stretched.seconds, userAgent: userAgent),
            serviceName: name)
    }

    /// The last request for a path.
    func lastRequest(of path: String) throws -> HTTPRequest {
        let requests = transport.requests.filter { $0.url.path.hasSuffix(path) }
        guard let last = requests.last else { throw BackOffice.Missing(what: "a request for \(path)") }
        return last
    }
}

extension HTTPRequest {
    /// The value of a header, ignoring case; several values are joined as in HTTP.
    subscript(header: String) -> String? {
        let values = headers.filter { $0.name.caseInsensitiveCompare(header) == .orderedSame }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}

extension WPNNetworkingService {
    /// Sends a request with the completion on a queue of the system's, and waits for it.
    func send<Req: WPNRequestBase, Resp: WPNResponseBase>(
        _ data: Req, _ endpoint: WPNEndpointBasic<Req, Resp>, headers: [String: String]? = nil,
        encryptor: PowerAuthCoreEciesEncryptor? = nil, timeout: TimeInterval? = nil,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async -> Outcome<Resp> {
        await callback { report in
            post(
                data: data, to: endpoint, with: headers, encryptedWith: encryptor, timeoutInterval: timeout,
                progressCallback: progress, completionQueue: .global()
            ) { report(Outcome(response: $0, error: $1)) }
        }
    }

    func send<Req: WPNRequestBase, Resp: WPNResponseBase>(
        _ data: Req, _ authentication: PowerAuthAuthentication, _ endpoint: WPNEndpointSigned<Req, Resp>
    ) async -> Outcome<Resp> {
        await callback { report in
            post(data: data, signedWith: authentication, to: endpoint, completionQueue: .global()) {
                report(Outcome(response: $0, error: $1))
            }
        }
    }

    func send<Req: WPNRequestBase, Resp: WPNResponseBase>(
        _ data: Req, _ authentication: PowerAuthAuthentication, _ endpoint: WPNEndpointSignedWithToken<Req, Resp>
    ) async -> Outcome<Resp> {
        await callback { report in
            post(data: data, signedWith: authentication, to: endpoint, completionQueue: .global()) {
                report(Outcome(response: $0, error: $1))
            }
        }
    }
}

/// Records the service's reports about answers.
final class RecordingDelegate: WPNResponseDelegate, Sendable {
    struct Answer: Sendable {
        let url: URL
        let status: Int?
        let body: Data
        let decrypted: Data?
        let isOnMainQueue: Bool
    }

    private let recorded = Mutex<[Answer]>([])

    var answers: [Answer] { recorded.withLock { $0 } }

    func responseReceived(from url: URL, statusCode: Int?, body: Data) {
        add(Answer(url: url, status: statusCode, body: body, decrypted: nil, isOnMainQueue: MainQueue.isCurrent))
    }

    func encryptedResponseReceived(from url: URL, statusCode: Int?, body: Data, decrypted: Data) {
        add(Answer(url: url, status: statusCode, body: body, decrypted: decrypted, isOnMainQueue: MainQueue.isCurrent))
    }

    private func add(_ answer: Answer) { recorded.withLock { $0.append(answer) } }
}
