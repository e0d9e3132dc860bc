// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabHTTP
import LabPoints
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

/// Everything that can be wrong outside of the SDK object: the documented error, nothing lost, and the same call works as
/// soon as the cause is gone.
@Suite("Error paths (sdk.md, sections 7.3 and 11)", .endsInTime)
struct ErrorPathTests {
    /// The calls that need the server.
    enum Call: String, CaseIterable, CustomTestStringConvertible {
        case status, validatePassword, changePassword, requestToken, fetchEncryptionKey, signData, fetchUserInfo
        case serverStatus, removeActivation

        var testDescription: String { rawValue }

        /// Last path that the call asks for.
        var path: String {
            switch self {
            case .status: "/pa/v3/activation/status"
            case .validatePassword, .changePassword: "/pa/v3/signature/validate"
            case .requestToken: "/pa/v3/token/create"
            case .fetchEncryptionKey, .signData: "/pa/v3/vault/unlock"
            case .fetchUserInfo: "/pa/v3/user/info"
            case .serverStatus: "/pa/v3/status"
            case .removeActivation: "/pa/v3/activation/remove"
            }
        }

        var isEncrypted: Bool {
            switch self {
            case .requestToken, .fetchEncryptionKey, .signData, .fetchUserInfo: true
            default: false
            }
        }

        var isSigned: Bool { ![.status, .fetchUserInfo, .serverStatus].contains(self) }

        /// Makes the call; nil for success.
        func callAsFunction(_ sdk: PowerAuthSDK, _ authentication: PowerAuthAuthentication = .rightPassword) async
            -> NSError?
        {
            await failure { report in
                switch self {
                case .status: sdk.fetchActivationStatus { report($1) }
                case .validatePassword:
                    sdk.validatePassword(password: authentication.password!, callback: report)
                case .changePassword:
                    sdk.changePassword(
                        from: authentication.password!, to: PowerAuthCorePassword(string: TestApp.password),
                        callback: report)
                case .requestToken:
                    sdk.tokenStore.requestAccessToken(withName: "token", authentication: authentication) {
                        report($1)
                    }
                case .fetchEncryptionKey: sdk.fetchEncryptionKey(authentication, index: 1) { report($1) }
                case .signData: sdk.signData(withDevicePrivateKey: authentication, data: Data([1])) { report($1) }
                case .fetchUserInfo: sdk.fetchUserInfo { report($1) }
                case .serverStatus: sdk.fetchServerStatus { report($1) }
                case .removeActivation: sdk.removeActivation(with: authentication, callback: report)
                }
            }
        }
    }

    /// The activation is as before, and the call succeeds now.
    private func expectUnharmed(_ app: TestApp, _ activationId: String, retrying call: Call) async {
        #expect(app.sdk.hasValidActivation() && app.sdk.activationIdentifier == activationId)
        #expect(await call(app.sdk) == nil, "the retry works")
        #expect(app.sdk.hasValidActivation() == (call != .removeActivation))
    }

    @Test(arguments: Call.allCases)
    func `Without a connection to the server, the error is the platform's own`(call: Call) async throws {
        let app = try await TestApp.activated()
        let activationId = try app.activationId
        let codes: [URLError.Code] = [
            .cannotConnectToHost, .timedOut, .serverCertificateUntrusted, .notConnectedToInternet,
        ]
        for code in codes {
            app.transport.order(.fail(code), for: call.path)
            let error = await call(app.sdk)
            #expect(error?.domain == NSURLErrorDomain && error?.code == code.rawValue)
            #expect(error?.powerAuthErrorCode == .NA)
        }
        // A removal whose answer is lost has happened on the server.
        if call != .removeActivation {
            app.transport.order(.loseAnswer(.networkConnectionLost), for: call.path)
            #expect(await call(app.sdk)?.code == NSURLErrorNetworkConnectionLost)
        }
        await expectUnharmed(app, activationId, retrying: call)
    }

