// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// A device that signs as fast as the protocol's primitives allow.
struct LoadDevice {
    let activationId: String
    let configuration: MobileSdkConfiguration
    private let exchange: ActivationKeyExchange
    private var counter: CounterData
    private var token: (id: String, secret: TokenSecret)?

    init(
        configuration: MobileSdkConfiguration, key: PrivateKey, activationId: String, serverPublicKey: String,
        counterData: String
    ) throws {
        self.configuration = configuration
        self.activationId = activationId
        exchange = try ActivationKeyExchange(
            deviceKey: key, activationId: activationId,
            serverPublicKey: StrictBase64.decode(serverPublicKey, field: "serverPublicKey"),
            counterData: StrictBase64.decode(counterData, field: "ctrData"))
        counter = exchange.counter
    }

    /// A signature with possession and knowledge over a body of 100 bytes, and its inputs.
    mutating func signature(uriId: String, body: Data = Data(count: 100)) throws -> (
        nonce: String, data: String, signature: String
    ) {
        let nonce = SymmetricSignature.randomNonce()
        let data =
            "POST&\(StrictBase64.encode(Data(uriId.utf8)))&\(nonce)&\(StrictBase64.encode(body))"
        let signature = try SymmetricSignature.online(
            version: .v3_3, keys: SignatureKeys(exchange.keys, factors: [.possession, .knowledge]), counter: counter,
            data: SymmetricSignature.appendSecret(configuration.applicationSecretText, to: Data(data.utf8)))
        counter = counter.next()
        return (nonce, data, signature)
    }

    /// A header of the device's token, good once.
    func tokenHeader() throws -> TokenHeader {
        guard let token else { throw LoadFailure("the device has no token") }
        return TokenHeader(
            version: .v3_3, tokenId: token.id, secret: token.secret,
            timestamp: UInt64(Date().timeIntervalSince1970 * 1000))
    }

    /// The request for a token, with protocol 3.2, which needs no temporary key.
    func tokenRequest() throws -> (request: EciesRequest, decryptor: EciesResponseDecryptor) {
        try EciesClientEncryptor(
            parameters: EciesParameters(
                version: .v3_2, sharedInfo1: .createToken, applicationKey: configuration.applicationKeyText,
                activationId: activationId, temporaryKeyId: nil),
            serverPublicKey: exchange.peerPublicKey,
            sharedInfo2: SharedInfo2.activation(exchange.keys.transport, configuration.applicationSecretText)
        ).encrypt(Data("{}".utf8), timestamp: UInt64(Date().timeIntervalSince1970 * 1000))
    }

    /// Takes the token of an answer.
    mutating func take(_ answer: EciesResponse, _ decryptor: EciesResponseDecryptor) throws {
        let created = try JSONDecoder().decode(Created.self, from: decryptor.decrypt(answer))
        token = (
            created.tokenId, try TokenSecret(StrictBase64.decode(created.tokenSecret, field: "tokenSecret"))
        )
    }

    /// Asks a server for a token as devices do.
    mutating func createToken(_ http: HTTPCall) throws {
        let version = ProtocolVersion.v3_2
        let (request, decryptor) = try tokenRequest()
        let body = try JSONEncoder().encode(request)
        let signed = try signature(uriId: "/pa/token/create", body: body)
        let header = SignatureHeader(
            version: version, activationId: activationId, applicationKey: configuration.applicationKeyText,
            nonce: signed.nonce, signatureType: .possessionKnowledge, signature: signed.signature)
        let answer: EciesResponse = try http.post(
            "/pa/v3/token/create", body: body, headers: [SignatureHeader.name: header.value])
        try take(answer, decryptor)
    }

    private struct Created: Decodable {
        let tokenId: String
        let tokenSecret: String
    }
}
