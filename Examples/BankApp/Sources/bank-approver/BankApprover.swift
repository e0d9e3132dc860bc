// SPDX-License-Identifier: Apache-2.0

import LabApp
import PowerAuth2

/// An extension that asks for the PIN where the user is, without opening the app: it embeds the whole SDK and shares the
/// app's activation.
@main
final class BankApprover: SharingExtensionApp {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    static let commands: [Command<BankApprover>] = [
        Command("askForPIN", "Lets the user prove the PIN; returns how many attempts are left.", taking: PIN.self) {
            approver, asked in try await approver.ask(asked.pin.revealed)
        }
    ]

    /// A wrong PIN costs the app and the extension an attempt, so the answer is a number and no error.
    private func ask(_ pin: String) async throws -> Int {
        let sdk = try context.sdk
        try? await sdk.validatePassword(password: pin)
        return Int(try await sdk.fetchActivationStatus().remainingAttempts)
    }
}

/// What `askForPIN` takes.
struct PIN: FieldObject {
    @Field("The user's PIN.") var pin: Secret
    init() {}
}
