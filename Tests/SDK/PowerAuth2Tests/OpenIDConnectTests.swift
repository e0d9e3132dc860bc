// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import PowerAuthServer
import SDKTestSupport
import TestSupport
import Testing

@Suite("Activation by an OpenID Connect provider (sdk.md, section 5.7)", .endsInTime)
struct OpenIDConnectTests {
    /// An application whose server asks the provider.
    private static func app(asking configuration: IdentityProvider, _ mode: TestApp.Mode = .alone) async throws
        -> TestApp
    {
        try await TestApp(mode, server: RealServer.start { $0.identityProviders = [configuration] })
    }

    private static func provider(_ defect: LoopbackProvider.Defect? = nil) throws -> LoopbackProvider {
        // Real time passes during a request, so a wrong time is off by far more than a request takes.
        try LoopbackProvider(defect, miss: 3_600) { Int64(Date().timeIntervalSince1970) }
    }

    private static func create(
        _ app: TestApp, provider: String = "loop", nonce: String = "n-1", codeVerifier: String? = "verifier"
    ) async throws -> Result<PowerAuthActivationResult, NSError> {
        let activation = try PowerAuthActivation(
            oidcProviderId: provider, code: "granted", nonce: nonce, codeVerifier: codeVerifier)
        activation.with(activationName: "Signed in")
        return await outcome { app.sdk.createActivation(activation, callback: $0) }
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A user accepted by the provider has an activation that works at once`(mode: TestApp.Mode) async throws {
        let provider = try Self.provider()
        try await provider.serve { configuration in
            let app = try await Self.app(asking: configuration, mode)
            let result = try await Self.create(app).get()
            try app.sdk.persistActivation(withPassword: TestApp.password)
            #expect(result.activationFingerprint == app.sdk.activationFingerprint)
            #expect(try await app.status().get().state == .active)
            let detail = try await app.backOffice.detail(app.activationId)
            #expect(detail["userId"]?.stringValue == "subject-1")
            #expect(detail["activationName"]?.stringValue == "Signed in")
            #expect(await app.validate() == nil)
        }
        #expect(provider.forms.count == 1 && provider.forms[0].contains("code_verifier=verifier"))
    }

    @Test(arguments: LoopbackProvider.Defect.allCases)
    func `A sign-in that the provider rejects is refused, and nothing is left pending`(defect: LoopbackProvider.Defect)
        async throws
    {
        try await Self.provider(defect).serve { configuration in
            try await Self.expectRefusal(Self.app(asking: configuration))
        }
    }

    @Test
    func `A sign-in with another nonce, without the verifier, or at an unknown provider is refused`() async throws {
        let provider = try Self.provider()
        try await provider.serve { configuration in
            let app = try await Self.app(asking: configuration)
            try await Self.expectRefusal(app, nonce: "n-2")
            try await Self.expectRefusal(app, codeVerifier: nil)
            try await Self.expectRefusal(app, provider: "nobody")
            _ = try await Self.create(app).get()
        }
    }

    private static func expectRefusal(
        _ app: TestApp, provider: String = "loop", nonce: String = "n-1", codeVerifier: String? = "verifier"
    ) async throws {
        let error = try await create(app, provider: provider, nonce: nonce, codeVerifier: codeVerifier).failure
        #expect(error?.powerAuthErrorCode == .networkError)
        let response = error?.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
        #expect(response?.httpStatusCode == 400 && response?.responseObject?.code == "ERR_ACTIVATION")
        #expect(app.sdk.canStartActivation())
    }
}
