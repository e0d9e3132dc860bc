// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FoundationNetworking
import LabCore
import LabHTTP
import PowerAuth2
import PowerAuthServer
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Server trust is decided in the handshake (sdk.md, section 5.3)", .endsInTime)
struct ServerTrustTests {
    /// A device that asks a server with TLS for its status.
    private struct Client {
        let device: TemporaryDevice
        let sdk: PowerAuthSDK
        /// Stops with its last reference.
        private let server: RealServer

        init(
            _ server: RealServer, trustsAuthority: Bool = true,
            strategy: (any PowerAuthClientSslValidationStrategy)? = nil, timeout: TimeInterval? = nil
        ) throws {
            self.server = server
            device = try TemporaryDevice()
            if trustsAuthority {
                let directory = device.layout.serverDirectory + "/tls"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                try FileManager.default.copyItem(
                    atPath: #require(server.certificateAuthorityPath), toPath: directory + "/ca.pem")
            }
            let client = PowerAuthClientConfiguration.patient
            client.sslValidationStrategy = strategy
            if let timeout { client.defaultRequestTimeout = timeout }
            sdk = try PowerAuthSDK(
                configuration: PowerAuthConfiguration(
                    instanceId: "com.example.instance", baseEndpointUrl: server.addresses.enrollmentURL,
                    configuration: server.addresses.configuration),
                clientConfiguration: client, sandbox: device.sandbox(), transport: CurlTransport.shared)
        }

        /// Code of the error in `NSURLErrorDomain`, 0 for an answer.
        func ask() async -> Int {
            let result = await outcome {
                (report: @escaping @Sendable (PowerAuthServerStatus?, (any Error)?) -> Void) in
                sdk.fetchServerStatus(callback: report)
            }
            guard let error = result.failure else { return 0 }
            return error.domain == NSURLErrorDomain ? error.code : Int.min
        }
    }

    /// A strategy made of a closure.
    private final class Strategy: PowerAuthClientSslValidationStrategy, Sendable {
        typealias Answer = @Sendable (URLSession.AuthChallengeDisposition) -> Void
        private let decide: @Sendable (SecTrust, @escaping Answer) -> Void

        init(_ decide: @escaping @Sendable (SecTrust, @escaping Answer) -> Void) { self.decide = decide }

        func validateSsl(
            for session: URLSession, challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust
            else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            let handler = UncheckedTransfer(completionHandler)
            decide(trust) { handler.value($0, URLCredential(trust: trust)) }
        }
    }

    private func server(_ kind: CertificateKind) async throws -> RealServer {
        try await RealServer.start { $0.certificate = kind }
    }

    // Not the `NSURLError…` constants: on Linux those of TLS are one off the platform's.
    private static let codes: [(CertificateKind, Int)] = [
        (.valid, 0), (.selfSigned, URLError.Code.serverCertificateUntrusted.rawValue),
        (.expired, URLError.Code.serverCertificateHasBadDate.rawValue),
        (.wrongHost, URLError.Code.serverCertificateUntrusted.rawValue),
    ]

    @Test(arguments: codes)
    func `Without a strategy the system decides, and reports the error`(kind: CertificateKind, code: Int) async throws {
        let server = try await server(kind)
        #expect(try await Client(server).ask() == code)
        let asVerified = Strategy { _, answer in answer(.performDefaultHandling) }
        #expect(try await Client(server, strategy: asVerified).ask() == code)
        let stranger = try Client(server, trustsAuthority: false)
        #expect(await stranger.ask() != 0, "the lab's authority is trusted where it is installed only")
        let noValidation = PowerAuthClientSslNoValidationStrategy()
        #expect(try await Client(server, trustsAuthority: false, strategy: noValidation).ask() == 0)
    }

    @Test func `A refusal by the strategy ends the request before it is sent`() async throws {
        let server = try await server(.valid)
        let cancels = Strategy { _, answer in answer(.cancelAuthenticationChallenge) }
        #expect(try await Client(server, strategy: cancels).ask() == NSURLErrorCancelled)
        let rejects = Strategy { _, answer in answer(.rejectProtectionSpace) }
        #expect(try await Client(server, strategy: rejects).ask() == URLError.Code.serverCertificateUntrusted.rawValue)
    }

