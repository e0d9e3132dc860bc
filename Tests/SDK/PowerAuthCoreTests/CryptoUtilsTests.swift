// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, sections 2 and 10.
@Suite("Cryptographic functions for applications", .endsInTime)
struct CryptoUtilsTests {
    private let data = Data("data".utf8)

    private func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test func `Hashes and codes have their known values, and a code is cut to any length`() {
        #expect(
            hex(PowerAuthCoreCryptoUtils.hashSha256(Data("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let (key, text) = (Data("Jefe".utf8), Data("what do ya want for nothing?".utf8))
        let code = PowerAuthCoreCryptoUtils.hmacSha256(text, key: key)
        #expect(hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        for length in [0, 1, 31, 32, 33, UInt.max] {
            let cut = PowerAuthCoreCryptoUtils.hmacSha256(text, key: key, length: length)
            #expect(cut == code.prefix(Int(min(length, 32))), "\(length)")
        }
        for count in [UInt(0), 1, 17] { #expect(PowerAuthCoreCryptoUtils.randomBytes(count).count == Int(count)) }
    }

    @Test func `A key pair signs, and shares a secret with another one`() throws {
        let own = try #require(PowerAuthCoreCryptoUtils.ecGenerateKeyPair())
        let other = try #require(PowerAuthCoreCryptoUtils.ecGenerateKeyPair())
        let signature = try #require(PowerAuthCoreCryptoUtils.ecdsaComputeSignature(for: data, withKeyPair: own))
        func verifies(_ signature: Data, _ data: Data, _ key: PowerAuthCoreECPublicKey) -> Bool {
            PowerAuthCoreCryptoUtils.ecdsaValidateSignature(signature, for: data, for: key)
        }
        #expect(verifies(signature, data, own.publicKey) && !verifies(signature, data, other.publicKey))
        #expect(!verifies(signature, data + Data([0]), own.publicKey) && !verifies(Data(), data, own.publicKey))
        let secret = PowerAuthCoreCryptoUtils.ecdhComputeSharedSecret(other.publicKey, withKeyPair: own)
        #expect(secret?.count == 32)
        #expect(secret == PowerAuthCoreCryptoUtils.ecdhComputeSharedSecret(own.publicKey, withKeyPair: other))
        let bytes = own.publicKey.publicKeyBytes
        #expect(bytes.count == 33 && PowerAuthCoreECPublicKey(data: bytes)?.publicKeyBytes == bytes)
        #expect(PowerAuthCoreECPublicKey(data: own.key.publicKey.uncompressed)?.publicKeyBytes == bytes)
        #expect(PowerAuthCoreECPublicKey(data: bytes.dropLast()) == nil)
    }

    @Test func `Unlock keys and challenges have sixteen bytes, and headers their version`() {
        let key = PowerAuthCoreSession.normalizeSignatureUnlockKey(from: Data("abc".utf8))
        #expect(hex(key) == "ba7816bf8f01cfea414140de5dae2223")
        let (first, second) = (
            PowerAuthCoreSession.generateSignatureUnlockKey(), PowerAuthCoreSession.generateSignatureUnlockKey()
        )
        #expect(first.count == 16 && first != second)
        let challenge = PowerAuthCoreSession.generateActivationStatusChallenge()
        #expect(StrictBase64.decode(challenge)?.count == 16)
        #expect(challenge != PowerAuthCoreSession.generateActivationStatusChallenge())
        let versions: [PowerAuthCoreProtocolVersion] = [.NA, .V2, .V3]
        #expect(versions.map { PowerAuthCoreSession.maxSupportedHttpProtocolVersion($0) } == ["3.3", "2.1", "3.3"])
        #expect(versions.map(\.rawValue) == [0, 2, 3])
    }

    @Test func `A private key is imported from its bytes, signs, and shares secrets as its pair does`() throws {
        let pair = try #require(PowerAuthCoreCryptoUtils.ecGenerateKeyPair())
        let other = try #require(PowerAuthCoreCryptoUtils.ecGenerateKeyPair())
        let bytes = pair.privateKey.privateKeyBytes
        #expect((1...32).contains(bytes.count) && bytes.first != 0)
        let imported = try #require(PowerAuthCoreECPrivateKey(data: Data([0]) + bytes))
        #expect(imported.privateKeyBytes == bytes, "a leading zero byte is no part of the number")
        let signature = try #require(PowerAuthCoreCryptoUtils.ecdsaComputeSignature(for: data, with: imported))
        #expect(PowerAuthCoreCryptoUtils.ecdsaValidateSignature(signature, for: data, for: pair.publicKey))
        #expect(!PowerAuthCoreCryptoUtils.ecdsaValidateSignature(signature, for: data, for: other.publicKey))
        #expect(
            PowerAuthCoreCryptoUtils.ecdhComputeSharedSecret(other.publicKey, with: imported)
                == PowerAuthCoreCryptoUtils.ecdhComputeSharedSecret(pair.publicKey, withKeyPair: other))
        for unusable in [Data(), Data(count: 32), Data(repeating: 0xFF, count: 32), Data(repeating: 1, count: 33)] {
            #expect(PowerAuthCoreECPrivateKey(data: unusable) == nil, "\(unusable.count) bytes")
        }
    }

    @Test func `A session names the header of signed requests, and returns the number that its setup had`() throws {
        let fixture = try ClientFixture()
        #expect(fixture.session.httpAuthHeaderName == "X-PowerAuth-Authorization")
        #expect(fixture.session.sessionIdentifier == 0)
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration))
        setup.sessionIdentifier = 7
        let session = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: fixture.time))
        setup.sessionIdentifier = 8
        #expect(session.sessionIdentifier == 7 && session.sessionSetup.sessionIdentifier == 7)
    }

    @Test func `Keys and formats of signatures have the vendor's numbers under the importer's names`() {
        let keys: [PowerAuthCoreSigningDataKey] = [
            .ecdsa_MasterServerKey, .ecdsa_PersonalizedKey, .hmac_Application, .hmac_Activation,
        ]
        #expect(keys.map(\.rawValue) == [0, 1, 2, 3])
        let formats: [PowerAuthCoreSignatureFormat] = [.default, .ECDSA_DER, .ECDSA_JOSE]
        #expect(formats.map(\.rawValue) == [0, 1, 2])
    }

    @Test func `The mask of every factor combination is the protocol's`() {
        let factors: [PowerAuthCoreSignatureFactor] = [
            .possession, .knowledge, .biometry, .possession_Knowledge, .possession_Biometry,
            .possession_Knowledge_Biometry,
        ]
        #expect(factors.map(\.rawValue) == [0x001, 0x010, 0x100, 0x011, 0x101, 0x111])
        #expect(factors.map(\.rawValue) == SignatureType.allCases.map { UInt($0.factors.rawValue) })
    }

    @Test func `A device token is the encoded header and claims with a signature behind them`() throws {
        let claims = Data(#"{"sub":"eva"}"#.utf8)
        let token = DeviceToken(claims: claims)
        #expect(token.signingInput == "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJldmEifQ")
        #expect(token.signed(with: Data([0xFB, 0xFF])) == token.signingInput + ".-_8")
        let key = try PrivateKey.generate()
        let signature = try key.sign(Data(token.signingInput.utf8), format: .jose)
        #expect(try JWT(token.signed(with: signature), algorithm: .es256).isAuthentic(key: key.publicKey))
    }
}

