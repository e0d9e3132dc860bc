import Foundation
import PowerAuthProtocol
import Testing

/// Every parser against truncation, single-bit changes and a seeded stream of damaged inputs: an error or a
/// value that still obeys the rules, never a crash.
@Suite("Malformed input")
struct MalformedInputTests {
    private static let rounds = 3000

    /// Calls `parse` with every truncation, every flipped bit and many damaged copies of `valid`.
    private func drive(_ valid: Data, seed: UInt64, _ parse: (Data) throws -> Void) rethrows {
        for count in 0..<valid.count { try parse(valid.prefix(count)) }
        for bit in 0..<(valid.count * 8) { try parse(valid.flippingBit(bit)) }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Self.rounds {
            try parse(generator.damaged(valid))
            try parse(generator.bytes(Int.random(in: 0...80, using: &generator)))
        }
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    @Test func codes() {
        drive("W65WE-3T7VI-7FBS2-A4OYA#MEQCIDoesM8=".utf8Data, seed: 1) { data in
            let text = text(data)
            if let parsed = try? ActivationCodeParser.parse(text) {
                #expect(text == parsed.code.text + (parsed.signature.map { "#" + $0 } ?? ""))
                #expect((try? ActivationCode(raw: parsed.code.raw)) == parsed.code)
            }
            if let recovery = try? ActivationCodeParser.parseRecovery(text) { #expect(text.hasSuffix(recovery.text)) }
        }
    }

    @Test func configurations() throws {
        let key = try LabExample.masterKey().publicKey
        let valid = try MobileSdkConfiguration(
            applicationKey: counting(16, from: 0), applicationSecret: counting(16, from: 16),
            masterServerPublicKey: key.uncompressed)
        drive(valid.string.base64Decoded, seed: 2) { data in
            if let read = try? MobileSdkConfiguration(data.base64) {
                #expect((try? MobileSdkConfiguration(read.string)) == read)
                if let point = try? read.masterServerKey() {
                    #expect([33, 65].contains(read.masterServerPublicKey.count) && point.uncompressed.count == 65)
                }
            }
        }
        drive(valid.string.utf8Data, seed: 3) { _ = try? MobileSdkConfiguration(text($0), reader: .server) }
    }

    @Test func points() throws {
        let key = try LabExample.masterKey().publicKey
        for (valid, seed) in [(key.compressed, UInt64(4)), (key.uncompressed, 5)] {
            drive(valid, seed: seed) { data in
                guard let point = try? PublicKey(encoded: data) else { return }
                #expect(point.compressed == data || point.uncompressed == data, "\(data.hexText)")
            }
        }
    }

    @Test func signatures() throws {
        let key = try LabExample.masterKey()
        let message = "message".utf8Data
        let der = try key.sign(message)
        drive(der, seed: 6) { data in
            if data != der { #expect(!key.publicKey.verify(signature: data, of: message), "\(data.hexText)") }
            if let jose = ECDSAFormat.joseFromDER(data) { #expect(jose.count == 64) }
        }
        let jose = try key.sign(message, format: .jose)
        drive(jose, seed: 7) { data in
            if data != jose { #expect(!key.publicKey.verify(signature: data, of: message, format: .jose)) }
            if let der = ECDSAFormat.derFromJOSE(data) { #expect(ECDSAFormat.joseFromDER(der) == data) }
        }
    }

    @Test func headers() throws {
        let signature = SignatureHeader(
            version: .v3_3, activationId: LabExample.activationId, applicationKey: LabExample.applicationKeyText,
            nonce: LabExample.nonceText, signatureType: .possession, signature: Data(count: 16).base64)
        drive(signature.value.utf8Data, seed: 8) { data in
            guard let header = try? SignatureHeader(parsing: text(data)) else { return }
            #expect((try? SignatureHeader(parsing: header.value)) == header)
        }
        let encryption = EncryptionHeader(
            version: .v3_3, applicationKey: LabExample.applicationKeyText, activationId: LabExample.activationId)
        drive(encryption.value.utf8Data, seed: 9) { data in
            guard let header = try? EncryptionHeader(parsing: text(data), scope: .activation) else { return }
            #expect((try? EncryptionHeader(parsing: header.value, scope: .activation)) == header)
        }
        let token = TokenHeader(
            version: .v3_3, tokenId: LabExample.activationId, secret: .random(), timestamp: LabExample.timestamp)
        drive(token.value.utf8Data, seed: 10) { data in
            guard let header = try? TokenHeader(parsing: text(data)) else { return }
            #expect((try? TokenHeader(parsing: header.value)) == header)
            _ = header.timestamp
        }
    }

    @Test func encryptedRequests() throws {
        let serverKey = try LabExample.serverKey()
        let parameters = EciesParameters(
            version: .v3_3, sharedInfo1: .activationGeneric, applicationKey: LabExample.applicationKeyText,
            activationId: LabExample.activationId, temporaryKeyId: LabExample.temporaryKeyId)
        let sharedInfo2 = SharedInfo2.application(LabExample.applicationSecretText)
        let (request, _) = try EciesClientEncryptor(
            parameters: parameters, serverPublicKey: serverKey.publicKey, sharedInfo2: sharedInfo2
        ).encrypt("plain".utf8Data, timestamp: 1)
        let server = EciesServerDecryptor(
            parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: sharedInfo2)
        drive(try JSONEncoder().encode(request), seed: 11) { data in
            guard let read = try? JSONDecoder().decode(EciesRequest.self, from: data),
                let plaintext = try? server.decrypt(read).plaintext
            else { return }
            // Only another spelling of the same message passes.
            #expect(read == request && plaintext == "plain".utf8Data)
        }
    }

    @Test func tokens() throws {
        let key = TemporaryKeyRequestKey.random()
        let request = TemporaryKeyRequest(applicationKey: LabExample.applicationKeyText)
        drive(try request.jwt(key: key).utf8Data, seed: 12) { data in
            guard let parsed = try? TemporaryKeyRequest.parse(jwt: text(data)), parsed.token.isAuthentic(key: key)
            else { return }
            #expect(parsed.request == request)
        }
        let serverKey = try LabExample.serverKey()
        let response = TemporaryKeyResponse(
            to: request, keyId: "1", publicKey: serverKey.publicKey, issuedAt: 1, expiresAt: 2)
        drive(try response.jwt(key: serverKey).utf8Data, seed: 13) { data in
            let read = try? TemporaryKeyResponse(verifying: text(data), key: serverKey.publicKey, request: request)
            #expect(read == nil || read == response)
        }
    }

    @Test func statusBlobs() throws {
        let blob = StatusBlob(
            state: .active, failedAttempts: 0, maxFailedAttempts: 5,
            counter: .init(byte: 1, lookAhead: 20, dataHash: Data(count: 16)))
        drive(try blob.encoded(), seed: 14) { data in
            guard let read = try? StatusBlob(decoding: data) else { return }
            #expect((try? StatusBlob(decoding: read.encoded())) == read)
            _ = CounterSynchronization.decide(
                counter: CounterData(legacyCounter: 1), byte: 200, blob: read, transportKey: .random())
        }
    }

    @Test func offlinePayloads() throws {
        let key = try LabExample.masterKey()
        let payload = try OfflinePayload(data: "a\nb", signingKey: .master, key: key)
        drive(payload.text.utf8Data, seed: 15) { data in
            guard let read = try? OfflinePayload(text(data)) else { return }
            if read.isSigned(by: key.publicKey) { #expect(read == payload) }
        }
    }

    @Test func encodings() {
        drive(Random.bytes(64), seed: 16) { data in
            #expect(Base32.decode(Base32.encode(data)) == data)
            #expect(Base64URL.decode(Base64URL.encode(data)) == data)
            let text = text(data)
            if let read = Base32.decode(text) { #expect(Base32.encode(read) == text) }
            if let read = StrictBase64.decode(text) { #expect(StrictBase64.encode(read).count == text.utf8.count) }
            _ = try? RequestSignature.canonicalQuery(rawQuery: text)
            _ = UUIDText.isValid(text)
            var reader = CountedReader(data)
            while reader.counted() != nil {}
        }
    }
}
