// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LocalAuthentication
import PowerAuth2
import WatchConnectivity

// The rows of the interface's tables (sdk.md, sections 4 to 6) that no sample of a manual uses, one function a section.
// An application in the Swift 5 mode that names them all: if it no longer compiles, the interface has changed.

func errorsAndLog(_ error: NSError, _ response: PowerAuthRestApiErrorResponse) {
    let _: [String] = [
        PowerAuthErrorDomain, PowerAuthErrorInfoKey_AdditionalInfo, PowerAuthErrorInfoKey_ResponseData,
        PowerAuthErrorInfoKey_ExternalPendingOperation, PowerAuthExceptionMissingConfig,
    ]
    let _: Int = error.powerAuthErrorCode.rawValue
    let _: PowerAuthExternalPendingOperation? = error.powerAuthExternalPendingOperation
    let _: Bool = response.status == .ERROR && response.status != .OK
    let _: UInt = response.httpStatusCode
    let _: (String?, String?) = (response.responseObject.code, response.responseObject.message)
    let _: [AnyHashable: Any] = response.responseObject.additionalInfo
    let _: Int = response.responseObject.currentRecoveryPukIndex
    let _: Bool = PowerAuthLogIsEnabled() && PowerAuthLogIsVerbose()
}

func configurations(_ sharing: PowerAuthSharingConfiguration) {
    let configuration = PowerAuthConfiguration(instanceId: "i", baseEndpointUrl: "u", configuration: "c")
    let _: [String] = [configuration.instanceId, configuration.baseEndpointUrl, configuration.configuration]
    configuration.keychainKey_Biometry = "key"
    configuration.externalEncryptionKey = Data()
    configuration.disableAutomaticProtocolUpgrade = true
    configuration.offlineSignatureComponentLength = 6
    configuration.sharingConfiguration = sharing
    let _: Bool = configuration.validate() && configuration.validateConfiguration()
    let _: PowerAuthConfiguration = configuration.copy()

    let _: [String] = [sharing.appGroup, sharing.appIdentifier, sharing.keychainAccessGroup]
    sharing.sharedMemoryIdentifier = "abcd"
    let _: Bool = sharing.validate() && sharing.validateConfiguration()

    let client = PowerAuthClientConfiguration.sharedInstance()
    client.defaultRequestTimeout = 10
    client.userAgent = nil
    let header = PowerAuthCustomHeaderRequestInterceptor(headerKey: "k", value: "v")
    let _: [String] = [header.headerKey, header.headerValue]

    let keychain = PowerAuthKeychainConfiguration.sharedInstance()
    keychain.keychainAttribute_AccessGroup = "group"
    keychain.keychainAttribute_UserDefaultsSuiteName = "suite"
    keychain.keychainInstanceName_Status = PowerAuthKeychain_Status
    keychain.keychainInstanceName_Possession = PowerAuthKeychain_Possession
    keychain.keychainInstanceName_Biometry = PowerAuthKeychain_Biometry
    keychain.keychainInstanceName_TokenStore = PowerAuthKeychain_TokenStore
    keychain.keychainKey_Possession = PowerAuthKeychainKey_Possession
    keychain.invalidateLocalAuthenticationContextAfterUse = false
    let _: PowerAuthKeychainConfiguration = keychain.copy()
}

