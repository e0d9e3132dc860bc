// SPDX-License-Identifier: Apache-2.0

import BankShared
import BankWidget
import Foundation
import Security
import Testing
import WultraMobileTokenSDK
import XCTest

@testable import MobileBank

/// With the keychain, the preferences and the SDK of the phone.
@Suite("The phone", .serialized)
struct DeviceTests {
    init() throws { try Phone.start() }

    @Test func `The keychain keeps the bytes of each account`() throws {
        let store = KeychainStore(service: "cards", accessGroup: Phone.keychainGroup)
        try store.set(Data("first".utf8), for: "debit")
        try store.set(Data("second".utf8), for: "debit")
        try store.set(Data("third".utf8), for: "credit")
        #expect(try store.accounts() == ["credit", "debit"])
        #expect(try store.data(for: "debit") == Data("second".utf8))
        #expect(try KeychainStore(service: "other").data(for: "debit") == nil)
        try store.remove("debit")
        #expect(try store.accounts() == ["credit"])
        try store.remove(nil)
        #expect(try store.accounts().isEmpty && store.data(for: "credit") == nil)
    }

    @Test func `A keychain group that the app is not entitled to is refused`() {
        let store = KeychainStore(service: "cards", accessGroup: "LABTEAM001.com.example.other")
        #expect(throws: BankFailure.keychain(errSecMissingEntitlement)) { try store.set(Data([1]), for: "debit") }
    }

    @Test func `The widget shows what the app has put into the preferences of the group`() throws {
        let defaults = try #require(GroupDefaults())
        defaults.balance = 1234.5
        defaults.waitingOperations = 2
        let widget = BalanceWidget(defaults: try #require(GroupDefaults()), isActivated: { true })
        #expect(widget.content == .balance("1,234.50", waiting: 2))
        defaults.hidesBalance = true
        #expect(widget.content == .hidden(waiting: 2))
        #expect(GroupDefaults.folder(of: "group.com.example.other") == nil)
    }

    @Test func `The SDK behind the app's protocol fails without network, and keeps no activation`() async throws {
        let configuration =
            "ARDDj6EB6iAUtNmNxKM/BsbaEEs5bP+yVmyjfhQDoox3LDwBAUEEQQ7CWNKAi0EgCfOvd/srfqz4oqhTMLwsT4r7sPLRfqICRw9c"
            + "CMs/Uoo/F2rIz+KKEcBxbnH9bMk8Ju3K1wmjbA=="
        let server = try #require(URL(string: "http://127.0.0.1:1"))
        let powerAuth = try #require(BankEnvironment(server: server, sdkConfiguration: configuration).makePowerAuth())
        let session = AsyncSession(ActivationSession(powerAuth: powerAuth))
        #expect(try await session.refresh() == ActivationPhase.none)
        await #expect(throws: BankFailure.offline) { try await session.activate(code: "VVVVV-VVVVV-VVVVV-VTFVA") }
        #expect(powerAuth.canStartActivation() && !powerAuth.hasValidActivation())
        #expect(await powerAuth.isUsable() == false)
        #expect(BankEnvironment(server: server, sdkConfiguration: "nonsense").makePowerAuth() == nil)
    }
}

/// Older tests of the bank.
final class PinningTests: XCTestCase {
    func testOnlyPinnedCertificatesAreAccepted() {
        let pinned = PinnedCertificates(certificates: [Data("leaf".utf8)])
        XCTAssertTrue(pinned.accepts(Data("leaf".utf8)))
        XCTAssertFalse(pinned.accepts(Data("other".utf8)))
        let space = URLProtectionSpace(
            host: "bank.example", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: NoSender())
        XCTAssertFalse(pinned.validate(challenge: challenge))
    }
}

private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
