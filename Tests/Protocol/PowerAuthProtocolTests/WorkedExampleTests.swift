// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// Every value of protocol.md, section 19, except ECIES (``WorkedExampleEciesTests``).
@Suite("Worked example", .endsInTime)
struct WorkedExampleTests {
    @Test func `The key exchange has its known values`() throws {
        #expect(
            try LabExample.masterKey().publicKey.uncompressed.base64
                == "BK/ceIEbXTJrhZcxLhHFTu1kSTZHIZvBiN11b9ShQyH1abH/C9qUtfhIOdc9a/znMfuFuWSWqJPrvWc5+9aXTSQ=")
        let device = try LabExample.deviceKey()
        #expect(try device.bigEndian.hexText == "3ebbbfba1143ba07613d9931ab9fdf38dda1dd9b3c0a46069d1f49fa6d4661e9")
        #expect(
            device.publicKey.compressed.hexText
                == "0259ab663447110acbf6839036ad51fcabb098f40c590e1458a0cc8e1bb8d398b9")
        let server = try LabExample.serverKey()
        #expect(
            server.publicKey.uncompressed.base64
                == "BN1JBWm9tIw5/pLynSTcI3/4EjCphRab2r0MEPxcmbJ5rCjYzPbQY8XaPn+S3+WmSXyXqKceupIDRtqRhvOl8Dk=")
        #expect(
            try LabExample.ephemeralKey().publicKey.compressed.base64 == "AzVGqCr6JQJIjJUqdWNPFHWK9AhiEtYK/UoC5GW5X5QJ")
        #expect(
            try device.sharedSecret(with: server.publicKey).bytes.rawData.hexText
                == "fc4dc5c8415c1ee1912fd55aca6dc2944016ea124147a69bf9aa55ceccde61b8")
        #expect(try LabExample.masterSecret().rawData.hexText == "bc5b2fda001bb87a6885809406b3a32c")
        let keys = try LabExample.keys()
        #expect(keys.possession.rawData.hexText == "c7e372ee3c47bcf6f6d024f883dd5e93")
        #expect(keys.knowledge.rawData.hexText == "c1be15855c7932aaced2331c3471eba8")
        #expect(keys.biometry.rawData.hexText == "49c99e4f0f9f0dff469910895860ff78")
        #expect(keys.transport.rawData.hexText == "bbb65ef5506298c440567a9c981c4b66")
        #expect(keys.vault.rawData.hexText == "ce37037cdc4a9d142d8b84ba8844cc88")
        let vectorKey: SymmetricKey<KeyPurpose.TransportIV> = KDF.derive(keys.transport, index: 3000)
        let counterKey: SymmetricKey<KeyPurpose.TransportCounter> = KDF.derive(keys.transport, index: 4000)
        #expect(vectorKey.rawData.hexText == "f16d08b90f97ad928436e40abf1390f9")
        #expect(counterKey.rawData.hexText == "d667c771c79ec80a345f6b09039563e9")
        let counter = try LabExample.counter()
        #expect(counter.next().rawData.hexText == "13c9b7262f3d67903058951911a0b111")
        #expect(counter.advanced(by: 2).rawData.hexText == "e4dc31ec6fcadbe4390a6c5494667f9b")
    }

    @Test func `Both sides of the exchange agree`() throws {
        let device = try LabExample.deviceKey()
        let server = try LabExample.serverKey()
        let client = try ActivationKeyExchange(
            deviceKey: device, activationId: LabExample.activationId,
            serverPublicKey: server.publicKey.uncompressed, counterData: LabExample.counterBytes)
        let other = try ActivationKeyExchange(
            serverKey: server, activationId: LabExample.activationId,
            devicePublicKey: device.publicKey.compressed, counter: LabExample.counter())
        #expect(client.fingerprint == "61318391")
        #expect(other.fingerprint == "61318391")
        #expect(client.keys.vault == other.keys.vault)
        #expect(client.counter == other.counter)
        #expect(Fingerprint.v2(device: device.publicKey) == "56070607")
    }

    @Test func `Factor keys are protected as known`() throws {
        let keys = try LabExample.keys()
        let possession = UnlockKey.possession(deviceIdentifier: "lab-device-uuid")
        #expect(possession.rawData.hexText == "20360d823f7a4837a786211e651b1b26")
        let protectedPossession = try FactorKeyProtection.protect(keys.possession, unlockKey: possession)
        #expect(protectedPossession.hexText == "3d4330bd9303a8cdf859d5980113fe2b")
        let protectedTransport = try FactorKeyProtection.protect(keys.transport, unlockKey: possession)
        #expect(protectedTransport.hexText == "225640944b55eb3954eb25dda3a76971")
        #expect(try FactorKeyProtection.recover(protectedTransport, unlockKey: possession) == keys.transport)

        let knowledge = try UnlockKey.knowledge(password: SecretBytes("1234".utf8Data), salt: counting(16, from: 0x30))
        #expect(knowledge.rawData.hexText == "4b2f1df1043d18dd7a730c3c15a37fcf")
        let plain = try FactorKeyProtection.protect(keys.knowledge, unlockKey: knowledge)
        #expect(plain.hexText == "724ba7bf5be8dc626ac86d1e834718d5")
        let external = try ExternalEncryptionKey(counting(16, from: 0x50))
        let wrapped = try FactorKeyProtection.protect(keys.knowledge, unlockKey: knowledge, externalKey: external)
        #expect(wrapped.hexText == "9304d9c5bc33bd55389dcee1a013bf01")
        #expect(try FactorKeyProtection.wrap(plain, externalKey: external) == wrapped)
        #expect(try FactorKeyProtection.unwrap(wrapped, externalKey: external) == plain)
        #expect(try FactorKeyProtection.recover(wrapped, unlockKey: knowledge, externalKey: external) == keys.knowledge)
    }

    @Test func `The vault key has its known value`() throws {
        let keys = try LabExample.keys()
        let wrapped = try Vault.wrap(keys.vault, transportKey: keys.transport)
        #expect(wrapped.base64 == "Vl/ggGKn3D8uDNhG3LTzE5qVRQRSHdL0R13UYl6OIIk=")
        #expect(try Vault.unwrap(wrapped, transportKey: keys.transport) == keys.vault)
        #expect(Vault.encryptionKey(keys.vault, index: 7).rawData.hexText == "429e76462b22f6779e1610e930f6d022")
    }

    @Test(
        arguments: [
            (SignatureType.possession, "+eltToL7I9TJWc1WOAMFZA==", "39722084"),
            (.possessionKnowledge, "+eltToL7I9TJWc1WOAMFZBtVWAJixkkHTCmj4ul3BMc=", "39722084-69407687"),
            (.possessionBiometry, "+eltToL7I9TJWc1WOAMFZB7BUqgaI/vfhEv7b+MT+Cg=", "39722084-62253096"),
            (
                .possessionKnowledgeBiometry, "+eltToL7I9TJWc1WOAMFZBtVWAJixkkHTCmj4ul3BMcmllHZMYccb4uUYR/ajryL",
                "39722084-69407687-19303819"
            ),
        ])
    func `Online signatures have their known values`(type: SignatureType, base64: String, decimal: String) throws {
        let data = SymmetricSignature.normalize(
            method: "POST", uriId: "/pa/signature/validate", nonce: LabExample.nonceText,
            body: #"{"requestObject":{"reason":"VALIDATE_PASSWORD"}}"#.utf8Data,
            applicationSecretText: LabExample.applicationSecretText)
        #expect(
            String(decoding: data, as: UTF8.self) == """
                POST&L3BhL3NpZ25hdHVyZS92YWxpZGF0ZQ==&ICEiIyQlJicoKSorLC0uLw==&\
                eyJyZXF1ZXN0T2JqZWN0Ijp7InJlYXNvbiI6IlZBTElEQVRFX1BBU1NXT1JEIn19&EBESExQVFhcYGRobHB0eHw==
                """)
        let keys = SignatureKeys(try LabExample.keys(), factors: type.factors)
        let counter = try LabExample.counter()
        #expect(try SymmetricSignature.online(version: .v3_3, keys: keys, counter: counter, data: data) == base64)
        #expect(try SymmetricSignature.online(version: .v3_0, keys: keys, counter: counter, data: data) == decimal)
    }

    @Test func `The offline signature has its known value`() throws {
        let keys = SignatureKeys(try LabExample.keys(), factors: [.possession, .knowledge])
        let sign = { (length: Int) in
            try SymmetricSignature.offline(
                keys: keys, counter: LabExample.counter().next(), uriId: "/operation/authorize/offline",
                nonce: LabExample.nonceText, body: "A1*A100CZK*Q238400856/0300**D20250101*NLab".utf8Data, length: length
            )
        }
        #expect(try sign(8) == "47846661-73297654")
        #expect(try sign(4) == "6661-7654")
    }

    @Test func `Token digests have their known values`() throws {
        let secret = try TokenSecret(counting(16, from: 0x60))
        for (version, expected) in [
            (ProtocolVersion.v3_0, "7sqweB3NiOR+dm7SZNKX9w+TON8s2Buj6YHHHd4CORk="),
            (.v3_1, "7sqweB3NiOR+dm7SZNKX9w+TON8s2Buj6YHHHd4CORk="),
            (.v3_2, "C9qcnpCJuggbL6SF7UhwcjE2tARIW538ikBSolNbagU="),
            (.v3_3, "MYysEv3IceLNlGLODxhZJ1MM0OfxEeXph3YtnZnwcLE="),
        ] {
            let header = TokenHeader(
                version: version, tokenId: LabExample.temporaryKeyId, secret: secret,
                timestamp: LabExample.timestamp, nonce: LabExample.nonce)
            #expect(header.tokenDigest.base64 == expected)
            #expect(header.isAuthentic(secret: secret))
        }
    }

    @Test func `The status blob has its known value`() throws {
        let transport = try LabExample.keys().transport
        let exchange = try StatusBlob.Exchange(challenge: counting(16, from: 0x70), nonce: counting(16, from: 0x80))
        #expect(exchange.vector(transportKey: transport).hexText == "07cc612b7ad45e7d75c9341788bc0be8")
        let hash = StatusBlob.counterDataHash(transportKey: transport, counter: try LabExample.counter().next())
        #expect(hash.hexText == "0f2be91620046d75a9d2ffcf1105346a")
        let blob = StatusBlob(
            state: .active, failedAttempts: 2, maxFailedAttempts: 5,
            counter: .init(byte: 1, lookAhead: 20, dataHash: hash))
        let plain = try blob.encoded(random: Data(repeating: 0x11, count: 32))
        #expect(plain.hexText == "dec0ded10303031111111111010205140f2be91620046d75a9d2ffcf1105346a")
        let decrypted = try StatusBlob(
            decrypting: "QcfKVlUZY3UwtLAUleGS459RRSvupevNdNbvUWq/UCY=".base64Decoded, transportKey: transport,
            exchange: exchange)
        #expect(decrypted == blob)
        #expect(decrypted.remainingAttempts == 3)
    }

    @Test func `Configuration and codes have their known values`() throws {
        let configuration = try MobileSdkConfiguration(
            applicationKeyText: LabExample.applicationKeyText,
            applicationSecretText: LabExample.applicationSecretText,
            masterServerPublicKeyText: LabExample.masterKey().publicKey.uncompressed.base64)
        let text = """
            ARAAAQIDBAUGBwgJCgsMDQ4PEBAREhMUFRYXGBkaGxwdHh8BAUEEr9x4gRtdMmuFlzEuEcVO7WRJNkchm8GI3XVv1KFDIfVpsf8L\
            2pS1+Eg51z1r/Ocx+4W5ZJaok+u9Zzn71pdNJA==
            """
        #expect(configuration.string == text)
        #expect(try MobileSdkConfiguration(text) == configuration)
        #expect(try MobileSdkConfiguration(text, reader: .server) == configuration)

        let raw = hex("a795b0b80042b5e15a4d")
        #expect(CRC16.checksum(raw) == 0xD1E3)
        let code = try ActivationCode(raw: raw)
        #expect(code.text == "U6K3B-OAAIK-26CWS-N2HRQ")
        let master = try LabExample.masterKey().publicKey
        let der = """
            MEQCIDoesM/epwHqenm03HEBrOjMQtTJUCEGp8IsT1wWCrocAiAdv+X4RDBvJTHcsO3C3YxRKIor3k95bbf5az/hjAEJXA==
            """
        #expect(code.isSigned(der.base64Decoded, by: master))
        #expect(throws: Never.self) { try ActivationCode.checkForStart(code, signature: der, masterKey: master) }
        #expect(
            ECDSAFormat.joseFromDER(der.base64Decoded)?.hexText == """
                3a1eb0cfdea701ea7a79b4dc7101ace8cc42d4c9502106a7c22c4f5c160aba1c\
                1dbfe5f844306f2531dcb0edc2dd8c51288a2bde4f796db7f96b3fe18c01095c
                """)
    }

    @Test func `Recovery code and PUK have their known values`() throws {
        let secret = SecretBytes(counting(16, from: 0))
        let nonce = counting(32, from: 0)
        #expect(
            KDF.x963(secret: secret, info: nonce, length: 26).rawData.hexText
                == "264893447c32bee5a9ac08cd5b506d6babb9fb95bd0384644307")
        let seed = try RecoverySeed(secret: secret, nonce: nonce)
        #expect(seed.code.text == "EZEJG-RD4GK-7OLKN-MYGBQ")
        #expect(try seed.puk(index: Data(count: 8)).text == "7165461507")
    }

    @Test func `Temporary key requests have their known values`() throws {
        let secret = try ApplicationSecretKey(LabExample.applicationSecretText.base64Decoded)
        let activationKey = try TemporaryKeyRequest.signingKey(secret, transportKey: LabExample.keys().transport)
        #expect(activationKey.rawData.hexText == "d4b5db9290b6e75f9a127b35c63f3822")
        let request = TemporaryKeyRequest(
            applicationKey: LabExample.applicationKeyText, challenge: "wMHCw8TFxsfIycrLzM3Oz9DR")
        let jwt = try request.jwt(key: TemporaryKeyRequest.signingKey(secret))
        #expect(
            jwt == """
                eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhcHBsaWNhdGlvbktleSI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHc9PSIsImNo\
                YWxsZW5nZSI6IndNSEN3OFRGeHNmSXljckx6TTNPejlEUiJ9.FJ0LiQOo-LiHZ7kqhj18usPzWlrXymfF6y7NXNW1xJg
                """)
        let parsed = try TemporaryKeyRequest.parse(jwt: jwt)
        #expect(parsed.request == request)
        #expect(parsed.token.isAuthentic(key: TemporaryKeyRequest.signingKey(secret)))
        #expect(!parsed.token.isAuthentic(key: activationKey))
    }
}
