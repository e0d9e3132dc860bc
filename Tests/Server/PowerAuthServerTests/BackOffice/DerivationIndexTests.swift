import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Derivation indexes of PUKs", .endsInTime)
struct DerivationIndexTests {
    /// A postcard as read by a client with signed 64-bit numbers.
    private struct Card: Decodable {
        struct Object: Decodable {
            struct Puk: Decodable {
                let pukDerivationIndex: Int64
            }
            let puks: [Puk]
        }
        let responseObject: Object
    }

    @Test("Clients that know signed numbers only read every derivation index")
    func signed() async throws {
        try await ServerFixture.run { client in
            let printer = try PrivateKey.generate().publicKey.uncompressed
            try await client.backOffice(
                "recovery/config/update",
                [
                    "applicationId": "lab", "activationRecoveryEnabled": true, "recoveryPostcardEnabled": true,
                    "remotePostcardPublicKey": StrictBase64.encode(printer),
                ]
            ).expectOK()
            let card = try await client.backOffice(
                "recovery/create", ["applicationId": "lab", "userId": "alice", "pukCount": 32])
            let puks = try JSONDecoder().decode(Card.self, from: card.body).responseObject.puks
            // All 64 bits are drawn: once in 2³¹ all of 32 have the same sign.
            #expect(puks.contains { $0.pukDerivationIndex < 0 } && puks.contains { $0.pukDerivationIndex > 0 })
        }
    }
}
