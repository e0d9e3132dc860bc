// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2

// The rows of the core's tables (sdk.md, section 6) that no sample of a manual uses.

func passwords(_ password: PowerAuthCorePassword) {
    let mutable = PowerAuthCoreMutablePassword()
    let _: [Bool] = [
        mutable.addCharacter(0x31), mutable.insertCharacter(0x32, at: 0), mutable.removeCharacter(at: 0),
        mutable.removeLastCharacter(), mutable == password,
    ]
    mutable.clear()
    password.secureClear()
    let _: PowerAuthCorePassword = mutable.copyToImmutable()
    let _: UInt = password.length()
}

func encryption(_ time: PowerAuthCoreTimeService, _ key: Data) {
    guard
        let encryptor = PowerAuthCoreEciesEncryptor(
            timeService: time, publicKey: key, sharedInfo1: nil, sharedInfo2: nil)
    else { return }
    let _: Data? = encryptor.publicKey
    encryptor.sharedInfo2 = Data()
    let _: [Bool] = [encryptor.canEncryptRequest, encryptor.canDecryptResponse]
    encryptor.associatedMetaData = PowerAuthCoreEciesMetaData(
        applicationKey: "k", temporaryKeyId: "t", activationIdentifier: nil)
    encryptor.associatedMetaData = PowerAuthCoreEciesMetaData(applicationKey: "k", activationIdentifier: "a")
    let _: PowerAuthCoreTimeService? = encryptor.timeSynchronizationService
    let _: Bool = encryptor.encryptRequest(nil) {
        (_: PowerAuthCoreEciesCryptogram?, _: PowerAuthCoreEciesEncryptor?) in
    }
    let _: PowerAuthCoreEciesEncryptor? = encryptor.copyForDecryption()
    let cryptogram = PowerAuthCoreEciesCryptogram()
    let _: [Data?] = [cryptogram.body, cryptogram.mac, cryptogram.key, cryptogram.nonce]
    let _: [String?] = [cryptogram.keyBase64, cryptogram.nonceBase64, cryptogram.temporaryKeyId]
    let _: UInt64 = cryptogram.timestamp
}

func sessionState(_ time: PowerAuthCoreTimeService) {
    let _: String? = PowerAuthCoreSessionSetup.buildConfiguration(appKey: "k", appSecret: "s", publicKey: "p")
    guard PowerAuthCoreSessionSetup.validateConfiguration("c"),
        let setup = PowerAuthCoreSessionSetup(configuration: "c"),
        let session = PowerAuthCoreSession(sessionSetup: setup, timeService: time)
    else { return }
    setup.externalEncryptionKey = nil
    let _: [String] = [setup.configuration, setup.applicationKey, session.applicationKey, session.httpAuthHeaderName]
    let _: UInt32 = session.sessionIdentifier
    let _: [Bool] = [
        PowerAuthCoreSession.hasDebugFeatures(), session.hasValidSetup, session.canStartActivation,
        session.hasPendingActivation, session.hasValidActivation, session.hasProtocolUpgradeAvailable,
        session.hasPendingProtocolUpgrade, session.deserializeState(session.serializedState()),
    ]
    let _: PowerAuthCoreDebugMonitor? = session.debugMonitor
    let _: PowerAuthCoreSessionSetup = session.sessionSetup
    let _: [PowerAuthCoreProtocolVersion] = [session.protocolVersion, .NA, .V2, .V3]
    let _: [String?] = [session.activationIdentifier, session.activationFingerprint]
    let _: [Data] = [
        PowerAuthCoreSession.normalizeSignatureUnlockKey(from: Data()),
        PowerAuthCoreSession.generateSignatureUnlockKey(),
    ]
    let _: [String] = [
        PowerAuthCoreSession.generateActivationStatusChallenge(),
        PowerAuthCoreSession.maxSupportedHttpProtocolVersion(.V3),
    ]
}

