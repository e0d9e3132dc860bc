import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What the HTTP layer refuses before any endpoint sees it, over a real connection.
@Suite("Hostile connections", .endsInTime)
struct HostileConnectionTests {
    @Test("A header of absurd length ends its connection and nothing else", arguments: [100_000, 1_000_000])
    func aHeaderOfAbsurdLengthEnds(length: Int) async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.server.httpApplication(logger: Logger(label: "tests")).test(.live) { transport in
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[try #require(HTTPField.Name(SignatureHeader.name))] = String(repeating: "A", count: length)
            // The answer may be lost when the server closes the connection while the header is still being sent.
            let status = try? await transport.execute(
                uri: "/pa/v3/signature/validate", method: .post, headers: headers, body: nil
            ) { $0.status.code }
            #expect(status.map { (400..<500).contains($0) } ?? true, "answered \(status ?? 0)")
        }
        try await fixture.run { (client: ServerClient) async throws in
            let answer = try await client.send("/pa/v3/status", body: Data("{}".utf8))
            #expect(answer.status == 200)
        }
    }
}