/// An application's own strategy and interceptor.
final class OwnNetworkRules: PowerAuthClientSslValidationStrategy, PowerAuthHttpRequestInterceptor {
    func validateSsl(
        for session: URLSession, challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    func processRequest(_ request: NSMutableURLRequest) {
        request.setValue("1", forHTTPHeaderField: "X")
    }
}

func keychain(_ context: LAContext) {
    let keychain = PowerAuthKeychain(identifier: "service")
    let grouped = PowerAuthKeychain(identifier: "service", accessGroup: "group")
    let _: (String, String?) = (grouped.identifier, grouped.accessGroup)
    let _: PowerAuthKeychainStoreItemResult = keychain.addValue(Data(), forKey: "k")
    keychain.addValue(Data(), forKey: "k", access: .anyBiometricSetOrDevicePasscode)
    let _: PowerAuthKeychainStoreItemResult = keychain.updateValue(Data(), forKey: "k")
    let _: Bool = keychain.deleteData(forKey: "k")
    keychain.deleteAllData()
    PowerAuthKeychain.deleteAllData()
    var status: Int32 = 0
    let _: Data? = keychain.data(forKey: "k", status: nil)
    let _: Data? = keychain.data(forKey: "k", status: &status)
    let prompt = PowerAuthKeychainAuthentication(prompt: "Sign")
    let _: (String?, LAContext?) = (prompt.prompt, PowerAuthKeychainAuthentication(context: context).context)
    let _: Data? = keychain.data(forKey: "k", status: &status, authentication: prompt)
    let _: Bool = keychain.containsData(forKey: "k")
    let _: [AnyHashable: Any]? = keychain.allItems()
    let _: [AnyHashable: Any]? = keychain.allItems(with: prompt, withStatus: &status)
    let _: Bool = PowerAuthKeychain.tryLockBiometryAndExecute {}
    let _: PowerAuthBiometricAuthenticationInfo = PowerAuthKeychain.biometricAuthenticationInfo
}

func state(_ sdk: PowerAuthSDK, _ configuration: PowerAuthConfiguration) {
    let _: PowerAuthSDK? = PowerAuthSDK(configuration: configuration)
    PowerAuthSDK.initSharedInstance(configuration, keychainConfiguration: nil, clientConfiguration: nil)
    let _: PowerAuthConfiguration = sdk.configuration
    let _: PowerAuthKeychainConfiguration = sdk.keychainConfiguration
    let _: PowerAuthClientConfiguration = sdk.clientConfiguration
    let _: [Bool] = [
        sdk.canStartActivation(), sdk.hasPendingActivation(), sdk.hasValidActivation(),
        sdk.hasProtocolUpgradeAvailable(), sdk.hasPendingProtocolUpgrade(),
    ]
    let _: [String?] = [sdk.activationIdentifier, sdk.activationFingerprint]
    let _: PowerAuthActivationStatus? = sdk.lastFetchedActivationStatus
    let _: PowerAuthUserInfo? = sdk.lastFetchedUserInfo
}

func session(_ provider: any PowerAuthCoreSessionProvider) {
    provider.resetSession()
    let _: String? = provider.readTask { $0.activationIdentifier }
    let _: Data? = provider.writeTask { $0.serializedState() }
    let _: Bool = provider.readBoolTask { $0.hasValidActivation } && provider.writeBoolTask { $0.hasBiometryFactor() }
    provider.readVoidTask { _ = $0.protocolVersion }
    provider.writeVoidTask { $0.resetSession(false) }
    provider.executeOutside(ofTask: {}, queue: .main)
    let status: any PowerAuthSessionStatusProvider = provider
    let _: Bool = status.canStartActivation()
}

func activation(_ sdk: PowerAuthSDK, _ password: PowerAuthCorePassword) throws {
    sdk.createActivation(withName: nil, activationCode: "code") { _, _ in }
    sdk.createActivation(withName: "name", activationCode: "code", extras: nil) { _, _ in }
    sdk.createActivation(withName: "name", identityAttributes: ["user": "eva"], extras: "x") { _, _ in }
    sdk.createActivation(withName: "name", recoveryCode: "code", puk: "0123456789", extras: nil) { _, _ in }
    try sdk.persistActivation(withPassword: password)

    let activation = try PowerAuthActivation(activationCode: "code")
    _ = try PowerAuthActivation(identityAttributes: ["user": "eva"])
    _ = try PowerAuthActivation(recoveryCode: "code", recoveryPuk: "0123456789")
    _ = try PowerAuthActivation(oidcProviderId: "p", code: "c", nonce: "n", codeVerifier: nil)
    let _: [String?] = [activation.name, activation.extras, activation.additionalActivationOtp]
    let _: [String: Any]? = activation.customAttributes
    let _: PowerAuthActivationCode? = activation.activationCode
    let _: (Bool, (any Error)?) = (activation.validate(), activation.validateAndGetError())
    let _: (String, [String: String]) = (activation.activationType, activation.identityAttributes)
}

func results(_ result: PowerAuthActivationResult, _ userInfo: PowerAuthUserInfo, _ address: PowerAuthUserAddress) {
    let _: String = result.activationFingerprint
    let _: (String?, String?) = (result.activationRecovery?.recoveryCode, result.activationRecovery?.puk)
    let _: [String: Any]? = result.customAttributes

    _ = PowerAuthUserInfo(with: ["sub": "eva"])
    let _: [String?] = [
        userInfo.subject, userInfo.name, userInfo.givenName, userInfo.familyName, userInfo.middleName,
        userInfo.nickname, userInfo.preferredUsername, userInfo.profileUrl, userInfo.pictureUrl, userInfo.websiteUrl,
        userInfo.email, userInfo.phoneNumber, userInfo.gender, userInfo.zoneInfo, userInfo.locale,
    ]
    let _: [Bool] = [userInfo.isEmailVerified, userInfo.isPhoneNumberVerified]
    let _: [Date?] = [userInfo.birthdate, userInfo.updatedAt]
    let _: PowerAuthUserAddress? = userInfo.address
    let _: [String: Any] = userInfo.allClaims
    let _: [String?] = [
        address.formatted, address.street, address.locality, address.region, address.postalCode, address.country,
    ]
    let _: [String: Any] = address.allClaims
}

func authentication(_ password: PowerAuthCorePassword, _ context: LAContext, _ key: Data) {
    let all: [PowerAuthAuthentication] = [
        .persistWithPassword(password: "1234"), .persistWithPassword(password: password),
        .persistWithPassword(password: "1234", customPossessionKey: key),
        .persistWithPassword(password: password, customPossessionKey: key),
        .persistWithPasswordAndBiometry(password: password),
        .persistWithPasswordAndBiometry(password: "1234", customBiometryKey: key, customPossessionKey: key),
        .persistWithPasswordAndBiometry(password: password, customBiometryKey: nil, customPossessionKey: nil),
        .possession(customPossessionKey: key), .possessionWithPassword(password: password),
        .possessionWithPassword(password: "1234", customPossessionKey: key),
        .possessionWithPassword(password: password, customPossessionKey: key),
        .possessionWithBiometry(prompt: "Sign", customPossessionKey: key),
        .possessionWithBiometry(context: context, customPossessionKey: key),
        .possessionWithBiometry(customBiometryKey: nil, customPossessionKey: nil),
    ]
    for one in all {
        let _: [Bool] = [one.usePossession, one.useBiometry]
        let _: (PowerAuthCorePassword?, String?, LAContext?) = (one.password, one.biometryPrompt, one.biometryContext)
        let _: [Data?] = [one.overridenPossessionKey, one.overridenBiometryKey]
    }
}

func operations(
    _ sdk: PowerAuthSDK, _ authentication: PowerAuthAuthentication, _ password: PowerAuthCorePassword,
    _ context: LAContext
) throws {
    sdk.validatePassword(password: password) { _ in }
    let _: Bool = sdk.unsafeChangePassword(from: password, to: password)
    sdk.addBiometryFactor(password: password) { _ in }
    sdk.unlockBiometryKeys(withPrompt: "Sign", callback: { (_: [String: Data]?, _: Bool) in })
    sdk.unlockBiometryKeys(withContext: context, callback: { (_: [String: Data]?, _: Bool) in })
    let _: Bool = sdk.hasActivationRecoveryData()
    sdk.activationRecoveryData(authentication) { (_: PowerAuthActivationRecoveryData?, _: (any Error)?) in }
    sdk.confirmRecoveryCode("code", authentication: authentication) { (_: Bool, _: (any Error)?) in }
    let _: Bool = sdk.hasExternalEncryptionKey
    try sdk.setExternalEncryptionKey(Data())
    try sdk.addExternalEncryptionKey(Data())
    try sdk.removeExternalEncryptionKey()
    let task: PowerAuthOperationTask? = sdk.fetchServerStatus { status, _ in let _: Date? = status?.serverTime }
    task?.cancel()
    let _: Bool? = task?.isCancelled
    let _: PowerAuthOperationTask = Operation()
}

func tokens(_ store: PowerAuthTokenStore, _ token: PowerAuthToken) {
    let _: Bool = store.canRequestForAccessToken() && store.hasLocalToken(withName: "t")
    store.requestAccessToken(withName: "t") { (_: PowerAuthToken?, _: (any Error)?) in }
    let _: [String] = [token.tokenName, token.tokenIdentifier]
    let _: PowerAuthTokenStore? = token.tokenStore
    let _: Bool = token.isValid && token.canGenerateHeader && token.isEqual(to: token.copy())
    let _: PowerAuthAuthorizationHttpHeader? = .authorizationHeader(withValue: "v")
    let _: PowerAuthAuthorizationHttpHeader? = .tokenHeader(withValue: nil)
}

func codesTimeAndSystem(_ time: PowerAuthTimeSynchronizationService) {
    let _: Bool = PowerAuthActivationCodeUtil.validateTypedCharacter(65)
    let _: PowerAuthActivationCode? = PowerAuthActivationCodeUtil.parse(fromRecoveryCode: "R:code")
    let _: TimeInterval = time.localTimeAdjustment
    time.resetTimeSynchronization()
    let _: [String?] = [PowerAuthSystem.platform(), PowerAuthSystem.deviceInfo(), PowerAuthSystem.defaultUserAgent()]
    let _: WCSession? = PowerAuthWCSessionManager.sharedInstance.validSession
}