/// sdk.md, section 5.20.
@Suite("Activation codes in the vendor's utility", .endsInTime)
struct OtpUtilTests {
    @Test func `Codes are validated`() {
        for code in ["VVVVV-VVVVV-VVVVV-VTFVA", "55555-55555-55555-55YMA", "45AWJ-BVACS-SBWHS-ABANA"] {
            #expect(PowerAuthCoreOtpUtil.validateActivationCode(code))
            #expect(PowerAuthCoreOtpUtil.validateRecoveryCode("R:" + code))
            #expect(!PowerAuthCoreOtpUtil.validateActivationCode("R:" + code))
            #expect(!PowerAuthCoreOtpUtil.validateActivationCode(code + "#AB=="))
        }
        #expect(PowerAuthCoreOtpUtil.validateRecoveryPuk("0123456789"))
        #expect(!PowerAuthCoreOtpUtil.validateRecoveryPuk("012345678"))
    }

    @Test func `Scanned codes are parsed`() {
        let parsed = PowerAuthCoreOtpUtil.parse(fromActivationCode: "45AWJ-BVACS-SBWHS-ABANA#AB==")
        #expect(parsed?.activationCode == "45AWJ-BVACS-SBWHS-ABANA" && parsed?.activationSignature == "AB==")
        #expect(PowerAuthCoreOtpUtil.parse(fromActivationCode: "45AWJ-BVACS-SBWHS-ABANA")?.activationSignature == nil)
        #expect(PowerAuthCoreOtpUtil.parse(fromActivationCode: "45AWJ-BVACS-SBWHS-ABANA#") == nil)
        #expect(
            PowerAuthCoreOtpUtil.parse(fromRecoveryCode: "R:45AWJ-BVACS-SBWHS-ABANA")?.activationCode
                == "45AWJ-BVACS-SBWHS-ABANA")
        #expect(PowerAuthCoreOtpUtil.parse(fromRecoveryCode: "45AWJ-BVACS-SBWHS-ABANA#AB==") == nil)
    }

    @Test func `Typed characters are corrected`() {
        func corrected(_ text: String) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.compactMap {
                        Unicode.Scalar(PowerAuthCoreOtpUtil.validateAndCorrectTypedCharacter($0.value))
                    }.filter { $0.value != 0 }))
        }
        #expect(corrected("abcxyz01") == "ABCXYZOI")
        #expect(corrected("89-=#$%^&!@'();") == "")
    }

    @Test func `Of the typed characters, only capital letters and the digits 2 to 7 occur in a code`() {
        let valid = (UInt32(0)...300).filter { PowerAuthCoreOtpUtil.validateTypedCharacter($0) }
        #expect(valid == "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars.map(\.value))
    }
}
