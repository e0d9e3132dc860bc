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