    @Test func `A strategy can pin the server's certificate`() async throws {
        let (ours, others) = (try await server(.valid), try await server(.valid))
        let pin = Mutex<Data?>(nil)
        let learning = Strategy { trust, answer in
            let leaf = SecTrustGetCertificateAtIndex(trust, 0).map(SecCertificateCopyData)
            pin.withLock { $0 = leaf }
            answer(SecTrustEvaluateWithError(trust, nil) ? .useCredential : .cancelAuthenticationChallenge)
        }
        #expect(try await Client(ours, strategy: learning).ask() == 0)
        let pinned = try #require(pin.withLock { $0 })
        let pinning = Strategy { trust, answer in
            let leaf = SecTrustCopyCertificateChain(trust)?.first.map(SecCertificateCopyData)
            answer(leaf == pinned ? .performDefaultHandling : .cancelAuthenticationChallenge)
        }
        #expect(try await Client(ours, strategy: pinning).ask() == 0)
        #expect(try await Client(others, strategy: pinning).ask() == NSURLErrorCancelled)
    }

    @Test(arguments: codes)
    func `A strategy sees the whole chain and the system's opinion`(kind: CertificateKind, code: Int) async throws {
        let server = try await server(kind)
        let strategy = Strategy { trust, answer in
            var problem: NSError?
            let isTrusted = SecTrustEvaluateWithError(trust, &problem)
            #expect(isTrusted == (code == 0) && isTrusted == (problem == nil))
            #expect(SecTrustGetCertificateCount(trust) == (kind == .selfSigned ? 1 : 2))
            #expect(SecTrustGetCertificateAtIndex(trust, 2) == nil)
            answer(.useCredential)
        }
        #expect(try await Client(server, strategy: strategy).ask() == 0)
    }

    @Test func `A slow strategy does not delay other requests`() async throws {
        let server = try await server(.selfSigned)
        let waiting = Mutex<Strategy.Answer?>(nil)
        let (asked, asks) = AsyncStream<Void>.makeStream()
        let late = try Client(
            server,
            strategy: Strategy { _, answer in
                waiting.withLock { $0 = answer }
                asks.yield()
            })
        async let code = late.ask()
        for await _ in asked { break }
        #expect(try await Client(server, strategy: PowerAuthClientSslNoValidationStrategy()).ask() == 0)
        let answer = try #require(waiting.withLock { $0 })
        answer(.useCredential)
        #expect(await code == 0)
    }

    @Test func `A strategy that never answers ends in the request's time-out`() async throws {
        let server = try await server(.valid)
        let silent = try Client(server, strategy: Strategy { _, _ in }, timeout: 0.2)
        #expect(await silent.ask() == NSURLErrorTimedOut)
    }

    /// The code of what the transport alone reports, for a request whose limit it measures itself.
    private func code(
        _ server: RealServer, timeout: TimeInterval? = nil, judge: @escaping ServerTrustJudge,
        whileItRuns: @Sendable @escaping (any HTTPExchange) async -> Void = { _ in }
    ) async throws -> Int? {
        let url = try #require(URL(string: server.addresses.enrollmentURL + "/pa/v3/status"))
        let trust = ServerTrust(authoritiesPath: server.certificateAuthorityPath, judge: judge)
        let result: Result<HTTPResponse, NSError> = await callback { report in
            let exchange = CurlTransport.shared.send(
                HTTPRequest(url: url, timeout: timeout, serverTrust: trust), completion: report)
            Task { await whileItRuns(exchange) }
        }
        // The server stops with its last reference.
        return withExtendedLifetime(server) { result.failure?.code }
    }

    @Test
    func `A judge that never answers ends in the time-out of the transport, not in an untrusted certificate`()
        async throws
    {
        #expect(try await code(server(.valid), timeout: 0.2, judge: { _, _ in }) == NSURLErrorTimedOut)
    }

    @Test func `A request that is cancelled while the judge is asked ends as a cancelled one`() async throws {
        let (asked, asks) = AsyncStream<Void>.makeStream()
        let code = try await code(server(.valid), judge: { _, _ in asks.yield() }) { exchange in
            for await _ in asked { break }
            exchange.cancel()
        }
        #expect(code == NSURLErrorCancelled)
    }

    @Test func `A server accepted by one strategy is not accepted for another SDK object`() async throws {
        let server = try await server(.selfSigned)
        let careless = try Client(server, strategy: PowerAuthClientSslNoValidationStrategy())
        let careful = try Client(server)
        for _ in 0..<2 {
            #expect(await careless.ask() == 0)
            #expect(await careful.ask() == URLError.Code.serverCertificateUntrusted.rawValue)
        }
    }

    @Test func `Certificates are judged by the device's clock`() async throws {
        let client = try Client(try await server(.valid))
        #expect(await client.ask() == 0)
        try client.device.clock.advance(by: LabDuration(nanoseconds: 20 * 365 * 86_400 * 1_000_000_000))
        // A connection that is open stays open, as on a device.
        let later = try Client(try await server(.valid))
        try later.device.clock.advance(by: LabDuration(nanoseconds: 20 * 365 * 86_400 * 1_000_000_000))
        #expect(await later.ask() == URLError.Code.serverCertificateHasBadDate.rawValue)
    }
}
