// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

@Suite("Protocol 4: temporary keys of a session", .endsInTime)
struct TemporaryKeyV4Tests {
    private enum Refusal: Equatable {
        case missingActivation, malformed, untrusted
    }

    /// The reason why the session refuses an answer; nil when it takes it.
    private func refusal(
        _ session: PowerAuthCoreSession, _ jws: JWS, _ exchange: TemporaryKeyExchangeV4
    ) -> Refusal? {
        do throws(TemporaryKeyRefusal) {
            _ = try session.acceptTemporaryKeyV4(jws, answering: exchange)
            return nil
        } catch {
            switch error {
            case .missingActivation: return .missingActivation
            case .malformed: return .malformed
            case .untrusted: return .untrusted
            }
        }
    }

    private struct General: Codable {
        struct Entry: Codable {
            var protected: String
            var signature: String
        }

        var payload: String
        var signatures: [Entry]

        init(_ jws: JWS) throws { self = try JSONDecoder().decode(Self.self, from: Data(jws.general.utf8)) }

        /// The text with other signatures.
        func with(_ signatures: [Entry]) throws -> JWS {
            var copy = self
            copy.signatures = signatures
            return try JWS(String(decoding: JSONEncoder().encode(copy), as: UTF8.self))
        }
    }

    @Test(arguments: ServerV4.suites, [PowerAuthCoreEciesEncryptorScope.application, .activation])
    func `A key is taken only if all signatures hold, and its answer is for the request`(
        suite: CryptographySuite, scope: PowerAuthCoreEciesEncryptorScope
    ) throws {
        let client = try ClientV4.activated(suite: suite)
        let session = client.session
        session.removeTemporaryKeyV4(for: scope)
        let exchange = try session.temporaryKeyExchangeV4(for: scope, keys: client.keys())
        #expect(exchange.scope == scope)
        let good = try client.server.temporaryKey(exchange.jwt)
        let text = try General(good)
        #expect(text.signatures.count == (suite == .ecP384 ? 1 : 2))
        for index in text.signatures.indices {
            var damaged = text.signatures
            var bytes = try #require(Base64URL.decode(damaged[index].signature))
            bytes[bytes.count / 2] ^= 1
            damaged[index].signature = Base64URL.encode(bytes)
            #expect(try refusal(session, text.with(damaged), exchange) == .untrusted, "signature \(index)")
            var fewer = text.signatures
            fewer.remove(at: index)
            #expect(try refusal(session, text.with(fewer), exchange) == .malformed, "without signature \(index)")
            let twice = text.signatures + [text.signatures[index]]
            #expect(try refusal(session, text.with(twice), exchange) == .malformed, "signature \(index) twice")
        }
        // The keys of the other scope, of another server, and the answer to another request.
        let wrongScope: PowerAuthCoreEciesEncryptorScope = scope == .application ? .activation : .application
        let crossed = try session.temporaryKeyExchangeV4(for: wrongScope, keys: client.keys())
        #expect(try refusal(session, client.server.temporaryKey(crossed.jwt), exchange) == .untrusted)
        let again = try session.temporaryKeyExchangeV4(for: scope, keys: client.keys())
        #expect(try refusal(session, client.server.temporaryKey(again.jwt), exchange) == .untrusted)
        let signer = try SuitePrivateKeys.generate(suite: suite)
        let payload = try #require(Base64URL.decode(text.payload))
        #expect(try refusal(session, JWS(payload: payload, keys: signer), exchange) == .untrusted)
        #expect(session.temporaryKeyIdV4(for: scope) == nil, "nothing was stored")
        #expect(refusal(session, good, exchange) == nil && session.temporaryKeyIdV4(for: scope) != nil)
        if suite != .ecP384 {
            #expect(try refusal(session, text.with(text.signatures.reversed()), exchange) == nil, "in any order")
        }
    }

    @Test(arguments: ServerV4.suites)
    func `A key whose secret cannot be computed is refused`(suite: CryptographySuite) throws {
        let client = try ClientV4(suite: suite)
        let exchange = try client.session.temporaryKeyExchangeV4(for: .application, keys: nil)
        let (right, _) = try SharedSecretServer.answer(exchange.request.sharedSecretRequest, suite: suite)
        for wrong in [
            SharedSecretResponse(salt: right.salt.dropLast(), encapsulatedKeys: right.encapsulatedKeys),
            SharedSecretResponse(salt: right.salt, encapsulatedKeys: right.encapsulatedKeys.map { $0.dropLast() }),
            SharedSecretResponse(salt: right.salt, encapsulatedKeys: []),
        ] {
            let answer = TemporaryKeyResponseV4(
                to: exchange.request, keyId: "id", sharedSecretResponse: wrong, issuedAt: 1, expiresAt: 2)
            let jws = try answer.jws(keys: client.server.masterKeys)
            #expect(refusal(client.session, jws, exchange) == .malformed)
        }
        let answer = TemporaryKeyResponseV4(
            to: exchange.request, keyId: "id", sharedSecretResponse: right, issuedAt: 1000, expiresAt: 3000)
        let validity = try client.session.acceptTemporaryKeyV4(
            answer.jws(keys: client.server.masterKeys), answering: exchange)
        #expect(validity.keyId == "id" && validity.issuedAt == 1 && validity.expiresAt == 3)
    }

    @Test func `A key of an activation that is gone is refused`() throws {
        let client = try ClientV4.activated()
        let exchange = try client.session.temporaryKeyExchangeV4(for: .activation, keys: client.keys())
        let jws = try client.server.temporaryKey(exchange.jwt)
        client.session.resetSession(false)
        #expect(refusal(client.session, jws, exchange) == .missingActivation)
        #expect(try refusal(ClientFixture().session, jws, exchange) == .missingActivation)
    }
}