    @Test(arguments: Call.allCases) func `Invalid answers`(call: Call) async throws {
        let app = try await TestApp.activated()
        let activationId = try app.activationId
        for body in ["", "garbage", "[1]", "{}", #"{"status":"OK"}"#, #"{"status":"ERROR","responseObject":null}"#] {
            app.transport.order(.answer(status: 200, body: body), for: call.path)
            let error = try #require(await call(app.sdk) ?? unnoticed(call, body), "\(body)")
            if body.isEmpty || body == "garbage", !call.isEncrypted {
                #expect(error.domain == NSCocoaErrorDomain)
            } else {
                #expect(error.domain == PowerAuthErrorDomain, "\(body): \(error)")
            }
            // The activation is gone now, as the answer said.
            if call == .removeActivation, body == #"{"status":"OK"}"# { return }
        }
        await expectUnharmed(app, activationId, retrying: call)
    }

    /// An empty answer that is in order says everything for calls that want nothing back.
    private func unnoticed(_ call: Call, _ body: String) -> NSError? {
        let expectsNothing = [Call.validatePassword, .changePassword, .removeActivation].contains(call)
        return body == #"{"status":"OK"}"# && expectsNothing ? NSError(domain: PowerAuthErrorDomain, code: 0) : nil
    }

    @Test(arguments: Call.allCases.filter(\.isEncrypted))
    func `A changed answer of an encrypted call is not decrypted`(call: Call) async throws {
        let app = try await TestApp.activated()
        let activationId = try app.activationId
        app.transport.order(
            .change { response in
                let text = String(decoding: response.body, as: UTF8.self)
                let changed = text.replacing(#/"mac"\s*:\s*"./#, with: #""mac":"A"#, maxReplacements: 1)
                    .replacing(#/"encryptedData"\s*:\s*"..../#, with: #""encryptedData":"AAAA"#, maxReplacements: 1)
                return HTTPResponse(status: response.status, body: Data(changed.utf8))
            }, for: call.path)
        #expect(await call(app.sdk)?.powerAuthErrorCode == .encryption)
        await expectUnharmed(app, activationId, retrying: call)
    }

    @Test(arguments: Call.allCases)
    func `A status other than 200 is reported with the whole answer of the server`(call: Call) async throws {
        let app = try await TestApp.activated()
        let activationId = try app.activationId
        for status in [201, 400, 404, 500, 503] {
            let body = #"{"status":"ERROR","responseObject":{"code":"ERR_LAB","message":"no","extra":1}}"#
            app.transport.order(.answer(status: status, body: body), for: call.path)
            let error = await call(app.sdk)
            #expect(error?.powerAuthErrorCode == .networkError)
            let response = error?.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
            #expect(response?.httpStatusCode == UInt(status) && response?.responseObject?.code == "ERR_LAB")
            #expect(error?.userInfo[PowerAuthErrorInfoKey_ResponseData] as? Data == Data(body.utf8))
            #expect(error?.userInfo[PowerAuthErrorInfoKey_AdditionalInfo] is [String: Any])
        }
        await expectUnharmed(app, activationId, retrying: call)
    }

    @Test(arguments: Call.allCases.filter(\.isSigned))
    func `A wrong password is 401, with attempts left and without`(call: Call) async throws {
        let app = try await TestApp.activated()
        let activationId = try app.activationId
        for attempt in 1...5 {
            let error = await call(app.sdk, .wrongPassword)
            #expect(error?.powerAuthErrorCode == .networkError)
            let response = error?.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
            #expect(response?.httpStatusCode == 401)
            let status = try await app.status().get()
            #expect(status.failCount == UInt32(attempt) && status.remainingAttempts == UInt32(5 - attempt))
            #expect(status.state == (attempt < 5 ? .active : .blocked))
        }
        // Blocked: the right password is refused in the same way.
        #expect(await call(app.sdk)?.powerAuthErrorCode == .networkError)
        #expect(app.sdk.hasValidActivation())
        try await app.backOffice.unblock(activationId)
        await expectUnharmed(app, activationId, retrying: call)
    }

    @Test func `An activation that was removed on the server stays here until the app removes it`() async throws {
        let app = try await TestApp.activated()
        try await app.backOffice.remove(try app.activationId)
        for call in Call.allCases where call.isSigned || call == .fetchUserInfo {
            #expect(await call(app.sdk)?.powerAuthErrorCode == .networkError, "\(call)")
        }
        #expect(try await app.status().get().state == .removed)
        #expect(app.sdk.hasValidActivation())
        app.sdk.removeActivationLocal()
        try await app.activate()
        #expect(await app.validate() == nil)
    }

    @Test func `An unreadable stored state counts as no activation, and its bytes are kept (sdk.23)`() async throws {
        for quirks in [[], ["sdk.23"]] {
            let app = try await TestApp.activated(quirks: quirks)
            let keychain = PowerAuthKeychain(
                identifier: PowerAuthKeychain_Status, accessGroup: nil, system: app.sandbox.keychain)
            let account = app.sdk.configuration.instanceId
            let newer = Data("PA\u{02}P9 of a later version".utf8)
            #expect(keychain.updateValue(newer, forKey: account) == .ok)
            let restarted = try app.restarted()
            #expect(restarted.canStartActivation() && !restarted.hasValidActivation())
            let code = try await app.backOffice.initiate(userId: app.userId)
            let activation = try PowerAuthActivation(activationCode: code.code)
            _ = try await outcome { restarted.createActivation(activation, callback: $0) }.get()
            try restarted.persistActivation(withPassword: TestApp.password)
            try await app.backOffice.commit(code.activationId)
            #expect(await restarted.validate() == nil)
            #expect(keychain.data(forKey: account + ".unusable") == (quirks.isEmpty ? newer : nil))
        }
    }

    @Test func `Without its external key an activation cannot prove knowledge, and can everything else`() async throws {
        let key = Data(repeating: 7, count: 16)
        let app = try await TestApp.activated { $0.externalEncryptionKey = key }
        let restarted = try app.restarted()
        for call in Call.allCases where call.isSigned {
            #expect(await call(restarted)?.powerAuthErrorCode == .signatureError, "\(call)")
        }
        #expect(try await restarted.status().get().failCount == 0)
        try restarted.setExternalEncryptionKey(key)
        for call in Call.allCases { #expect(await call(restarted) == nil, "\(call)") }
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A state that cannot be stored now yields no signature`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let activationId = try app.activationId
        _ = try await app.status().get()
        try app.device.faults.arm(
            FaultRule(point: .keychainWrite, process: app.sandbox.identity.name, action: .fail("EIO")))
        let error = #expect(throws: NSError.self) {
            try app.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/a", body: nil)
        }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        await expectUnharmed(app, activationId, retrying: .validatePassword)
    }

    @Test func `Before the first unlock of the device nothing is known and nothing is lost`() async throws {
        let app = try await TestApp.activated()
        let activationId = try app.activationId
        try app.sandbox.security.changeState { $0.setPasscode(true) }
        try app.sandbox.security.changeState { $0.reboot() }
        let restarted = try app.restarted()
        #expect(!restarted.hasValidActivation() && !restarted.canStartActivation())
        #expect(restarted.activationIdentifier == nil)
        let activation = try await app.activation()
        #expect(await outcome { restarted.createActivation(activation, callback: $0) }.code == .invalidActivationState)
        #expect(await restarted.status().code == .invalidActivationState)
        #expect(await restarted.validate() != nil)
        try app.sandbox.security.changeState { $0.unlock() }
        #expect(restarted.activationIdentifier == activationId)
        #expect(try await restarted.status().get().failCount == 0)
        #expect(await restarted.validate() == nil)
    }
}
