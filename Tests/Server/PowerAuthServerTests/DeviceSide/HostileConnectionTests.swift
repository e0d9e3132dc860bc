import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Requests that the HTTP layer refuses before any endpoint, over a real connection.
@Suite("Hostile connections", .endsInTime)
struct HostileConnectionTests {
    @Test(
        "A header of absurd length is refused, and ends its connection and nothing else",
        arguments: [100_000, 1_000_000])
    func aHeaderOfAbsurdLengthEnds(length: Int) async throws {
        let fixture = try ServerFixture.deviceSide()
        let (listening, found) = AsyncStream<LabServer.Listening>.makeStream()
        async let running: Void = fixture.server.run { found.yield($0) }
        let port = try #require(await listening.first { _ in true }).port
        try await onThread {
            func request(_ headers: String) -> String {
                "POST /pa/v3/status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(headers)\r\n{}"
            }
            let bystander = try RawConnection(port: port)
            let hostile = try RawConnection(port: port)
            let isWhole = try hostile.send(
                request("Content-Length: 2\r\n\(SignatureHeader.name): \(String(repeating: "A", count: length))\r\n"))
            let answer = try hostile.readToEnd()
            // An answer may be lost only when the server closed the connection while the header was still being sent.
            #expect(answer.hasPrefix("HTTP/1.1 4") || (answer.isEmpty && !isWhole), "\(answer.prefix(200))")
            try bystander.send(request("Content-Length: 2\r\nConnection: close\r\n"))
            #expect(try bystander.readToEnd().hasPrefix("HTTP/1.1 200 "))
        }
        fixture.server.stop()
        try await running
    }
}
