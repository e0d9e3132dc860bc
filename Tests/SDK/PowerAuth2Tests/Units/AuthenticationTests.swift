// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthShared
import TestSupport
import Testing

@Suite("Authentication objects (sdk.md, section 12.12)", .endsInTime)
struct AuthenticationTests {
    private static let possessionKey = Data(repeating: 1, count: 16)
    private static let biometryKey = Data(repeating: 2, count: 16)

    @Test(.verifies("sdk.md", "B-55"))
    func `Objects to persist with use possession and a password, and biometry when asked for`() {
        let password = PowerAuthCorePassword(string: "1234")
        let withoutBiometry: [PowerAuthAuthentication] = [
            .persistWithPassword(password: "1234"), .persistWithPassword(password: password),
            .persistWithPassword(password: "1234", customPossessionKey: Self.possessionKey),
        ]
        let withBiometry: [PowerAuthAuthentication] = [
            .persistWithPasswordAndBiometry(password: "1234"), .persistWithPasswordAndBiometry(password: password),
            .persistWithPasswordAndBiometry(
                password: "1234", customBiometryKey: Self.biometryKey, customPossessionKey: Self.possessionKey),
        ]
        for (objects, usesBiometry) in [(withoutBiometry, false), (withBiometry, true)] {
            for authentication in objects {
                #expect(authentication.usePossession && authentication.useBiometry == usesBiometry)
                #expect(authentication.password == password)
                #expect(authentication.usage == .persist)
            }
            #expect(objects[2].overridenPossessionKey == Self.possessionKey)
        }
        #expect(withBiometry[2].overridenBiometryKey == Self.biometryKey)
    }

    @Test(.verifies("sdk.md", "B-55")) func `Objects to sign with use the factors of their name`() {
        let possession = PowerAuthAuthentication.possession()
        #expect(possession.usePossession && !possession.useBiometry && possession.password == nil)
        let knowledge = PowerAuthAuthentication.possessionWithPassword(password: "1234")
        #expect(knowledge.usePossession && !knowledge.useBiometry && knowledge.password?.length() == 4)
        let biometry = PowerAuthAuthentication.possessionWithBiometry()
        #expect(biometry.usePossession && biometry.useBiometry && biometry.password == nil)
        #expect(biometry.biometryPrompt == nil)
        let prompt = PowerAuthAuthentication.possessionWithBiometry(prompt: "Confirm")
        #expect(prompt.useBiometry && prompt.biometryPrompt == "Confirm")
        let keys = PowerAuthAuthentication.possessionWithBiometry(
            customBiometryKey: Self.biometryKey, customPossessionKey: Self.possessionKey)
        #expect(keys.overridenBiometryKey == Self.biometryKey && keys.overridenPossessionKey == Self.possessionKey)
        for authentication in [possession, knowledge, biometry, prompt, keys] {
            #expect(authentication.usage == .sign)
        }
        #expect(
            [possession, knowledge, biometry].map(\.tokenFactorMask) == [1, 3, 5],
            "the factors of tokens: possession 1, knowledge 2, biometry 4")
    }
}
