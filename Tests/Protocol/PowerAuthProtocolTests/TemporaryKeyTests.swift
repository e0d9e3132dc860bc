// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Temporary keys and JWTs", .endsInTime)
struct TemporaryKeyTests {
    let serverKey: PrivateKey
    let temporaryKey: PrivateKey
    let request = TemporaryKeyRequest(
        applicationKey: LabExample.applicationKeyText, activationId: LabExample.activationId)

    init() throws {
        serverKey = try .generate()
        temporaryKey = try .generate()
    }

    private func response(to request: TemporaryKeyRequest? = nil) -> TemporaryKeyResponse {
        TemporaryKeyResponse(
            to: request ?? self.request, keyId: LabExample.temporaryKeyId, publicKey: temporaryKey.publicKey,
            issuedAt: 1_000_500, expiresAt: 1_300_500)
    }

    @Test func `Challenges are eighteen random bytes`() {
        #expect(request.challenge.count == 24 && StrictBase64.decode(request.challenge)?.count == 18)
        #expect(TemporaryKeyRequest(applicationKey: "").challenge != request.challenge)
    }

    @Test func `Request and response round trip`() throws {
        let secret = ApplicationSecretKey.random()
        let key = try TemporaryKeyRequest.signingKey(secret, transportKey: .random())
        let (read, token) = try TemporaryKeyRequest.parse(jwt: request.jwt(key: key))
        #expect(read == request && token.isAuthentic(key: key))
        #expect(!token.isAuthentic(key: TemporaryKeyRequest.signingKey(secret)))

        let jwt = try response(to: read).jwt(key: serverKey)
        let answer = try TemporaryKeyResponse(verifying: jwt, key: serverKey.publicKey, request: request)
        #expect(answer == response())
        let payload = try JSONSerialization.jsonObject(with: JWT(jwt, algorithm: .es256).payload()) as? [String: Any]
        #expect(
            Set(payload?.keys ?? [:].keys) == [
                "sub", "applicationKey", "activationId", "challenge", "publicKey", "iat", "exp", "iat_ms", "exp_ms",
            ])
        #expect(payload?["iat"] as? Int == 1000 && payload?["exp_ms"] as? Int == 1_300_500)
        #expect((payload?["publicKey"] as? String)?.base64Decoded.count == 65)
    }

    @Test func `Every bit of the request token is signed`() throws {
        let key = TemporaryKeyRequestKey.random()
        let jwt = try request.jwt(key: key).utf8Data
        for bit in 0..<(jwt.count * 8) {
            let twin = String(decoding: jwt.flippingBit(bit), as: UTF8.self)
            let accepted = (try? TemporaryKeyRequest.parse(jwt: twin))?.token.isAuthentic(key: key)
            #expect(accepted != true, "bit \(bit)")
        }
    }

    @Test func `A changed response is refused`() throws {
        let jwt = try response().jwt(key: serverKey).utf8Data
        for bit in stride(from: 0, to: jwt.count * 8, by: 3) {
            #expect(throws: TemporaryKeyResponseError.self, "bit \(bit)") {
                try TemporaryKeyResponse(
                    verifying: String(decoding: jwt.flippingBit(bit), as: UTF8.self), key: serverKey.publicKey,
                    request: request)
            }
        }
    }

    @Test func `The answer must belong to the question`() throws {
        func verify(_ jwt: String, key: PublicKey? = nil, currentTime: UInt64? = nil) throws -> TemporaryKeyResponse {
            try TemporaryKeyResponse(
                verifying: jwt, key: key ?? serverKey.publicKey, request: request, currentTime: currentTime)
        }
        func isUntrusted(_ body: () throws -> TemporaryKeyResponse) -> Bool {
            guard
                case TemporaryKeyResponseError.untrusted? = #expect(
                    throws: TemporaryKeyResponseError.self, performing: { try body() })
            else { return false }
            return true
        }
        for other in [
            TemporaryKeyRequest(applicationKey: request.applicationKey, activationId: request.activationId),
            TemporaryKeyRequest(
                applicationKey: "other", activationId: request.activationId, challenge: request.challenge),
            TemporaryKeyRequest(
                applicationKey: request.applicationKey, activationId: "other", challenge: request.challenge),
            TemporaryKeyRequest(applicationKey: request.applicationKey, challenge: request.challenge),
        ] {
            let jwt = try response(to: other).jwt(key: serverKey)
            #expect(isUntrusted { try verify(jwt) })
        }
        let good = try response().jwt(key: serverKey)
        #expect(isUntrusted { try verify(good, key: temporaryKey.publicKey) })
        #expect(throws: Never.self) { try verify(good, currentTime: 1_300_499) }
        #expect(isUntrusted { try verify(good, currentTime: 1_300_500) })
    }

    @Test func `Responses of another form are malformed`() throws {
        let claims = #"{"sub":"1"}"#.utf8Data
        let input = { (header: String) -> String in
            Base64URL.encode(header.utf8Data) + "." + Base64URL.encode(claims)
        }
        func signed(_ header: String) throws -> String {
            let text = input(header)
            return text + "." + Base64URL.encode(try serverKey.sign(text.utf8Data, format: .jose))
        }
        let wrong = try [
            "", ".", "..", "a.b", "a.b.c.d", "a..c", signed(#"{"alg":"ES256","typ":"JOSE"}"#),
            signed(#"{"alg":"HS256","typ":"JWT"}"#), signed(#"{"alg":"none","typ":"JWT"}"#), signed(#"{"typ":"JWT"}"#),
            signed("no json"), signed(#"{"typ":"JWT","alg":"ES256"}"#),
        ]
        for jwt in wrong {
            let error = #expect(throws: TemporaryKeyResponseError.self, "\(jwt)") {
                try TemporaryKeyResponse(verifying: jwt, key: serverKey.publicKey, request: request)
            }
            guard case .malformed? = error else {
                Issue.record("\(jwt) is \(String(describing: error))")
                continue
            }
        }
    }

    @Test(.verifies("size", "TemporaryKeyResponse.safetyMargin"))
    func `Keys are used until shortly before their end`() {
        #expect(response().isUsable(at: 1_290_499))
        #expect(!response().isUsable(at: 1_290_500))
        let short = TemporaryKeyResponse(
            to: request, keyId: "1", publicKey: temporaryKey.publicKey, issuedAt: 0, expiresAt: 9_000)
        #expect(!short.isUsable(at: 0))
    }

    @Test func `Device tokens are ordinary ES256 tokens`() throws {
        let jwt = try JWT.signed(claims: #"{"sub":"eva"}"#.utf8Data, key: serverKey)
        #expect(jwt.hasPrefix("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJldmEifQ."))
        let token = try JWT(jwt, algorithm: .es256)
        #expect(token.isAuthentic(key: serverKey.publicKey) && !token.isAuthentic(key: temporaryKey.publicKey))
        #expect(token.signature.count == 64)
        #expect(try token.claims([String: String].self) == ["sub": "eva"])
        #expect(throws: ProtocolError.self) { try JWT(jwt, algorithm: .hs256) }
    }
}
