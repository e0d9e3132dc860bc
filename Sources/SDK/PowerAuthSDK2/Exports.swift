// SPDX-License-Identifier: Apache-2.0

// What SDK 2.0 has in common with SDK 1.9 is one type in both, so that apps of both can be in one program. Each is handed on
// by name: what 2.0 has dropped, such as recovery codes and the external encryption key, is not visible with this import.
@_exported public import enum PowerAuth2.PowerAuthActivationState
@_exported public import class PowerAuth2.PowerAuthUserAddress
@_exported public import class PowerAuth2.PowerAuthUserInfo
@_exported public import class PowerAuthCore.PowerAuthCoreMutablePassword
@_exported public import class PowerAuthCore.PowerAuthCorePassword
@_exported public import class PowerAuthShared.PowerAuthActivationCode
@_exported public import enum PowerAuthShared.PowerAuthActivationCodeUtil
@_exported public import class PowerAuthShared.PowerAuthAuthentication
@_exported public import class PowerAuthShared.PowerAuthAuthorizationHttpHeader
@_exported public import class PowerAuthShared.PowerAuthBasicHttpAuthenticationRequestInterceptor
@_exported public import struct PowerAuthShared.PowerAuthBiometricAuthenticationInfo
@_exported public import enum PowerAuthShared.PowerAuthBiometricAuthenticationStatus
@_exported public import enum PowerAuthShared.PowerAuthBiometricAuthenticationType
@_exported public import class PowerAuthShared.PowerAuthClientConfiguration
@_exported public import class PowerAuthShared.PowerAuthClientSslNoValidationStrategy
@_exported public import protocol PowerAuthShared.PowerAuthClientSslValidationStrategy
@_exported public import class PowerAuthShared.PowerAuthCustomHeaderRequestInterceptor
@_exported public import enum PowerAuthShared.PowerAuthErrorCode
@_exported public import let PowerAuthShared.PowerAuthErrorDomain
@_exported public import let PowerAuthShared.PowerAuthErrorInfoKey_AdditionalInfo
@_exported public import let PowerAuthShared.PowerAuthErrorInfoKey_ExternalPendingOperation
@_exported public import let PowerAuthShared.PowerAuthErrorInfoKey_ResponseData
@_exported public import class PowerAuthShared.PowerAuthExternalPendingOperation
@_exported public import enum PowerAuthShared.PowerAuthExternalPendingOperationType
@_exported public import protocol PowerAuthShared.PowerAuthHttpRequestInterceptor
@_exported public import class PowerAuthShared.PowerAuthKeychain
@_exported public import class PowerAuthShared.PowerAuthKeychainAuthentication
@_exported public import class PowerAuthShared.PowerAuthKeychainConfiguration
@_exported public import enum PowerAuthShared.PowerAuthKeychainItemAccess
@_exported public import enum PowerAuthShared.PowerAuthKeychainStoreItemResult
@_exported public import protocol PowerAuthShared.PowerAuthLogDelegate
@_exported public import protocol PowerAuthShared.PowerAuthOperationTask
@_exported public import class PowerAuthShared.PowerAuthRestApiError
@_exported public import class PowerAuthShared.PowerAuthRestApiErrorResponse
@_exported public import enum PowerAuthShared.PowerAuthRestApiResponseStatus
@_exported public import class PowerAuthShared.PowerAuthServerStatus
@_exported public import class PowerAuthShared.PowerAuthSharingConfiguration
@_exported public import enum PowerAuthShared.PowerAuthSystem
@_exported public import protocol PowerAuthShared.PowerAuthTimeSynchronizationService
@_exported public import class PowerAuthShared.PowerAuthToken
@_exported public import protocol PowerAuthShared.PowerAuthTokenStore
@_exported public import class PowerAuthShared.PowerAuthWCSessionManager
@_exported public import struct PowerAuthShared.PowerAuthWatchSynchronization
