// SPDX-License-Identifier: Apache-2.0

// The types that the SDKs share under their names from before 1.6 (extensions-and-legacy-names.md, section 3). They are the
// current types, so that `is` and `as` work in both directions.

@available(*, deprecated, renamed: "PowerAuthClientConfiguration")
public typealias PA2ClientConfiguration = PowerAuthClientConfiguration
@available(*, deprecated, renamed: "PowerAuthKeychainConfiguration")
public typealias PA2KeychainConfiguration = PowerAuthKeychainConfiguration
@available(*, deprecated, renamed: "PowerAuthActivationCode")
public typealias PA2Otp = PowerAuthActivationCode
@available(*, deprecated, renamed: "PowerAuthActivationCodeUtil")
public typealias PA2OtpUtil = PowerAuthActivationCodeUtil
@available(*, deprecated, renamed: "PowerAuthAuthorizationHttpHeader")
public typealias PA2AuthorizationHttpHeader = PowerAuthAuthorizationHttpHeader
@available(*, deprecated, renamed: "PowerAuthRestApiError")
public typealias PA2Error = PowerAuthRestApiError
@available(*, deprecated, renamed: "PowerAuthRestApiErrorResponse")
public typealias PA2ErrorResponse = PowerAuthRestApiErrorResponse
@available(*, deprecated, renamed: "PowerAuthRestApiResponseStatus")
public typealias PA2RestResponseStatus = PowerAuthRestApiResponseStatus
@available(*, deprecated, renamed: "PowerAuthHttpRequestInterceptor")
public typealias PA2HttpRequestInterceptor = PowerAuthHttpRequestInterceptor
@available(*, deprecated, renamed: "PowerAuthCustomHeaderRequestInterceptor")
public typealias PA2CustomHeaderRequestInterceptor = PowerAuthCustomHeaderRequestInterceptor
@available(*, deprecated, renamed: "PowerAuthBasicHttpAuthenticationRequestInterceptor")
public typealias PA2BasicHttpAuthenticationRequestInterceptor = PowerAuthBasicHttpAuthenticationRequestInterceptor
@available(*, deprecated, renamed: "PowerAuthClientSslValidationStrategy")
public typealias PA2ClientSslValidationStrategy = PowerAuthClientSslValidationStrategy
@available(*, deprecated, renamed: "PowerAuthClientSslNoValidationStrategy")
public typealias PA2ClientSslNoValidationStrategy = PowerAuthClientSslNoValidationStrategy
@available(*, deprecated, renamed: "PowerAuthKeychain")
public typealias PA2Keychain = PowerAuthKeychain
@available(*, deprecated, renamed: "PowerAuthKeychainItemAccess")
public typealias PA2KeychainItemAccess = PowerAuthKeychainItemAccess
@available(*, deprecated, renamed: "PowerAuthKeychainStoreItemResult")
public typealias PA2KeychainStoreItemResult = PowerAuthKeychainStoreItemResult
@available(*, deprecated, renamed: "PowerAuthBiometricAuthenticationInfo")
public typealias PA2BiometricAuthenticationInfo = PowerAuthBiometricAuthenticationInfo
@available(*, deprecated, renamed: "PowerAuthBiometricAuthenticationStatus")
public typealias PA2BiometricAuthenticationStatus = PowerAuthBiometricAuthenticationStatus
@available(*, deprecated, renamed: "PowerAuthBiometricAuthenticationType")
public typealias PA2BiometricAuthenticationType = PowerAuthBiometricAuthenticationType
@available(*, deprecated, renamed: "PowerAuthBiometricAuthenticationType")
public typealias PA2SupportedBiometricAuthentication = PowerAuthBiometricAuthenticationType
@available(*, deprecated, renamed: "PowerAuthOperationTask")
public typealias PA2OperationTask = PowerAuthOperationTask
@available(*, deprecated, renamed: "PowerAuthOperationTask")
public typealias PowerAuthTokenStoreTask = PowerAuthOperationTask
@available(*, deprecated, renamed: "PowerAuthSessionStatusProvider")
public typealias PA2SessionStatusProvider = PowerAuthSessionStatusProvider
@available(*, deprecated, renamed: "PowerAuthWCSessionManager")
public typealias PA2WCSessionManager = PowerAuthWCSessionManager
@available(*, deprecated, renamed: "PowerAuthSystem")
public typealias PA2System = PowerAuthSystem
@available(*, deprecated, renamed: "PowerAuthSystem")
public typealias PA2ExtensionLibrary = PowerAuthSystem

