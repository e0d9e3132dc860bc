// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: signed texts, and temporary keys", .endsInTime)
struct JWSTests {
    /// The vendor's responses of 2025-06, whose payload is older, and whose container and signatures are final.
    private struct VendorFile: Decodable {
        struct Request: Decodable {
            let signingKey: String
            let jwt: String
        }

        let es384PublicKey: String
        let mldsa65PublicKeySPKI: String
        let requests: [Request]
        let responses: [String]

        static func read() throws -> Self {
            try JSONDecoder().decode(
                Self.self, from: Data(contentsOf: VectorsV4.url("jws-temporary-key-2025-06")))
        }

        func keys(_ suite: CryptographySuite) throws -> SuitePublicKeys {
            try SuitePublicKeys(
                EncodedSuiteKeys(
                    ecdsa: es384PublicKey.base64Decoded,
                    mldsa: suite == .ecP384 ? nil : mldsa65PublicKeySPKI.base64Decoded), suite: suite)
        }
    }

    @Test(VectorsV4.condition) func `The vendor's signatures hold, and only for their suite`() throws {
        let file = try VendorFile.read()
        var signatures: [Int] = []
        for text in file.responses {
            let jws = try JWS(text)
            let count = text.components(separatedBy: "protected").count - 1
            signatures.append(count)
            let suite: CryptographySuite = count == 1 ? .ecP384 : .ecP384MLL3
            let payload = try jws.verified(by: file.keys(suite))
            #expect(String(decoding: payload, as: UTF8.self).contains("\"sharedSecretResponse\""))
            #expect(throws: ProtocolError.self) { try jws.verified(by: file.keys(count == 1 ? .ecP384MLL3 : .ecP384)) }
            let other = try SuitePrivateKeys.generate(suite: suite).publicKeys
            #expect(throws: ProtocolError.signatureMismatch) { try jws.verified(by: other) }
        }
        #expect(signatures.sorted() == [1, 2])
    }

