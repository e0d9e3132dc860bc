// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuth2
import SDKTestSupport
import Synchronization
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("What a cancelled request has started is given up (networking.md, sections 8 and 16)", .endsInTime)
struct GivenUpExchangeTests {
    /// A way to the network on which every request gets lost.
    private final class SilentNetwork: HTTPTransport {
        /// The paths of what was sent.
        let (sent, sends) = AsyncStream<String>.makeStream()
        /// The paths of what was given up.
        let (givenUp, givesUp) = AsyncStream<String>.makeStream()

        func send(
            _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
        ) -> any HTTPExchange {
            sends.yield(request.url.path)
            return Exchange(request.url, givesUp, completion)
        }

        private final class Exchange: HTTPExchange {
            private let url: URL
            private let givesUp: AsyncStream<String>.Continuation
            private let completion: @Sendable (Result<HTTPResponse, NSError>) -> Void
            private let isOver = Atomic(false)

            init(
                _ url: URL, _ givesUp: AsyncStream<String>.Continuation,
                _ completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
            ) {
                self.url = url
                self.givesUp = givesUp
                self.completion = completion
            }

            func cancel() {
                guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
                givesUp.yield(url.path)
                DispatchQueue.global().async { [self] in
                    completion(.failure(CurlError.error(.cancelled, "given up", url: url)))
                }
            }
        }
    }

    /// What is under way when the request is cancelled: the exchange itself, or what comes before it.
    enum Kind: CaseIterable, Sendable {
        case basic, signed, temporaryKey, timeForToken
    }

    @Test(arguments: Kind.allCases) func `The exchange and what comes before it are given up`(kind: Kind) async throws {
        let app = try await TestApp.activated()
        _ = try await app.sdk.token("test").get()
        let network = SilentNetwork()
        let sdk = try PowerAuthSDK(
            configuration: app.sdk.configuration, clientConfiguration: .patient, sandbox: app.sandbox,
            transport: network)
        let service = try app.service("test", sdk: sdk)
        let (reasons, ended) = AsyncStream<String>.makeStream()
        let operation =
            switch kind {
            case .basic:
                service.post(data: .init(), to: Endpoints.basic, completionQueue: .global()) {
                    ended.yield($1?.reason.rawValue ?? "none")
                }
            case .signed:
                service.post(
                    data: .init(), signedWith: .rightPassword, to: Endpoints.signed, completionQueue: .global()
                ) { ended.yield($1?.reason.rawValue ?? "none") }
            case .temporaryKey:
                service.post(data: .init(Message(data: "a")), to: Endpoints.application, completionQueue: .global()) {
                    ended.yield($1?.reason.rawValue ?? "none")
                }
            case .timeForToken:
                service.post(
                    data: .init(), signedWith: .possession(), to: Endpoints.token, completionQueue: .global()
                ) { ended.yield($1?.reason.rawValue ?? "none") }
            }
        let sent = await Self.next(network.sent)
        // By the answer to another request, what was sent is remembered: a cancel before that would be another case.
        #expect(try await app.service("other").send(WPNRequestBase(), Endpoints.basic).error == nil)
        operation.cancel()
        #expect(await Self.next(network.givenUp) == sent)
        #expect(await Self.next(reasons) == WPNErrorReason.canceled.rawValue)
    }

    private static func next(_ texts: AsyncStream<String>) async -> String? {
        for await text in texts { return text }
        return nil
    }
}
