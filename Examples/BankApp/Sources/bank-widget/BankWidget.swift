// SPDX-License-Identifier: Apache-2.0

import BankKit
import LabApp
import PowerAuth2ForExtensions

/// The widget: an extension that reads what the app has stored.
@main
final class BankWidget: ExtensionApp {
    private let context: Context
    private let payments: PaymentList

    init(_ context: Context) throws {
        self.context = context
        payments = PaymentList(server: try context.serverURL, settings: context.settings, log: context.log)
    }

    static let errors: [any AppError.Type] = [BankError.self]

    static let commands: [Command<BankWidget>] = [
        Command("showPayments", "Shows the payments that wait.") { widget in
            try await widget.payments.load(widget.context.sdk.tokenStore)
        }
    ]
}