func sessionOperations(_ session: PowerAuthCoreSession, _ password: PowerAuthCorePassword) {
    let keys = PowerAuthCoreSignatureUnlockKeys()
    keys.possessionUnlockKey = Data()
    keys.biometryUnlockKey = nil
    keys.userPassword = password
    let first = PowerAuthCoreActivationStep1Param()
    first.activationCode = PowerAuthCoreOtpUtil.parse(fromActivationCode: "code")
    let _: String? = session.startActivation(first)?.devicePublicKey
    let second = PowerAuthCoreActivationStep2Param(
        activationId: "a", serverPublicKey: "s", ctrData: "c", activationRecovery: nil)
    let _: String? = session.validateActivationResponse(second)?.activationFingerprint
    let blob = PowerAuthCoreEncryptedActivationStatus(challenge: "c", encryptedStatusBlob: "b", nonce: "n")
    let _: PowerAuthCoreActivationStatus? = session.decodeActivationStatus(blob, keys: keys)
    let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/x", body: Data())
    request.offlineNonce = "n"
    request.offlineSignatureSize = 8
    let factors: [PowerAuthCoreSignatureFactor] = [.possession, .knowledge, .biometry]
    if let signature = session.signHttpRequestData(request, keys: keys, factor: factors[0]) {
        let _: [String] = [
            signature.version, signature.activationId, signature.applicationKey, signature.nonce, signature.factor,
            signature.signature, signature.authHeaderValue,
        ]
    }
    let _: Data? = PowerAuthCoreSession.prepareKeyValueDictionary(forDataSigning: ["a": "b"])
    let _: [Bool] = [
        session.completeActivation(keys), session.changeUserPassword(password, newPassword: password),
        session.addBiometryFactor("vault", keys: keys), session.hasBiometryFactor(), session.removeBiometryFactor(),
        session.hasActivationRecoveryData, session.hasExternalEncryptionKey, session.startProtocolUpgrade(),
        session.applyProtocolUpgradeData(PowerAuthCoreProtocolUpgradeDataV3(ctrData: "c")),
        session.finishProtocolUpgrade(),
    ]
    let _: PowerAuthCoreProtocolVersion = session.pendingProtocolUpgradeVersion
    let _: Data? = session.deriveCryptographicKey(fromVaultKey: "v", keys: keys, keyIndex: 1)
    let _: Data? = session.signData(
        withDevicePrivateKey: "v", keys: keys, data: Data(), format: PowerAuthCoreSignatureFormat.ECDSA_JOSE)
    let _: PowerAuthCoreRecoveryData? = session.activationRecoveryData("v", keys: keys)
    let _: [PowerAuthCoreErrorCode] = [
        session.setExternalEncryptionKey(Data()), session.addExternalEncryptionKey(Data()),
        session.removeExternalEncryptionKey(), .ok, .encryption, .wrongState, .wrongParam,
    ]
}

func sessionKeysAndSignedData(_ session: PowerAuthCoreSession, _ keys: PowerAuthCoreSignatureUnlockKeys) {
    let _: PowerAuthCoreEciesEncryptor? = session.eciesEncryptor(for: .activation, keys: keys, sharedInfo1: "info")
    session.setPublicKey(forEciesScope: .application, publicKey: "key", publicKeyId: "id")
    let _: Bool = session.hasPublicKey(forEciesScope: .application)
    let _: String? = session.publicKeyId(forEciesScope: .application)
    session.removePublicKey(forEciesScope: .application)

    let signed = PowerAuthCoreSignedData(
        signingDataKey: .ecdsa_MasterServerKey, data: Data(), signature: Data())
    signed.signatureFormat = .ECDSA_DER
    let _: [String] = [signed.dataBase64, signed.signatureBase64]
    let _: [Bool] = [
        session.verifyServerSignedData(signed), session.signData(withHmacKey: signed, keys: keys),
    ]
}

func cryptographyAndCodes(_ time: PowerAuthCoreTimeService, _ otp: PowerAuthCoreOtp) {
    let data = Data([1])
    if let pair = PowerAuthCoreCryptoUtils.ecGenerateKeyPair(),
        let key = PowerAuthCoreECPublicKey(data: pair.publicKey.publicKeyBytes)
    {
        let _: Bool = PowerAuthCoreCryptoUtils.ecdsaValidateSignature(data, for: data, for: key)
        let privateKey: PowerAuthCoreECPrivateKey = pair.privateKey
        let _: Data = privateKey.privateKeyBytes
        let _: [Data?] = [
            PowerAuthCoreCryptoUtils.ecdhComputeSharedSecret(key, withKeyPair: pair),
            PowerAuthCoreCryptoUtils.ecdhComputeSharedSecret(key, with: privateKey),
        ]
    }
    let _: [Data] = [
        PowerAuthCoreCryptoUtils.hashSha256(data), PowerAuthCoreCryptoUtils.hmacSha256(data, key: data),
        PowerAuthCoreCryptoUtils.hmacSha256(data, key: data, length: 16), PowerAuthCoreCryptoUtils.randomBytes(8),
    ]
    let _: (String, String?) = (otp.activationCode, otp.activationSignature)
    let _: [Bool] = [
        PowerAuthCoreOtpUtil.validateActivationCode("c"), PowerAuthCoreOtpUtil.validateRecoveryCode("c"),
        PowerAuthCoreOtpUtil.validateRecoveryPuk("p"), PowerAuthCoreOtpUtil.validateTypedCharacter(65),
    ]
    let _: Bool = time.isTimeSynchronized
    let task: Any = time.startTimeSynchronizationTask()
    let _: Bool = time.completeTimeSynchronizationTask(task, withServerTime: time.currentTime())
    PowerAuthCoreLogSetEnabled(PowerAuthCoreLogIsEnabled())
}
