import Foundation
import PowerAuthProtocol

extension ParserProperty {
    static func activation() throws -> [ParserProperty] {
        let key = try PrivateKey.generate().publicKey
        let cryptogram = EciesRequest(
            ephemeralPublicKey: key.compressed, encryptedData: Data(count: 16), mac: Data(count: 32))
        let recovery = try RecoveryData(recoveryCode: "W65WE-3T7VI-7FBS2-A4OYA", puk: "0123456789")
        let identities: [ActivationIdentity] = [
            .code(try ActivationCode("W65WE-3T7VI-7FBS2-A4OYA")), .custom(["username": "eva"]), .recovery(recovery),
            .openIDConnect(.init(providerId: "idp", code: "c", nonce: "n", codeVerifier: "v")),
            .direct(["method": "other"]),
        ]
        let request = KeyExchangeRequest(
            devicePublicKey: SentPublicKey(key), activationName: "Eva's phone", platform: "iOS")
        let response = KeyExchangeResponse(
            activationId: Example.activationId, serverPublicKey: key, counter: .random(), recovery: recovery)
        return [
            roundTrip(
                "activation-request",
                identities.map {
                    ActivationRequest(identity: $0, customAttributes: ["a": "b"], activationData: cryptogram)
                }),
            roundTrip("key-exchange-request", [request]),
            roundTrip("key-exchange-response", [response]),
        ]
    }

    /// JSON of a message that is read and can be written and read again.
    private static func roundTrip<Message: Codable & Equatable & Sendable>(
        _ name: String, _ messages: [Message]
    ) -> ParserProperty {
        // Encoding a value of strings and numbers cannot fail; without examples the drivers would say so.
        ParserProperty(name, examples: messages.compactMap { try? JSONEncoder().encode($0) }) { data in
            guard let read = try? JSONDecoder().decode(Message.self, from: data) else { return }
            let again = try? JSONDecoder().decode(Message.self, from: JSONEncoder().encode(read))
            try require(again == read, "it can be written again", data)
        }
    }
}
