// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// protocol.md, sections 8 and 10.
@Suite("JSON web tokens", .endsInTime)
struct JWTTests {
    private func text(header: String, payload: String = #"{"sub":"eva"}"#, signature: String = "AAAA") -> String {
        "\(Base64URL.encode(header.utf8Data)).\(Base64URL.encode(payload.utf8Data)).\(signature)"
    }

    @Test
    func `A token of the protocol states its type, an identity token may omit it, and both have an accepted algorithm`()
    {
        for (header, isOfProtocol, isIdentity) in [
            (#"{"alg":"ES256","typ":"JWT"}"#, true, true), (#"{"alg":"ES256"}"#, false, true),
            (#"{"alg":"ES256","typ":"jwt"}"#, true, true), (#"{"alg":"ES256","typ":""}"#, false, false),
            (#"{"alg":"ES256","typ":"JOSE"}"#, false, false), (#"{"alg":"RS256","typ":"JWT"}"#, false, true),
            (#"{"alg":"HS256","typ":"JWT"}"#, false, false), (#"{"alg":"none","typ":"JWT"}"#, false, false),
        ] {
            let text = text(header: header)
            let ofProtocol = refusal { _ = try JWT(text, algorithm: .es256) }
            let identity = refusal { _ = try JWT(identityToken: text, algorithms: [.rs256, .es256]) }
            #expect((ofProtocol == nil) == isOfProtocol && (identity == nil) == isIdentity, "\(header)")
            let reason = "it must have typ JWT and alg ES256"
            if !isOfProtocol { #expect(ofProtocol == .invalidFormat(field: "jwt header", reason: reason)) }
            if !isIdentity {
                #expect(identity == .invalidFormat(field: "jwt header", reason: reason + " or RS256"))
            }
        }
    }

    @Test func `The parts of a token are read separately, and the wrong one is named`() throws {
        let header = #"{"alg":"ES256","typ":"JWT","kid":"key-1"}"#
        let token = try JWT(text(header: header, signature: "-_8"), algorithm: .es256)
        #expect(token.keyId == "key-1" && token.algorithm == .es256 && token.signature == Data([0xFB, 0xFF]))
        #expect(String(decoding: token.signingInput, as: UTF8.self) + ".-_8" == text(header: header, signature: "-_8"))
        #expect(try token.payload() == #"{"sub":"eva"}"#.utf8Data)
        #expect(try token.claims([String: String].self) == ["sub": "eva"])
        #expect(refusal { _ = try token.claims([Int].self) } == .invalidEncoding(field: "jwt payload"))
        #expect(try JWT(text(header: #"{"alg":"ES256","typ":"JWT"}"#), algorithm: .es256).keyId == nil)

        let head = Base64URL.encode(#"{"alg":"ES256","typ":"JWT"}"#.utf8Data)
        for (text, expected) in [
            ("a.b", ProtocolError.invalidFormat(field: "jwt", reason: "it must have three parts")),
            ("\(head).e30.AAAA.AAAA", .invalidFormat(field: "jwt", reason: "it must have three parts")),
            ("\(head)..AAAA", .invalidFormat(field: "jwt", reason: "it must have three parts")),
            ("?.e30.AAAA", .invalidEncoding(field: "jwt header")),
            ("e30.e30.AAAA", .invalidEncoding(field: "jwt header")),
            ("\(head).e30.?", .invalidEncoding(field: "jwt signature")),
        ] {
            #expect(refusal { _ = try JWT(text, algorithm: .es256) } == expected, "\(text)")
        }
        let garbled = try JWT("\(head).?.AAAA", algorithm: .es256)
        #expect(refusal { _ = try garbled.payload() } == .invalidEncoding(field: "jwt payload"))
    }

    // MARK: RSA

    private static let modulus = """
        rzAIGiDB8zyeWnEM/7w9PGdSOA7bOYqLNnC/1Tz9qTQpxnGFgFRkf+etvM4Aa6PugTKJEeEzkr1x/6LAFmJ4WT1S8xfb5BJV2wCvN/Mz3Gvk\
        aDtof8su/9UzSvHJXFPatg5h6z7i6fEJwG2vmfl8sQNWZLaurZM4bLayLzE0DVefAp05vuIWdH2tzK2qsQu6nYDOV6B6b1brgv6K5SALl6fv\
        r7vag1cXnrsv2zeIuWU/niylgQhxK4OjxwrDdyBq+v+FZFYXtSHBx2FHRx7mhx4G+qQOgWk3XuxI8a8e7W9ICwxKmk+TBmPQbnav3MGoreEc\
        R160q2XxtTESl6g6fQ==
        """
    private static let signedByRSA = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJldmEifQ.U3yIeQqld3LXmPKubECQBWYyL80rnhLiCgNeK_WCELt5QSUUW\
        w4Wuu0fz2_YF_qaH4iXw96EOGQ8LNe9gFZ4BYEtu8kUSL_HQ4Tb2e5EuDgec-5XnV8UsI1TfuiuJLS3kt-hheiTfqZb5Xv31StGs6erMR__f\
        RTFQIMuwffV-BxoqabxQ0WE0EyNlxDjl6b9LAqqSFWPLukaLQjYul7UnbOrgKmncgEGcqVxswEH1_Ea-KTKYOkArirbRp9fbb7LKJX4PYutH\
        Rnh1jR8AaNUve-MTphnga1DkqMPtkcQ-JZr_8-O-JgtZehMnhXB5UQgDORTTySPJTh7QEoCf_gmIg
        """

    @Test
    func `The signature of an RS256 token, which OpenSSL's program has made, covers every bit and needs its key`()
        throws
    {
        let modulus = Self.modulus.base64Decoded
        #expect(modulus.count == 256)
        let key = try RSAPublicKey(modulus: modulus, exponent: Data([1, 0, 1]))
        let token = try JWT(identityToken: Self.signedByRSA, algorithms: [.rs256])
        #expect(token.keyId == "rsa-1" && token.algorithm == .rs256)
        #expect(token.isAuthentic(key: key) && key.verify(signature: token.signature, of: token.signingInput))
        #expect(
            try RSAPublicKey(modulus: Data([0, 0]) + modulus, exponent: Data([0, 1, 0, 1])).verify(
                signature: token.signature, of: token.signingInput))
        for bit in stride(from: 0, to: 2048, by: 31) {
            #expect(!key.verify(signature: token.signature.flippingBit(bit), of: token.signingInput))
            #expect(!key.verify(signature: token.signature, of: token.signingInput.flippingBit(bit)))
        }
        #expect(!key.verify(signature: Data(), of: token.signingInput))
        #expect(!key.verify(signature: token.signature + Data([0]), of: token.signingInput))
        let others = [
            try RSAPublicKey(modulus: modulus.flippingBit(9), exponent: Data([1, 0, 1])),
            try RSAPublicKey(modulus: modulus, exponent: Data([3])),
        ]
        for other in others { #expect(!token.isAuthentic(key: other)) }
        for exponent in [Data(), Data([0]), Data(count: 9), Data(repeating: 1, count: 9)] {
            #expect(throws: ProtocolError.invalidKey("rsaPublicKey")) {
                try RSAPublicKey(modulus: modulus, exponent: exponent)
            }
        }
    }

    // MARK: Temporary keys

    @Test func `A request for a temporary key needs an application and a challenge`() throws {
        let key = TemporaryKeyRequestKey.random()
        for (claims, expected) in [
            (#"{"applicationKey":"A","challenge":"C"}"#, nil),
            (#"{"applicationKey":"","challenge":"C"}"#, .missing(field: "applicationKey")),
            (#"{"applicationKey":"A","challenge":""}"#, .missing(field: "challenge")),
            (#"{"applicationKey":"A"}"#, .invalidEncoding(field: "jwt payload")),
        ] as [(String, ProtocolError?)] {
            let jwt = JWT.signed(claims: claims.utf8Data, key: key)
            #expect(refusal { _ = try TemporaryKeyRequest.parse(jwt: jwt) } == expected, "\(claims)")
        }
    }

    @Test func `Every claim of the answer about a temporary key is read and checked`() throws {
        let (serverKey, temporaryKey) = (try PrivateKey.generate(), try PrivateKey.generate().publicKey)
        let request = TemporaryKeyRequest(applicationKey: "A", activationId: "I", challenge: "C")
        let right: [String: Any] = [
            "sub": "id", "applicationKey": "A", "activationId": "I", "challenge": "C",
            "publicKey": StrictBase64.encode(temporaryKey.uncompressed), "iat": 1, "exp": 2, "iat_ms": 1_000,
            "exp_ms": 2_000,
        ]
        func verify(_ changes: [String: Any]) throws -> TemporaryKeyResponse {
            let claims = right.merging(changes) { $1 }
            let jwt = try JWT.signed(claims: JSONSerialization.data(withJSONObject: claims), key: serverKey)
            return try TemporaryKeyResponse(verifying: jwt, key: serverKey.publicKey, request: request)
        }
        let read = try verify([:])
        #expect(read.keyId == "id" && read.applicationKey == "A" && read.activationId == "I" && read.challenge == "C")
        #expect(read.publicKey == temporaryKey && read.issuedAt == 1_000 && read.expiresAt == 2_000)
        #expect(throws: Never.self, "a millisecond is a time") { try verify(["exp_ms": 1_001]) }
        let rows: [(name: String, value: Any, expected: TemporaryKeyResponseError)] = [
            ("sub", "", .malformed("the key has no id")),
            ("challenge", "D", .untrusted("the challenge is not the one that was sent")),
            ("applicationKey", "B", .untrusted("the key belongs to another application")),
            ("activationId", "J", .untrusted("the key belongs to another activation")),
            ("activationId", NSNull(), .untrusted("the key belongs to another activation")),
            ("publicKey", "?", .untrusted("the public key is not a P-256 point")),
            ("publicKey", "AAAA", .untrusted("the public key is not a P-256 point")),
            ("exp_ms", 1_000, .untrusted("the key has expired")), ("exp_ms", 999, .untrusted("the key has expired")),
            ("iat_ms", "soon", .malformed("jwt payload is not validly encoded")),
        ]
        for row in rows {
            #expect(throws: row.expected, "\(row.name)") { try verify([row.name: row.value]) }
        }
        let answer = TemporaryKeyResponse(
            to: request, keyId: "id", publicKey: temporaryKey, issuedAt: 1_999, expiresAt: 3_001)
        let written = try JWT(answer.jwt(key: serverKey), algorithm: .es256).payload()
        #expect(
            String(decoding: written, as: UTF8.self) == #"{"activationId":"I","applicationKey":"A","challenge":"C","#
                + #""exp":3,"exp_ms":3001,"iat":1,"iat_ms":1999,"#
                + #""publicKey":"\#(StrictBase64.encode(temporaryKey.uncompressed))","sub":"id"}"#)
    }
}
