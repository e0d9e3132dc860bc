// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import PowerAuth2
import SDKTestSupport
import TestSupport

@testable import SimulatedDevice

extension TestApp {
    /// An application with a committed activation on a device with a face enrolled, and a biometry factor.
    ///
    /// - Parameter configure: changes where and how the SDK object stores its keys.
    static func withBiometry(
        _ mode: Mode = .alone, configure: (PowerAuthKeychainConfiguration) -> Void = { _ in }
    ) async throws -> (app: TestApp, sdk: PowerAuthSDK) {
        let app = try await TestApp.activated(mode)
        try app.enrol()
        let sdk = try app.sdk(configure)
        if let error = await sdk.addBiometry() { throw error }
        return (app, sdk)
    }

    /// Another SDK object of the application, with another keychain configuration.
    func sdk(_ configure: (PowerAuthKeychainConfiguration) -> Void) throws -> PowerAuthSDK {
        let keychain = PowerAuthKeychainConfiguration()
        configure(keychain)
        return try PowerAuthSDK(
            configuration: sdk.configuration, keychainConfiguration: keychain, clientConfiguration: .patient,
            sandbox: sandbox, transport: transport)
    }

    /// Enrols a face on the device.
    func enrol() throws { try sandbox.security.changeState { try $0.enrol() } }

    /// Makes the user ready to answer the next dialogs, after the animation of the last one.
    func answer(_ answers: AuthenticationAnswer...) throws {
        try device.clock.advance(by: .seconds(1))
        for answer in answers { try sandbox.security.answer(answer) }
    }

    /// Waits until the device shows a dialog.
    func dialogIsOpen() async throws {
        try await onThread {
            while true {
                let count = sandbox.security.changeCount
                if sandbox.security.prompt != nil { return }
                try sandbox.security.wait(whileChangesAre: count)
            }
        }
    }

    /// Signs with biometry on a thread that may wait for the user; true when the server accepts the signature.
    func sign(
        _ sdk: PowerAuthSDK? = nil, with authentication: PowerAuthAuthentication
    ) async throws -> Result<Bool, NSError> {
        let body = Data("{}".utf8)
        let sdk = sdk ?? self.sdk
        let header: Result<PowerAuthAuthorizationHttpHeader, NSError> = try await onThread {
            Result { () throws(NSError) in
                try nsError {
                    try sdk.requestSignature(with: authentication, method: "POST", uriId: "/test", body: body)
                }
            }
        }
        switch header {
        case .success(let header):
            return .success(try await backOffice.accepts(AuthorizationHeader(header), uriId: "/test", body: body))
        case .failure(let error): return .failure(error)
        }
    }

    /// How many failed attempts the server has counted.
    func failedAttempts() async throws -> Int64? {
        try await backOffice.detail(activationId)["failedAttempts"]?.integerValue
    }
}

extension PowerAuthSDK {
    func addBiometry(_ password: String = TestApp.password) async -> NSError? {
        await failure { addBiometryFactor(password: password, callback: $0) }
    }

    func authenticate(_ prompt: String = "Confirm") async -> Result<PowerAuthAuthentication, NSError> {
        await outcome { authenticateUsingBiometry(withPrompt: prompt, callback: $0) }
    }
}