// Constants and functions under their names from before 1.6 (extensions-and-legacy-names.md, sections 3 and 4). The error
// domain and the error numbers are the current ones, as they were in 1.6: five numbers changed then while the names stayed,
// so the numbers of 1.5 and older are never used.

@available(*, deprecated, renamed: "PowerAuthKeychain_Initialized")
public let PA2Keychain_Initialized = PowerAuthKeychain_Initialized
@available(*, deprecated, renamed: "PowerAuthKeychain_Status")
public let PA2Keychain_Status = PowerAuthKeychain_Status
@available(*, deprecated, renamed: "PowerAuthKeychain_Possession")
public let PA2Keychain_Possession = PowerAuthKeychain_Possession
@available(*, deprecated, renamed: "PowerAuthKeychain_Biometry")
public let PA2Keychain_Biometry = PowerAuthKeychain_Biometry
@available(*, deprecated, renamed: "PowerAuthKeychain_TokenStore")
public let PA2Keychain_TokenStore = PowerAuthKeychain_TokenStore
@available(*, deprecated, renamed: "PowerAuthKeychainKey_Possession")
public let PA2KeychainKey_Possession = PowerAuthKeychainKey_Possession
@available(*, deprecated, renamed: "PowerAuthErrorDomain")
public let PA2ErrorDomain = PowerAuthErrorDomain
@available(*, deprecated, renamed: "PowerAuthErrorInfoKey_AdditionalInfo")
public let PA2ErrorInfoKey_AdditionalInfo = PowerAuthErrorInfoKey_AdditionalInfo
@available(*, deprecated, renamed: "PowerAuthErrorInfoKey_ResponseData")
public let PA2ErrorInfoKey_ResponseData = PowerAuthErrorInfoKey_ResponseData

// MARK: - Error numbers

@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.networkError")
public let PA2ErrorCodeNetworkError = PowerAuthErrorCode.networkError.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.signatureError")
public let PA2ErrorCodeSignatureError = PowerAuthErrorCode.signatureError.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.invalidActivationState")
public let PA2ErrorCodeInvalidActivationState = PowerAuthErrorCode.invalidActivationState.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.invalidActivationData")
public let PA2ErrorCodeInvalidActivationData = PowerAuthErrorCode.invalidActivationData.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.missingActivation")
public let PA2ErrorCodeMissingActivation = PowerAuthErrorCode.missingActivation.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.activationPending")
public let PA2ErrorCodeActivationPending = PowerAuthErrorCode.activationPending.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.biometryNotAvailable")
public let PA2ErrorCodeBiometryNotAvailable = PowerAuthErrorCode.biometryNotAvailable.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.biometryCancel")
public let PA2ErrorCodeBiometryCancel = PowerAuthErrorCode.biometryCancel.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.biometryFailed")
public let PA2ErrorCodeBiometryFailed = PowerAuthErrorCode.biometryFailed.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.operationCancelled")
public let PA2ErrorCodeOperationCancelled = PowerAuthErrorCode.operationCancelled.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.encryption")
public let PA2ErrorCodeEncryption = PowerAuthErrorCode.encryption.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.wrongParameter")
public let PA2ErrorCodeWrongParameter = PowerAuthErrorCode.wrongParameter.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.invalidToken")
public let PA2ErrorCodeInvalidToken = PowerAuthErrorCode.invalidToken.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.watchConnectivity")
public let PA2ErrorCodeWatchConnectivity = PowerAuthErrorCode.watchConnectivity.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.protocolUpgrade")
public let PA2ErrorCodeProtocolUpgrade = PowerAuthErrorCode.protocolUpgrade.rawValue
@available(*, deprecated, message: "Compare powerAuthErrorCode with PowerAuthErrorCode.pendingProtocolUpgrade")
public let PA2ErrorCodePendingProtocolUpgrade = PowerAuthErrorCode.pendingProtocolUpgrade.rawValue

// MARK: - Log

@available(*, deprecated, renamed: "PowerAuthLogSetEnabled(_:)")
public func PA2LogSetEnabled(_ enabled: Bool) { PowerAuthLogSetEnabled(enabled) }
@available(*, deprecated, renamed: "PowerAuthLogIsEnabled()")
public func PA2LogIsEnabled() -> Bool { PowerAuthLogIsEnabled() }
@available(*, deprecated, renamed: "PowerAuthLogSetVerbose(_:)")
public func PA2LogSetVerbose(_ verbose: Bool) { PowerAuthLogSetVerbose(verbose) }
@available(*, deprecated, renamed: "PowerAuthLogIsVerbose()")
public func PA2LogIsVerbose() -> Bool { PowerAuthLogIsVerbose() }
