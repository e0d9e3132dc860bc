// SPDX-License-Identifier: Apache-2.0

import LabApp
import PowerAuth2

@main
final class BankApp: MainApp {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    static let commands: [Command<BankApp>] = [
        Command("isReady", "Checks whether the user can log in.") { app in
            try app.context.sdk.hasValidActivation()
        },
        Command("logIn", "Logs the user in.", taking: Login.self) { app, login in
            try await app.context.sdk.validatePassword(password: login.pin.revealed)
        },
    ]
}

struct Login: FieldObject {
    @Field("The user's PIN.") var pin: Secret
    init() {}
}
