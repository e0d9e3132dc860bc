// SPDX-License-Identifier: Apache-2.0

import BankKit
import LabApp
import PowerAuth2

/// The bank's app on the phone.
@main
final class BankApp: MainApp {
    private let context: Context
    private let payments: PaymentList

    init(_ context: Context) throws {
        self.context = context
        payments = PaymentList(server: try context.serverURL, settings: context.settings, log: context.log)
    }

    static let errors: [any AppError.Type] = [BankError.self]

    static let commands: [Command<BankApp>] = [
        Command("logIn", "Checks the PIN, and makes the token for widget and watch.", taking: Login.self) {
            app, login in try await app.logIn(login.pin.revealed)
        },
        Command("logOut", "Removes the token, here and on the watch.") { app in try await app.logOut() },
        Command("showPayments", "Shows the payments that wait.") { app in
            try await app.payments.load(app.context.sdk.tokenStore)
        },
    ]

    private func logIn(_ pin: String) async throws {
        let sdk = try context.sdk
        try await sdk.validatePassword(password: pin)
        let token = try await sdk.tokenStore.requestAccessToken(
            withName: PaymentList.tokenName, authentication: .possession())
        // Both wait for a watch that is out of reach.
        _ = sdk.sendActivationStatusToWatch()
        _ = token.sendToWatch()
    }

    private func logOut() async throws {
        let store = try context.sdk.tokenStore
        guard let token = store.localToken(withName: PaymentList.tokenName) else { throw BankError.notLoggedIn }
        _ = token.removeFromWatch()
        checkpoint("removed-from-watch")
        try await store.removeAccessToken(withName: PaymentList.tokenName)
    }
}

/// What `logIn` takes.
struct Login: FieldObject {
    @Field("The user's PIN.") var pin: Secret
    init() {}
}