    @Test(VectorsV4.condition) func `The vendor's requests are authentic, and changed ones are not`() throws {
        let file = try VendorFile.read()
        #expect(!file.requests.isEmpty)
        for request in file.requests {
            // The claims have an older member, so only header and code are the final ones.
            let parts = request.jwt.split(separator: ".").map(String.init)
            let key = try TemporaryKeyRequestV4.Key(request.signingKey.base64Decoded)
            #expect(Base64URL.decode(parts[0]) == "{\"alg\":\"HS256\"}".utf8Data)
            let code = key.withUnsafeBytes {
                Digest.hmacSHA256(key: Data($0), data: "\(parts[0]).\(parts[1])".utf8Data)
            }
            #expect(Base64URL.encode(code) == parts[2])
            #expect(throws: ProtocolError.invalidEncoding(field: "jwt payload")) {
                try TemporaryKeyRequestV4.Received(jwt: request.jwt)
            }
        }
    }

    @Test(arguments: ExampleV4.suites)
    func `A text is signed by all keys of a suite, and verified by all`(suite: CryptographySuite) throws {
        let (keys, other) = (try SuitePrivateKeys.generate(suite: suite), try SuitePrivateKeys.generate(suite: suite))
        let payload = #"{"a":1}"#.utf8Data
        let jws = try JWS(payload: payload, keys: keys)
        #expect(try jws.verified(by: keys.publicKeys) == payload)
        #expect(try JWS(jws.general) == jws)
        #expect(throws: ProtocolError.signatureMismatch) { try jws.verified(by: other.publicKeys) }
        for wrong in ExampleV4.suites where wrong != suite {
            let keys = try SuitePrivateKeys.generate(suite: wrong).publicKeys
            #expect(throws: ProtocolError.self) { try jws.verified(by: keys) }
        }
        if suite == .ecP384 {
            let compact = try #require(jws.compact)
            #expect(try JWS(compact) == jws)
        } else {
            #expect(jws.compact == nil)
        }
        // As text, and as an object.
        let text = try JSONEncoder().encode(["jwt": jws])
        #expect(try JSONDecoder().decode([String: JWS].self, from: text)["jwt"] == jws)
        let object = "{\"jwt\":\(jws.general)}".utf8Data
        #expect(try JSONDecoder().decode([String: JWS].self, from: object)["jwt"] == jws)
    }

    @Test(arguments: [CryptographySuite.Name.ecP384MLL3, .ecP384MLL5])
    func `One of two signatures is not enough`(name: CryptographySuite.Name) throws {
        let suite = CryptographySuite.named(name)
        let keys = try SuitePrivateKeys.generate(suite: suite)
        let jws = try JWS(payload: "payload".utf8Data, keys: keys)
        var object = try #require(
            JSONSerialization.jsonObject(with: jws.general.utf8Data) as? [String: Any])
        let entries = try #require(object["signatures"] as? [[String: String]])
        func verified(_ entries: [[String: String]]) throws -> Data {
            object["signatures"] = entries
            let data = try JSONSerialization.data(withJSONObject: object)
            return try JWS(String(decoding: data, as: UTF8.self)).verified(by: keys.publicKeys)
        }
        #expect(try verified(entries.reversed()) == "payload".utf8Data, "their order makes no difference")
        for index in 0...1 {
            var changed = entries
            let signature = try #require(Base64URL.decode(entries[index]["signature"] ?? ""))
            changed[index]["signature"] = Base64URL.encode(signature.flippingBit(1000))
            #expect(throws: ProtocolError.signatureMismatch) { try verified(changed) }
            changed[index]["signature"] = Base64URL.encode(signature.dropLast())
            #expect(throws: ProtocolError.signatureMismatch) { try verified(changed) }
            changed[index]["signature"] = "?"
            #expect(throws: ProtocolError.invalidEncoding(field: "jws signature")) { try verified(changed) }
            #expect(throws: ProtocolError.self) { try verified([entries[index]]) }
            #expect(throws: ProtocolError.self) { try verified([entries[index], entries[index]]) }
            #expect(throws: ProtocolError.self) { try verified(entries + [entries[index]]) }
        }
        #expect(throws: ProtocolError.self) { try verified([]) }
        // The signatures of each other's header.
        var swapped = entries
        swapped[0]["signature"] = entries[1]["signature"]
        swapped[1]["signature"] = entries[0]["signature"]
        #expect(throws: ProtocolError.signatureMismatch) { try verified(swapped) }
        object["payload"] = Base64URL.encode("another".utf8Data)
        #expect(throws: ProtocolError.signatureMismatch) { try verified(entries) }
    }

    @Test func `Texts that are no signed text are refused`() throws {
        for text in [
            "", "a.b", "a.b.c.d", "?.AA.AA", "AA.?.AA", "AA.AA.?", "{", "{}", #"{"payload":"AA"}"#,
            #"{"payload":1,"signatures":[]}"#, #"{"payload":"\"","signatures":[]}"#,
        ] {
            #expect(throws: ProtocolError.self) { try JWS(text) }
        }
        let keys = try SuitePrivateKeys.generate(suite: .ecP384)
        let compact = try #require(JWS(payload: Data(), keys: keys).compact).split(
            separator: ".", omittingEmptySubsequences: false)
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES384","crit":["b64"]}"#, "{}"] {
            let text = "\(Base64URL.encode(header.utf8Data)).\(compact[1]).\(compact[2])"
            #expect(throws: ProtocolError.self) { try JWS(text).verified(by: keys.publicKeys) }
        }
    }

    // MARK: Temporary keys

    @Test(arguments: ExampleV4.suites)
    func `Client and server agree on a temporary key`(suite: CryptographySuite) throws {
        let master = try SuitePrivateKeys.generate(suite: suite)
        for activationId in [nil, ExampleV4.activationId] {
            let client = try SharedSecretClient(suite: suite)
            let request = TemporaryKeyRequestV4(
                applicationKey: ExampleV4.applicationKey, activationId: activationId,
                sharedSecretRequest: client.request)
            let key =
                activationId == nil
                ? TemporaryKeyRequestV4.key(try ExampleV4.applicationSecret())
                : try ExampleV4.keys().utility.temporaryKeyRequest
            for algorithm in TemporaryKeyRequestV4.Algorithm.allCases {
                let received = try TemporaryKeyRequestV4.Received(jwt: request.jwt(key: key, algorithm: algorithm))
                #expect(received.request == request && received.isAuthentic(key: key))
                #expect(!received.isAuthentic(key: .random()))
            }
            #expect(try request.jwt(key: key).hasPrefix(Base64URL.encode(#"{"alg":"HS384"}"#.utf8Data)))

            let (exchanged, secret) = try SharedSecretServer.answer(request.sharedSecretRequest, suite: suite)
            let response = TemporaryKeyResponseV4(
                to: request, keyId: "id", sharedSecretResponse: exchanged, issuedAt: 1_000_000, expiresAt: 1_300_000)
            let jws = try response.jws(keys: master)
            let read = try TemporaryKeyResponseV4(
                verifying: jws, keys: master.publicKeys, request: request, currentTime: 1_299_999)
            #expect(try read == response && client.secret(of: read.sharedSecretResponse) == secret)

            #expect(throws: TemporaryKeyResponseError.untrusted("the key has expired")) {
                try TemporaryKeyResponseV4(
                    verifying: jws, keys: master.publicKeys, request: request, currentTime: 1_300_000)
            }
            let others = [
                TemporaryKeyRequestV4(
                    applicationKey: request.applicationKey, activationId: activationId,
                    sharedSecretRequest: client.request),
                TemporaryKeyRequestV4(
                    applicationKey: "other", activationId: activationId, challenge: request.challenge,
                    sharedSecretRequest: client.request),
                TemporaryKeyRequestV4(
                    applicationKey: request.applicationKey, activationId: activationId == nil ? "other" : nil,
                    challenge: request.challenge, sharedSecretRequest: client.request),
            ]
            for other in others {
                #expect(throws: TemporaryKeyResponseError.self) {
                    try TemporaryKeyResponseV4(verifying: jws, keys: master.publicKeys, request: other)
                }
            }
            let unrelated = try SuitePrivateKeys.generate(suite: suite).publicKeys
            #expect(throws: TemporaryKeyResponseError.untrusted("a signature does not verify")) {
                try TemporaryKeyResponseV4(verifying: jws, keys: unrelated, request: request)
            }
            let empty = try JWS(payload: "{}".utf8Data, keys: master)
            #expect(throws: TemporaryKeyResponseError.self) {
                try TemporaryKeyResponseV4(verifying: empty, keys: master.publicKeys, request: request)
            }
        }
    }

    @Test func `The keys of requests are derived by their labels`() throws {
        #expect(
            TemporaryKeyRequestV4.key(try ExampleV4.applicationSecret()).rawData.hexText
                == "3ebb4540eff6ed22ac22462fa36c383f4fcf628ad7619c076d1cc4d25d45afa6")
        #expect(
            try ExampleV4.keys().utility.temporaryKeyRequest.rawData.hexText
                == "2cade62edf067f391dc9c3e6de1a3027f00ad2370fe03a4c64fa8f9fc399a1d0")
    }

    @Test func `Requests of another form or algorithm are refused`() throws {
        let request = TemporaryKeyRequestV4(
            applicationKey: ExampleV4.applicationKey,
            sharedSecretRequest: try SharedSecretClient(suite: .ecP384).request)
        let jwt = try request.jwt(key: .random()).split(separator: ".").map(String.init)
        #expect(StrictBase64.decode(request.challenge)?.count == 18)
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS512"}"#, #"{"alg":"HS384","crit":["x"]}"#, "{}", "x"] {
            let text = "\(Base64URL.encode(header.utf8Data)).\(jwt[1]).\(jwt[2])"
            #expect(throws: ProtocolError.self) { try TemporaryKeyRequestV4.Received(jwt: text) }
        }
        for text in ["", "a.b", "\(jwt[0]).\(jwt[1])", "\(jwt[0]).?.\(jwt[2])", "\(jwt[0]).\(jwt[1]).?"] {
            #expect(throws: ProtocolError.self) { try TemporaryKeyRequestV4.Received(jwt: text) }
        }
    }
}
