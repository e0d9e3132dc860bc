// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2

// The spellings of older SDKs that no sample of a manual uses (sdk.md, section 2, and extensions-and-legacy-names.md,
// section 5).

func legacySDK(_ sdk: PowerAuthSDK, _ password: PowerAuthCorePassword) throws {
    let _: Bool = sdk.restoreState()
    try sdk.commitActivation(withPassword: password)
    sdk.fetchActivationStatus { status, customObject, error in
        let _: PowerAuthActivationStatus? = status
        let _: [String: Any]? = customObject
        let _: (any Error)? = error
    }
    let _: [String: Any]? = sdk.lastFetchedCustomObject
    sdk.validatePasswordCorrect("1234") { _ in }
    sdk.addBiometryFactor("1234") { _ in }
    let _: PowerAuthCoreEciesEncryptor? = sdk.eciesEncryptorForApplicationScope()
    let _: PowerAuthCoreEciesEncryptor? = sdk.eciesEncryptorForActivationScope()
    if let task = sdk.tokenStore.requestAccessToken(withName: "t", completion: { _, _ in }) {
        sdk.tokenStore.cancelTask(task)
    }
}

func legacyAuthentication(_ password: PowerAuthCorePassword, _ key: Data) {
    let authentication = PowerAuthAuthentication()
    authentication.usePossession = true
    authentication.useBiometry = true
    authentication.usePassword = "1234"
    authentication.biometryPrompt = "Sign"
    authentication.overridenPossessionKey = key
    authentication.overridenBiometryKey = key
    let _: [PowerAuthAuthentication] = [
        .possession(withPassword: "1234"), .possessionWithBiometry(withPrompt: "Sign"),
        .possessionWithPassword("1234"), .commitWithPassword(password: password),
        .commitWithPassword(password: "1234", customPossessionKey: key),
        .commitWithPasswordAndBiometry(password: password, customBiometryKey: key, customPossessionKey: key),
    ]
}

func legacyKeychain(_ keychain: PA2Keychain) {
    keychain.addValue(Data(), forKey: "k") { (_: PA2KeychainStoreItemResult) in }
    keychain.data(forKey: "k", prompt: "Sign") { (_: Data?, _: Int32) in }
    let _: Data? = keychain.data(forKey: "k", status: nil, prompt: "Sign")
    let _: [AnyHashable: Any]? = keychain.allItems(withPrompt: "Sign", withStatus: nil)
}
