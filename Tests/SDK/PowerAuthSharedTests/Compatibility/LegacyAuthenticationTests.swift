// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import Synchronization
import TestSupport
import Testing

/// The authentication object in the style up to 1.7 (extensions-and-legacy-names.md, sections 5.2 and 11).
@Suite("Authentications in the style of older SDKs", .endsInTime)
struct LegacyAuthenticationTests {
    @available(*, deprecated)
    @Test func `An empty object has no factor and signs nothing`() async throws {
        let fixture = try await SDKFixture.activated()
        let empty = PowerAuthAuthentication()
        #expect(!empty.usePossession && !empty.useBiometry && empty.usePassword == nil && empty.password == nil)
        let error = #expect(throws: NSError.self) {
            try fixture.sdk.requestSignature(with: empty, method: "POST", uriId: "/x", body: nil)
        }
        #expect(error?.powerAuthErrorCode == .wrongParameter)
    }

    @available(*, deprecated)
    @Test func `The setters choose the factors`() async throws {
        let fixture = try await SDKFixture.activated()
        let authentication = PowerAuthAuthentication()
        authentication.usePossession = true
        func signatureType() throws -> String {
            let header = try fixture.sdk.requestSignature(with: authentication, method: "POST", uriId: "/x", body: nil)
            return try String(#require(header.value.firstMatch(of: /pa_signature_type="(\w+)"/)).1)
        }
        #expect(try signatureType() == "possession")
        authentication.usePassword = "1234"
        #expect(authentication.usePassword == "1234" && authentication.password?.length() == 4)
        #expect(try signatureType() == "possession_knowledge")
        authentication.usePassword = nil
        #expect(authentication.password == nil)
        #expect(try signatureType() == "possession")
    }

    @available(*, deprecated)
    @Test func `Every setter is read`() {
        let authentication = PowerAuthAuthentication()
        let key = Data(repeating: 7, count: 16)
        authentication.useBiometry = true
        authentication.biometryPrompt = "Confirm"
        authentication.overridenPossessionKey = key
        authentication.overridenBiometryKey = key
        #expect(authentication.useBiometry && authentication.biometryPrompt == "Confirm")
        #expect(authentication.overridenPossessionKey == key && authentication.overridenBiometryKey == key)
    }

    @available(*, deprecated)
    @Test func `A request keeps the factors of the moment in which it was made`() async throws {
        let fixture = try await SDKFixture.activated()
        let authentication = PowerAuthAuthentication()
        authentication.usePossession = true
        authentication.usePassword = SDKFixture.password
        fixture.server.order(.hold, for: "/pa/v3/signature/validate")
        let first = Task { await fixture.validate(SDKFixture.password) }
        await fixture.server.arrival(of: "/pa/v3/signature/validate")
        // The second request waits for its turn behind the first, and is made before the password changes.
        let key = await outcome { report in
            fixture.sdk.fetchEncryptionKey(authentication, index: 1, callback: report)
            authentication.usePassword = "wrong"
            fixture.server.release("/pa/v3/signature/validate")
        }
        #expect(await first.value == nil)
        #expect(try key.get().count == 16)
        #expect(fixture.server.state.withLock { $0.failedAttempts } == 0, "the right password was used")
    }

    @available(*, deprecated)
    @Test func `Old factories make what the current ones do`() {
        func same(_ old: PowerAuthAuthentication, _ current: PowerAuthAuthentication) -> Bool {
            old.usePossession == current.usePossession && old.useBiometry == current.useBiometry
                && old.password == current.password && old.biometryPrompt == current.biometryPrompt
                && old.overridenPossessionKey == current.overridenPossessionKey
                && old.overridenBiometryKey == current.overridenBiometryKey
        }
        let key = Data(repeating: 1, count: 16)
        let password = PowerAuthCorePassword(string: "1234")
        #expect(same(.possession(withPassword: "1234"), .possessionWithPassword(password: "1234")))
        #expect(same(.possession(withPassword: password), .possessionWithPassword(password: password)))
        #expect(same(.possessionWithPassword("1234"), .possessionWithPassword(password: password)))
        #expect(same(.possessionWithBiometry(withPrompt: "Sign"), .possessionWithBiometry(prompt: "Sign")))
        #expect(same(.commitWithPassword(password: "1234"), .persistWithPassword(password: "1234")))
        #expect(
            same(
                .commitWithPassword(password: password, customPossessionKey: key),
                .persistWithPassword(password: password, customPossessionKey: key)))
        #expect(
            same(
                .commitWithPasswordAndBiometry(password: "1234"), .persistWithPasswordAndBiometry(password: "1234")))
        #expect(
            same(
                .commitWithPasswordAndBiometry(password: password, customBiometryKey: key, customPossessionKey: key),
                .persistWithPasswordAndBiometry(
                    password: password, customBiometryKey: key, customPossessionKey: key)))
    }
}
