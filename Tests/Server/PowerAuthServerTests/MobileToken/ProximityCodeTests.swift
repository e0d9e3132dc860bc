import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Proximity codes", .endsInTime)
struct ProximityCodeTests {
    private let operation = OperationRecord(
        id: "1", applications: [], externalId: nil, activationFlag: nil, activationId: nil, operationType: "login",
        templateName: "login", data: "A2", parameters: [:], additionalData: [:], status: .pending,
        signatureTypes: [.possessionKnowledge], failureCount: 0, maxFailureCount: 5, riskFlags: nil,
        proximitySeed: Data(count: 16), created: ServerTime(milliseconds: 0), expires: ServerTime(milliseconds: 1))

    @Test("A proximity code that begins with zero keeps its eight digits")
    func leadingZeros() throws {
        let moments = (Int64(0)..<1000).map { ServerTime(milliseconds: $0 * 30_000) }
        let moment = try #require(
            moments.first { operation.proximityCode(at: $0, ProximityPolicy())?.hasPrefix("0") == true })
        let code = try #require(operation.proximityCode(at: moment, ProximityPolicy()))
        #expect(code.count == 8)
        #expect(operation.acceptsProximity(code, at: moment, ProximityPolicy()))
        #expect(!operation.acceptsProximity(String(code.dropFirst()), at: moment, ProximityPolicy()))
    }
}
