// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalAuthentication
import Testing
import WultraMobileTokenSDK

@testable import MobileBank

@Suite("The activation")
struct SessionTests {
    private let powerAuth = MockPowerAuth()
    private let session: ActivationSession

    init() throws {
        try Phone.start()
        session = ActivationSession(powerAuth: powerAuth)
    }

    @Test func `An invalid code is refused before PowerAuth gets it`() async {
        await #expect(throws: BankFailure.wrongCode) { try await AsyncSession(session).activate(code: "VVVVV-VVVVV") }
        #expect(powerAuth.activations.isEmpty)
    }

    @Test func `An activation is made, kept under a PIN, used and removed`() async throws {
        let screen = AsyncSession(session)
        #expect(try await screen.activate(code: "VVVVV-VVVVV-VVVVV-VTFVA", otp: "4711") == "12345678")
        #expect(powerAuth.activations.map { $0.additionalActivationOtp } == ["4711"])
        #expect(powerAuth.activations.first?.customAttributes?["model"] as? String == "iPhone")
        try session.persist(pin: "1234", usesBiometry: true)
        #expect(session.isActivated && powerAuth.hasBiometry)
        await #expect(throws: BankFailure.wrongPin) { try await screen.logIn(pin: "0000") }
        try await screen.changePin(from: "1234", to: "5678")
        try await screen.logIn(pin: "5678")
        #expect(try await screen.refresh() == .active(attemptsLeft: 5))
        try await screen.remove(pin: "5678")
        #expect(try await screen.refresh() == ActivationPhase.none)
    }

    @Test func `An activation that cannot be kept is forgotten`() async throws {
        _ = try await AsyncSession(session).activate(code: "VVVVV-VVVVV-VVVVV-VTFVA")
        powerAuth.nextError = NSError(
            domain: PowerAuthErrorDomain, code: PowerAuthErrorCode.invalidActivationState.rawValue)
        #expect(throws: BankFailure.activationPending) { try session.persist(pin: "1234", usesBiometry: false) }
        #expect(powerAuth.canStartActivation())
    }

    @Test func `A request of the app's own is signed`() throws {
        var request = URLRequest(url: try #require(URL(string: "https://bank.example/api/limits")))
        request.httpMethod = "PUT"
        try session.sign(&request, uriId: "/limits", pin: "1234")
        #expect(request.value(forHTTPHeaderField: "X-PowerAuth-Authorization") == "PUT /limits")
    }

    @Test func `The gate gives the reason why biometry cannot be used, and biometry is not added`() {
        let gate = BiometricGate { RefusingContext(.biometryNotEnrolled) }
        #expect(gate.availability == .notEnrolled)
        #expect(BiometricGate { RefusingContext(.biometryLockout) }.availability == .lockedOut)
        var result: Result<Void, BankFailure>?
        ActivationSession(powerAuth: powerAuth, gate: gate).setBiometry(enabled: true, pin: "1234") { result = $0 }
        #expect(throws: BankFailure.biometryUnavailable) { try result?.get() }
        #expect(!powerAuth.hasBiometry)
    }

    @Test func `Each error of the SDKs has the app's failure`() {
        func powerAuthError(_ code: PowerAuthErrorCode) -> Error {
            NSError(domain: PowerAuthErrorDomain, code: code.rawValue)
        }
        let refused = WMTError(reason: .network_generic)
        refused.restApiError = WPNRestApiError(code: "POWERAUTH_AUTH_FAIL", message: "")
        let foreign = WMTError(reason: .network_generic)
        foreign.restApiError = WPNRestApiError(code: "BANK_CLOSED", message: "")
        let table: [(Error, BankFailure)] = [
            (powerAuthError(.biometryCancel), .biometryCancelled), (powerAuthError(.missingActivation), .noActivation),
            (powerAuthError(.externalPendingOperation), .otherAppIsBusy), (powerAuthError(.encryption), .unknown),
            (WMTError(reason: .operations_authExpired), .operationExpired),
            (WMTError(reason: .network_noInternetConnection), .offline),
            (WMTError(reason: .network_signError, error: powerAuthError(.missingActivation)), .noActivation),
            (refused, .wrongPin), (foreign, .server(code: "BANK_CLOSED")),
            (LAError(.userFallback), .biometryFallback), (URLError(.timedOut), .timeout),
            (URLError(.serverCertificateUntrusted), .untrustedServer),
        ]
        for (error, failure) in table { #expect(BankFailure.map(error) == failure, "\(error)") }
        let none: Error? = nil
        #expect(BankFailure.map(none) == nil)
    }

    @Test func `The camera reads activation codes, operations with a good signature, and codes of another screen`()
        throws
    {
        let scanner = CodeScanner(powerAuth: powerAuth)
        guard case .activation(let code) = try scanner.read("VVVVV-VVVVV-VVVVV-VTFVA#c2lnbmF0dXJl").get() else {
            Issue.record("no activation code")
            return
        }
        #expect(code == "VVVVV-VVVVV-VVVVV-VTFVA")
        guard case .proximity(let data) = try scanner.read("bank://operation?oid=op%2F1&totp=1234").get() else {
            Issue.record("no code of another screen")
            return
        }
        #expect(data == WMTPACData(operationId: "op/1", totp: "1234"))
        #expect(throws: BankFailure.wrongCode) { try scanner.read("a shopping list").get() }

        let signature = Data(repeating: 7, count: 70).base64EncodedString()
        let nonce = Data(repeating: 1, count: 16).base64EncodedString()
        let text = "op-1\nPayment\nTo a shop\nA1*A100.50CZK*NRent\nB\n\(nonce)\n0\(signature)"
        #expect(throws: BankFailure.wrongCode) { try scanner.read(text).get() }
        powerAuth.trustedSignatures = [signature]
        guard case .offlineOperation(let operation) = try scanner.read(text).get() else {
            Issue.record("no operation")
            return
        }
        #expect(operation.lines == ["Payment", "To a shop", "100.5 CZK", "Rent"] && operation.allowsBiometry)
    }
}
