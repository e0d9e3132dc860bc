// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import TestSupport
import Testing

/// extensions-and-legacy-names.md, sections 3, 4 and 11.
///
/// The tests are deprecated as what they use, so that they compile without warnings.
@Suite("Names of older SDKs", .endsInTime)
struct LegacyNameTests {
    @available(*, deprecated)
    @Test func `Old types are the current ones`() {
        let pairs: [(Any.Type, Any.Type)] = [
            (PA2ClientConfiguration.self, PowerAuthClientConfiguration.self),
            (PA2KeychainConfiguration.self, PowerAuthKeychainConfiguration.self),
            (PA2ActivationState.self, PowerAuthActivationState.self),
            (PA2ActivationStatus.self, PowerAuthActivationStatus.self),
            (PA2ActivationResult.self, PowerAuthActivationResult.self),
            (PA2ActivationRecoveryData.self, PowerAuthActivationRecoveryData.self),
            (PA2Otp.self, PowerAuthActivationCode.self), (PA2OtpUtil.self, PowerAuthActivationCodeUtil.self),
            (PA2AuthorizationHttpHeader.self, PowerAuthAuthorizationHttpHeader.self),
            (PA2Error.self, PowerAuthRestApiError.self), (PA2ErrorResponse.self, PowerAuthRestApiErrorResponse.self),
            (PA2RestResponseStatus.self, PowerAuthRestApiResponseStatus.self),
            ((any PA2HttpRequestInterceptor).self, (any PowerAuthHttpRequestInterceptor).self),
            (PA2CustomHeaderRequestInterceptor.self, PowerAuthCustomHeaderRequestInterceptor.self),
            (
                PA2BasicHttpAuthenticationRequestInterceptor.self,
                PowerAuthBasicHttpAuthenticationRequestInterceptor.self
            ),
            ((any PA2ClientSslValidationStrategy).self, (any PowerAuthClientSslValidationStrategy).self),
            (PA2ClientSslNoValidationStrategy.self, PowerAuthClientSslNoValidationStrategy.self),
            (PA2Keychain.self, PowerAuthKeychain.self), (PA2KeychainItemAccess.self, PowerAuthKeychainItemAccess.self),
            (PA2KeychainStoreItemResult.self, PowerAuthKeychainStoreItemResult.self),
            (PA2BiometricAuthenticationInfo.self, PowerAuthBiometricAuthenticationInfo.self),
            (PA2BiometricAuthenticationStatus.self, PowerAuthBiometricAuthenticationStatus.self),
            (PA2BiometricAuthenticationType.self, PowerAuthBiometricAuthenticationType.self),
            (PA2SupportedBiometricAuthentication.self, PowerAuthBiometricAuthenticationType.self),
            ((any PA2OperationTask).self, (any PowerAuthOperationTask).self),
            ((any PowerAuthTokenStoreTask).self, (any PowerAuthOperationTask).self),
            ((any PA2SessionStatusProvider).self, (any PowerAuthSessionStatusProvider).self),
            (PA2WCSessionManager.self, PowerAuthWCSessionManager.self), (PA2System.self, PowerAuthSystem.self),
            (PA2ExtensionLibrary.self, PowerAuthSystem.self),
        ]
        for (old, current) in pairs { #expect(ObjectIdentifier(old) == ObjectIdentifier(current)) }
    }

    @available(*, deprecated)
    @Test func `Old core types are the current ones`() {
        let pairs: [(Any.Type, Any.Type)] = [
            (PA2Session.self, PowerAuthCoreSession.self), (PA2SessionSetup.self, PowerAuthCoreSessionSetup.self),
            (PA2Password.self, PowerAuthCorePassword.self),
            (PA2MutablePassword.self, PowerAuthCoreMutablePassword.self),
            (PA2ECIESEncryptor.self, PowerAuthCoreEciesEncryptor.self),
            (PA2ECIESCryptogram.self, PowerAuthCoreEciesCryptogram.self),
            (PA2ECIESMetaData.self, PowerAuthCoreEciesMetaData.self),
            (PA2ECIESEncryptorScope.self, PowerAuthCoreEciesEncryptorScope.self),
            (PA2CryptoUtils.self, PowerAuthCoreCryptoUtils.self),
            (PA2ECPublicKey.self, PowerAuthCoreECPublicKey.self),
            (PA2SignedData.self, PowerAuthCoreSignedData.self),
            (PA2SigningDataKey.self, PowerAuthCoreSigningDataKey.self),
            (PA2SignatureFactor.self, PowerAuthCoreSignatureFactor.self),
            (PA2SignatureUnlockKeys.self, PowerAuthCoreSignatureUnlockKeys.self),
            (PA2HTTPRequestData.self, PowerAuthCoreHTTPRequestData.self),
            (PA2HTTPRequestDataSignature.self, PowerAuthCoreHTTPRequestDataSignature.self),
            (PA2EncryptedActivationStatus.self, PowerAuthCoreEncryptedActivationStatus.self),
            (PA2RecoveryData.self, PowerAuthCoreRecoveryData.self),
            (PA2ProtocolVersion.self, PowerAuthCoreProtocolVersion.self),
            ((any PA2ProtocolUpgradeData).self, (any PowerAuthCoreProtocolUpgradeData).self),
            (PA2ProtocolUpgradeDataV3.self, PowerAuthCoreProtocolUpgradeDataV3.self),
            (PA2CoreErrorCode.self, PowerAuthCoreErrorCode.self),
            (PA2ActivationStep1Param.self, PowerAuthCoreActivationStep1Param.self),
            (PA2ActivationStep1Result.self, PowerAuthCoreActivationStep1Result.self),
            (PA2ActivationStep2Param.self, PowerAuthCoreActivationStep2Param.self),
            (PA2ActivationStep2Result.self, PowerAuthCoreActivationStep2Result.self),
        ]
        for (old, current) in pairs { #expect(ObjectIdentifier(old) == ObjectIdentifier(current)) }
    }

    @available(*, deprecated)
    @Test func `The shared configuration has two names and is one object`() {
        #expect(PA2KeychainConfiguration.sharedInstance() === PowerAuthKeychainConfiguration.sharedInstance())
        #expect(PA2ClientConfiguration.sharedInstance() === PowerAuthClientConfiguration.sharedInstance())
    }

    @available(*, deprecated)
    @Test func `Old constants have the current values`() {
        #expect(PA2Keychain_Initialized == "io.getlime.PowerAuthKeychain.Initialized")
        #expect(PA2Keychain_Status == PowerAuthKeychain_Status)
        #expect(PA2Keychain_Possession == PowerAuthKeychain_Possession)
        #expect(PA2Keychain_Biometry == PowerAuthKeychain_Biometry)
        #expect(PA2Keychain_TokenStore == PowerAuthKeychain_TokenStore)
        #expect(PA2KeychainKey_Possession == "PA2KeychainKey_Possession")
        #expect(PA2ErrorDomain == "PowerAuthErrorDomain")
        #expect(PA2ErrorInfoKey_AdditionalInfo == "PowerAuthErrorInfoKey_AdditionalInfo")
        #expect(PA2ErrorInfoKey_ResponseData == "PowerAuthErrorInfoKey_ResponseData")
    }

    @available(*, deprecated)
    @Test func `Old error numbers are the current ones`() {
        let pairs: [(Int, PowerAuthErrorCode, Int)] = [
            (PA2ErrorCodeNetworkError, .networkError, 1), (PA2ErrorCodeSignatureError, .signatureError, 2),
            (PA2ErrorCodeInvalidActivationState, .invalidActivationState, 3),
            (PA2ErrorCodeInvalidActivationData, .invalidActivationData, 5),
            (PA2ErrorCodeMissingActivation, .missingActivation, 6),
            (PA2ErrorCodeActivationPending, .activationPending, 7),
            (PA2ErrorCodeBiometryNotAvailable, .biometryNotAvailable, 8),
            (PA2ErrorCodeBiometryCancel, .biometryCancel, 9), (PA2ErrorCodeBiometryFailed, .biometryFailed, 10),
            (PA2ErrorCodeOperationCancelled, .operationCancelled, 11), (PA2ErrorCodeEncryption, .encryption, 12),
            (PA2ErrorCodeWrongParameter, .wrongParameter, 13), (PA2ErrorCodeInvalidToken, .invalidToken, 14),
            (PA2ErrorCodeWatchConnectivity, .watchConnectivity, 15),
            (PA2ErrorCodeProtocolUpgrade, .protocolUpgrade, 16),
            (PA2ErrorCodePendingProtocolUpgrade, .pendingProtocolUpgrade, 17),
        ]
        for (old, current, number) in pairs { #expect(old == current.rawValue && old == number) }
    }

    @available(*, deprecated)
    @Test func `The old password validation sees the bytes`() {
        let password = PowerAuthCorePassword(string: "heslo")
        var seen: [UInt8] = []
        let isAccepted = password.validatePasswordComplexity { bytes, length in
            seen = Array(UnsafeBufferPointer(start: bytes, count: Int(length) + 1))
            return length > 4
        }
        #expect(isAccepted && seen == Array("heslo".utf8) + [0])
        #expect(!password.validatePasswordComplexity { _, _ in false })
    }
}
