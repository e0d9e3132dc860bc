// SPDX-License-Identifier: Apache-2.0

// The core's types under their names from before 1.6 (extensions-and-legacy-names.md, section 3). They are the current types,
// so that `is` and `as` work in both directions.

@available(*, deprecated, renamed: "PowerAuthCoreSession")
public typealias PA2Session = PowerAuthCoreSession
@available(*, deprecated, renamed: "PowerAuthCoreSessionSetup")
public typealias PA2SessionSetup = PowerAuthCoreSessionSetup
@available(*, deprecated, renamed: "PowerAuthCorePassword")
public typealias PA2Password = PowerAuthCorePassword
@available(*, deprecated, renamed: "PowerAuthCoreMutablePassword")
public typealias PA2MutablePassword = PowerAuthCoreMutablePassword
@available(*, deprecated, renamed: "PowerAuthCoreEciesEncryptor")
public typealias PA2ECIESEncryptor = PowerAuthCoreEciesEncryptor
@available(*, deprecated, renamed: "PowerAuthCoreEciesCryptogram")
public typealias PA2ECIESCryptogram = PowerAuthCoreEciesCryptogram
@available(*, deprecated, renamed: "PowerAuthCoreEciesMetaData")
public typealias PA2ECIESMetaData = PowerAuthCoreEciesMetaData
@available(*, deprecated, renamed: "PowerAuthCoreEciesEncryptorScope")
public typealias PA2ECIESEncryptorScope = PowerAuthCoreEciesEncryptorScope
@available(*, deprecated, renamed: "PowerAuthCoreCryptoUtils")
public typealias PA2CryptoUtils = PowerAuthCoreCryptoUtils
@available(*, deprecated, renamed: "PowerAuthCoreECPublicKey")
public typealias PA2ECPublicKey = PowerAuthCoreECPublicKey
@available(*, deprecated, renamed: "PowerAuthCoreSignedData")
public typealias PA2SignedData = PowerAuthCoreSignedData
@available(*, deprecated, renamed: "PowerAuthCoreSigningDataKey")
public typealias PA2SigningDataKey = PowerAuthCoreSigningDataKey
@available(*, deprecated, renamed: "PowerAuthCoreSignatureFactor")
public typealias PA2SignatureFactor = PowerAuthCoreSignatureFactor
@available(*, deprecated, renamed: "PowerAuthCoreSignatureUnlockKeys")
public typealias PA2SignatureUnlockKeys = PowerAuthCoreSignatureUnlockKeys
@available(*, deprecated, renamed: "PowerAuthCoreHTTPRequestData")
public typealias PA2HTTPRequestData = PowerAuthCoreHTTPRequestData
@available(*, deprecated, renamed: "PowerAuthCoreHTTPRequestDataSignature")
public typealias PA2HTTPRequestDataSignature = PowerAuthCoreHTTPRequestDataSignature
@available(*, deprecated, renamed: "PowerAuthCoreEncryptedActivationStatus")
public typealias PA2EncryptedActivationStatus = PowerAuthCoreEncryptedActivationStatus
@available(*, deprecated, renamed: "PowerAuthCoreRecoveryData")
public typealias PA2RecoveryData = PowerAuthCoreRecoveryData
@available(*, deprecated, renamed: "PowerAuthCoreProtocolVersion")
public typealias PA2ProtocolVersion = PowerAuthCoreProtocolVersion
@available(*, deprecated, renamed: "PowerAuthCoreProtocolUpgradeData")
public typealias PA2ProtocolUpgradeData = PowerAuthCoreProtocolUpgradeData
@available(*, deprecated, renamed: "PowerAuthCoreProtocolUpgradeDataV3")
public typealias PA2ProtocolUpgradeDataV3 = PowerAuthCoreProtocolUpgradeDataV3
@available(*, deprecated, renamed: "PowerAuthCoreErrorCode")
public typealias PA2CoreErrorCode = PowerAuthCoreErrorCode
@available(*, deprecated, renamed: "PowerAuthCoreActivationStep1Param")
public typealias PA2ActivationStep1Param = PowerAuthCoreActivationStep1Param
@available(*, deprecated, renamed: "PowerAuthCoreActivationStep1Result")
public typealias PA2ActivationStep1Result = PowerAuthCoreActivationStep1Result
@available(*, deprecated, renamed: "PowerAuthCoreActivationStep2Param")
public typealias PA2ActivationStep2Param = PowerAuthCoreActivationStep2Param
@available(*, deprecated, renamed: "PowerAuthCoreActivationStep2Result")
public typealias PA2ActivationStep2Result = PowerAuthCoreActivationStep2Result

extension PowerAuthCorePassword {
    /// Shows the password to a closure, as up to 1.6 (extensions-and-legacy-names.md, section 5.5).
    /// - Parameter validationBlock: gets the UTF-8 bytes, followed by a zero, and their number without it.
    /// - Returns: the closure's answer.
    @available(*, deprecated, renamed: "validateComplexity(_:)")
    public func validatePasswordComplexity(_ validationBlock: (UnsafePointer<UInt8>, UInt) -> Bool) -> Bool {
        validateComplexity { bytes, length in
            bytes.withMemoryRebound(to: UInt8.self, capacity: length + 1) { validationBlock($0, UInt(length)) ? 1 : 0 }
        } == 1
    }
}
