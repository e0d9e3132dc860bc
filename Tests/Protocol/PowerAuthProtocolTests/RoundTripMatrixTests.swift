// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// One encrypted and signed request and its encrypted response, between a client that keeps locked factor
/// keys and a server that derives them: for every version, scope, factor combination, with and without EEK.
@Suite("Client and server agree for every combination", .endsInTime)
struct RoundTripMatrixTests {
    struct Combination: Sendable, CustomTestStringConvertible {
        let version: ProtocolVersion
        let scope: EciesScope
        let type: SignatureType
        let usesExternalKey: Bool

        var testDescription: String {
            "\(version.rawValue), \(scope), \(type.rawValue), EEK \(usesExternalKey ? "on" : "off")"
        }

        static let all = ProtocolVersion.allCases.flatMap { version in
            EciesScope.allCases.flatMap { scope in
                SignatureType.allCases.flatMap { type in
                    [false, true].map {
                        Combination(version: version, scope: scope, type: type, usesExternalKey: $0)
                    }
                }
            }
        }
    }

    /// What a device stores of an activation, and the keys that unlock it.
    private struct Device {
        let possession, knowledge, biometry, transport: Data
        let unlock = (possession: UnlockKey.random(), knowledge: UnlockKey.random(), biometry: UnlockKey.random())
        let externalKey: ExternalEncryptionKey?

        init(_ keys: DerivedKeys, externalKey: ExternalEncryptionKey?) throws {
            self.externalKey = externalKey
            possession = try FactorKeyProtection.protect(keys.possession, unlockKey: unlock.possession)
            transport = try FactorKeyProtection.protect(keys.transport, unlockKey: unlock.possession)
            knowledge = try FactorKeyProtection.protect(
                keys.knowledge, unlockKey: unlock.knowledge, externalKey: externalKey)
            biometry = try FactorKeyProtection.protect(
                keys.biometry, unlockKey: unlock.biometry, externalKey: externalKey)
        }

        func keys(_ factors: SignatureFactors, externalKey: ExternalEncryptionKey?) throws -> SignatureKeys {
            SignatureKeys(
                possession: factors.contains(.possession)
                    ? try FactorKeyProtection.recover(possession, unlockKey: unlock.possession) : nil,
                knowledge: factors.contains(.knowledge)
                    ? try FactorKeyProtection.recover(
                        knowledge, unlockKey: unlock.knowledge, externalKey: externalKey) : nil,
                biometry: factors.contains(.biometry)
                    ? try FactorKeyProtection.recover(biometry, unlockKey: unlock.biometry, externalKey: externalKey)
                    : nil)
        }
    }

    @Test(arguments: Combination.all)
    func `An encrypted and signed request gets its response in every combination`(combination: Combination) throws {
        let (version, scope) = (combination.version, combination.scope)
        let (deviceKey, serverKey, temporaryKey) = (
            try PrivateKey.generate(), try PrivateKey.generate(), try PrivateKey.generate()
        )
        let server = try ActivationKeyExchange(
            serverKey: serverKey, activationId: LabExample.activationId,
            devicePublicKey: deviceKey.publicKey.compressed)
        let client = try ActivationKeyExchange(
            deviceKey: deviceKey, activationId: LabExample.activationId,
            serverPublicKey: serverKey.publicKey.uncompressed, counterData: server.counter.rawData)
        let externalKey = combination.usesExternalKey ? ExternalEncryptionKey.random() : nil
        let device = try Device(client.keys, externalKey: externalKey)

        // Client: encrypt, then sign what is sent.
        let key = version.usesTemporaryKey || scope == .application ? temporaryKey : serverKey
        let parameters = EciesParameters(
            version: version, sharedInfo1: scope == .application ? .applicationGeneric : .activationGeneric,
            applicationKey: LabExample.applicationKeyText,
            activationId: scope == .activation ? LabExample.activationId : nil,
            temporaryKeyId: version.usesTemporaryKey ? LabExample.temporaryKeyId : nil)
        let transportKey: TransportKey = try FactorKeyProtection.recover(
            device.transport, unlockKey: device.unlock.possession)
        func sharedInfo2(_ transportKey: TransportKey) -> Data {
            scope == .application
                ? SharedInfo2.application(LabExample.applicationSecretText)
                : SharedInfo2.activation(transportKey, LabExample.applicationSecretText)
        }
        let (request, decryptor) = try EciesClientEncryptor(
            parameters: parameters, serverPublicKey: key.publicKey, sharedInfo2: sharedInfo2(transportKey)
        ).encrypt("question".utf8Data, timestamp: LabExample.timestamp)
        let body = try JSONEncoder().encode(request)
        let nonce = SymmetricSignature.randomNonce()
        func header(externalKey: ExternalEncryptionKey?) throws -> String {
            let signature = try SymmetricSignature.signature(
                form: .online(version), keys: device.keys(combination.type.factors, externalKey: externalKey),
                counter: client.counter,
                request: SignedRequest(
                    method: "post", uriId: "/my/operation", nonce: nonce, body: body,
                    applicationSecretText: LabExample.applicationSecretText))
            return SignatureHeader(
                version: version, activationId: client.activationId, applicationKey: LabExample.applicationKeyText,
                nonce: nonce, signatureType: combination.type, signature: signature
            ).value
        }

        // Server: verify the raw body, then decrypt.
        func verify(_ text: String, body: Data) throws -> ServerSignatureVerification.Match? {
            let header = try SignatureHeader(parsing: text)
            return try ServerSignatureVerification.match(
                signature: header.signature, version: header.version,
                keys: SignatureKeys(server.keys, factors: header.signatureType.factors),
                data: SymmetricSignature.normalize(
                    method: "POST", uriId: "/my/operation", nonce: header.nonce, body: body,
                    applicationSecretText: LabExample.applicationSecretText),
                counter: server.counter, lookAhead: 20)
        }
        let sent = try header(externalKey: externalKey)
        #expect(try verify(sent, body: body)?.nextCounter == client.counter.next())
        #expect(try verify(sent, body: body + [0x20]) == nil)
        let needsExternalKey =
            combination.usesExternalKey && !combination.type.factors.isDisjoint(with: [.knowledge, .biometry])
        #expect(
            (try verify(header(externalKey: nil), body: body) == nil) == needsExternalKey,
            "without its EEK, knowledge or biometry signs wrongly and possession rightly")
        let (question, encryptor) = try EciesServerDecryptor(
            parameters: parameters, serverPrivateKey: key, sharedInfo2: sharedInfo2(server.keys.transport)
        ).decrypt(JSONDecoder().decode(EciesRequest.self, from: body))
        #expect(question == "question".utf8Data)

        // And back.
        let response = try encryptor.encrypt("answer".utf8Data, timestamp: LabExample.timestamp + 40)
        let answer = try decryptor.decrypt(
            JSONDecoder().decode(EciesResponse.self, from: JSONEncoder().encode(response)),
            currentTime: LabExample.timestamp + 80)
        #expect(answer == "answer".utf8Data)
    }
}
